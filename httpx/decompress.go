package httpx

import (
	"errors"
	"io"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Decompressor undoes the content coding of bodies: gzip, deflate and zstd, one per message. It stands between the codec
// and the handlers that take the bodies, as one of ServerConfig.Handlers (in front of an Aggregator), or likewise on a
// client. They see a message without Content-Encoding and Content-Length. RFC 9110, 8.4.
//
// A body that inflates to more than Cap allows is a *BodyError with 413, one that is damaged or cut short with 400: the
// request is answered so. One in another coding is answered with 415, and Accept-Encoding says what would do
// (RFC 9110, 12.5.3 and 15.5.16); on a client it passes as it is, and so does a part (206).
//
// Nothing is inflated before somebody wants it: a body that nobody reads stays as it came.
//
// The zero value is ready. Its methods are for the event loop only.
type Decompressor struct {
	pipeline.Unshared
	// Cap limits what a body may become. The zero value is 16 MiB, and 100 octets for each one that came.
	Cap codec.Cap
	// PassUnknown passes requests in other codings as they are, to handlers that know them.
	PassUnknown bool

	mode     unpacking
	client   bool // the body is that of a response
	inflater codec.Inflater
	piece    *Content // whose octets are being inflated
	in       *buffer.Buffer
	queue    []any // what waits behind that
	running  bool
	fired    bool
	ending   bool // the peer's end waits behind the queue
}

// unpacking is what is done with the pieces of a body.
type unpacking uint8

const (
	passBody    unpacking = iota // they are as they should be
	inflateBody                  // they are encoded
	passRest                     // they can't be read, and somebody knows
	dropRest                     // they can't be read, and nobody is interested
)

var (
	_ pipeline.ReadHandler        = (*Decompressor)(nil)
	_ pipeline.ReadRequestHandler = (*Decompressor)(nil)
	_ pipeline.ReadClosedHandler  = (*Decompressor)(nil)
	_ pipeline.WritabilityHandler = (*Decompressor)(nil)
	_ pipeline.InactiveHandler    = (*Decompressor)(nil)
	_ pipeline.RemovedHandler     = (*Decompressor)(nil)
)

// HandleRead inflates bodies, as far as the connection is read, and passes everything else in its order.
func (d *Decompressor) HandleRead(ctx *pipeline.Context, msg any) error {
	if d.running || len(d.queue) > 0 || d.piece != nil {
		d.queue = append(d.queue, msg)
	} else {
		d.take(ctx, msg)
	}
	d.run(ctx)
	return nil
}

// take begins with a message.
func (d *Decompressor) take(ctx *pipeline.Context, msg any) {
	switch m := msg.(type) {
	case *Request:
		d.request(ctx, m)
		return
	case *Response:
		d.response(ctx, m)
		return
	case *Content:
		if d.mode != passBody {
			d.content(ctx, m)
			return
		}
	}
	d.fire(ctx, msg)
}

func (d *Decompressor) fire(ctx *pipeline.Context, msg any) {
	d.fired = true
	ctx.FireRead(msg)
}

func (d *Decompressor) request(ctx *pipeline.Context, r *Request) {
	d.mode, d.client = passBody, false
	coding, encoded := contentCoding(&r.Header)
	switch {
	case r.Length == 0 || !encoded:
	case coding != codingNone:
		d.begin(ctx, coding, &r.Header)
		r.Length = LengthChunked
	case !d.PassUnknown:
		if s, at := answersItself(ctx.Pipeline()); s != nil {
			r.Release()
			d.mode = dropRest
			if err := s.refuseNewest(at, statusUnsupportedMedia); err != nil {
				ctx.FireError(err)
			}
			return
		}
		r.Divert(refuseCoding)
	}
	d.fire(ctx, r)
}

// refuseCoding answers a request whose body is in a coding that is not known.
func refuseCoding(_ *pipeline.Context, x *Exchange) error {
	r := NewFullResponse(statusUnsupportedMedia)
	r.SetBodyString(StatusText(statusUnsupportedMedia) + "\n")
	err := errors.Join(
		r.Header.Add("content-type", "text/plain; charset=utf-8"),
		r.Header.Add("accept-encoding", "gzip, deflate, zstd"),
	)
	if err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}

func (d *Decompressor) response(ctx *pipeline.Context, r *Response) {
	if !r.Interim() {
		d.mode, d.client = passBody, true
		coding, _ := contentCoding(&r.Header)
		if coding != codingNone && r.Length != 0 && r.Status != statusPartial && !r.Upgrade {
			d.begin(ctx, coding, &r.Header)
			r.Length = min(r.Length, LengthChunked)
		}
	}
	d.fire(ctx, r)
}

// contentCoding returns the coding of a body, codingNone when it is none or not known. RFC 9110, 8.4.
func contentCoding(h *Header) (c coding, encoded bool) {
	for i := h.index("content-encoding", 0); i >= 0; i = h.index("content-encoding", i+1) {
		for list := h.valueAt(&h.fields[i]); len(list) > 0; {
			var name []byte
			name, list = nextElement(list)
			switch {
			case len(name) == 0 || equalFold(name, "identity"):
				continue
			case encoded: // more than one
				return codingNone, true
			}
			encoded = true
			for _, known := range [...]coding{codingGzip, codingDeflate, codingZstd} {
				if isEncoding(name, known.String()) {
					c = known
				}
			}
		}
	}
	return c, encoded
}

// begin prepares for the body of the message with that header.
func (d *Decompressor) begin(ctx *pipeline.Context, coding coding, h *Header) {
	h.Del("content-encoding")
	h.Del("content-length")
	d.mode = inflateBody
	d.inflater.Cap, d.inflater.Messages = d.Cap, true
	d.inflater.UseAllocator(ctx.Loop().Pool())
	switch coding {
	case codingGzip:
		d.inflater.Format = codec.Gzip
	case codingDeflate:
		d.inflater.Format = codec.Zlib
	case codingZstd, codingNone:
		d.inflater.Format = codec.Zstd
	}
}

// content begins with a piece.
func (d *Decompressor) content(ctx *pipeline.Context, c *Content) {
	if d.mode == inflateBody {
		d.piece, d.in = c, c.Data.Buffer()
		return
	}
	drop := d.mode == dropRest
	if c.Last {
		d.mode = passBody
	}
	if drop {
		c.Release()
	} else {
		d.fire(ctx, c)
	}
}

// run goes on for as long as somebody wants more.
func (d *Decompressor) run(ctx *pipeline.Context) {
	if d.running {
		return
	}
	d.running = true
	for d.works() && ctx.Channel().Reading() && !ctx.Removed() {
		if d.piece != nil {
			d.step(ctx)
			continue
		}
		msg := d.queue[0]
		d.queue[0] = nil
		d.queue = d.queue[1:]
		d.take(ctx, msg)
	}
	d.running = false
	if d.works() {
		return
	}
	d.queue = nil
	if d.ending {
		d.ending = false
		ctx.FireReadClosed()
	}
}

func (d *Decompressor) works() bool { return d.piece != nil || len(d.queue) > 0 }

// step inflates some of the piece.
func (d *Decompressor) step(ctx *pipeline.Context) {
	var out *buffer.Buffer
	var ok bool
	var err error
	switch {
	case d.in.Len() > 0 || d.inflater.Backlog():
		out, ok, err = d.inflater.Decode(d.in)
	case d.piece.Last:
		if out, ok, err = d.inflater.DecodeEOF(d.in); !ok && err == nil {
			d.end(ctx)
			return
		}
	default:
		d.drop()
		return
	}
	switch {
	case err != nil:
		d.fail(ctx, err)
	case ok:
		c := NewContent(out.ReadSlice(out.Len()))
		ctx.Release(out)
		d.fire(ctx, c)
	}
}

// end passes the end of a body on.
func (d *Decompressor) end(ctx *pipeline.Context) {
	last, trailer := EmptyLast, d.piece.Trailer
	if trailer != nil {
		last = newPiece(buffer.Slice{}, true)
		last.Trailer = trailer
	}
	d.drop()
	d.stop()
	d.fire(ctx, last)
}

// drop is done with the piece.
func (d *Decompressor) drop() {
	if d.piece != nil {
		d.in.Release()
		d.piece.Release()
		d.piece, d.in = nil, nil
	}
}

// stop is done with the body.
func (d *Decompressor) stop() {
	d.inflater.Reset()
	d.mode = passBody
}

// fail tells that the body can't be inflated.
func (d *Decompressor) fail(ctx *pipeline.Context, err error) {
	last := d.piece.Last
	d.drop()
	d.stop()
	broken := &BodyError{Status: statusBadRequest, Reason: "bad content-encoding", Cause: err}
	switch {
	case errors.Is(err, codec.ErrInflatedTooMuch):
		broken.Status, broken.Reason = statusContentTooLarge, "body inflates to too much"
	case errors.Is(err, io.ErrUnexpectedEOF):
		broken.Reason = "encoded body not complete"
	}
	if d.client {
		broken.Status = 0 // nobody is answered
	}
	if s, at := answersItself(ctx.Pipeline()); s != nil && !d.client {
		d.mode = dropRest
		err = s.refuseNewest(at, broken.Status)
		if err != nil {
			ctx.FireError(err)
		}
	} else {
		d.mode = passRest
		ctx.FireError(broken)
	}
	if last {
		d.content(ctx, EmptyLast)
	}
}

// answersItself returns the Server of a pipeline in which nobody answers a request that has not come whole.
func answersItself(p *pipeline.Pipeline) (*Server, *pipeline.Context) {
	if h, _ := pipeline.Find[*ExchangeHandler](p); h != nil {
		if a, _ := pipeline.Find[*Aggregator](p); a == nil {
			return nil, nil
		}
	}
	return pipeline.Find[*Server](p)
}

// HandleReadRequest goes on with what waits, then passes on, unless that has served the request.
func (d *Decompressor) HandleReadRequest(ctx *pipeline.Context) error {
	served := false
	switch {
	case !d.works() || d.running:
	case ctx.Channel().AutoRead():
		d.resume(ctx)
		served = true // whoever turned it off meanwhile asks for nothing
	default:
		ctx.Channel().Inject(func(*pipeline.Pipeline) { served = d.resume(ctx) })
	}
	if !served || ctx.Channel().AutoRead() {
		ctx.Read()
	}
	return nil
}

// HandleWritability goes on with what waits when the channel has become writable.
func (d *Decompressor) HandleWritability(ctx *pipeline.Context) error {
	ctx.FireWritability()
	if d.works() && !d.running {
		d.resume(ctx)
	}
	return nil
}

// resume goes on as a batch of its own, and reports whether messages came out.
func (d *Decompressor) resume(ctx *pipeline.Context) bool {
	d.fired = false
	d.run(ctx)
	if d.fired {
		ctx.FireReadComplete()
	}
	return d.fired
}

// HandleReadClosed passes on behind what waits.
func (d *Decompressor) HandleReadClosed(ctx *pipeline.Context) error {
	if d.works() {
		d.ending = true
		return nil
	}
	ctx.FireReadClosed()
	return nil
}

// HandleInactive drops what waits, then passes on.
func (d *Decompressor) HandleInactive(ctx *pipeline.Context) error {
	d.dropAll()
	ctx.FireInactive()
	return nil
}

// HandleRemoved passes what waits on as it is.
func (d *Decompressor) HandleRemoved(ctx *pipeline.Context) error {
	queue := d.queue
	d.queue = nil
	d.dropAll()
	for _, msg := range queue {
		if ctx.Channel().IsOpen() {
			ctx.FireRead(msg)
		} else {
			buffer.Release(msg)
		}
	}
	return nil
}

func (d *Decompressor) dropAll() {
	d.drop()
	d.stop()
	for _, msg := range d.queue {
		buffer.Release(msg)
	}
	d.queue, d.ending, d.running = nil, false, false
}
