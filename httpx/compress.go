package httpx

import (
	"errors"
	"fmt"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// DefaultCompressFrom is Compressor.MinBytes in octets.
const DefaultCompressFrom = 1 << 10

// Compressor compresses the bodies of answers for clients that accept it: by zstd, gzip or deflate, whichever the client
// prefers. It stands between the codec and the handlers that answer, as one of ServerConfig.Handlers, and changes
// *FullResponse as well as *Response with *Content or *pipeline.FileRegion. RFC 9110, 8.4 and 12.5.3.
//
// Left as they are: bodies of few octets, of types that do not shrink, or encoded already; parts of something
// (Content-Range); what the octets of are counted or signed (Response.Identity, Content-Digest and its kin); answers
// with Cache-Control: no-transform; and answers to HTTP/1.0. Where the client decides, the answer says Vary:
// Accept-Encoding, whatever it decided. A compressed answer has no Content-Length unless it is a FullResponse, and its
// ETag is weak. An answer to HEAD has the same fields as if it were compressed.
//
// What a handler writes in one batch of events is compressed together and leaves at the end of the batch: events of a
// stream are not delayed. A piece that is written with a promise leaves at once. The memory of the encoder is needed
// during a batch only and shared by the connections of a loop, so that a stream that waits takes none; that costs some
// of the gain when pieces are small, see History. Large bodies and files are compressed piece by piece as the client
// reads.
//
// Beware of secrets: when an answer has a secret (a token against forged requests) as well as something that somebody
// else chooses (a search word that is shown), its compressed length tells an observer how much the two have in common,
// and after many requests the secret ("BREACH"). Mark such answers by Response.Identity or Cache-Control: no-transform,
// or mask the secret anew in each answer.
//
// The zero value is ready. Its methods are for the event loop only.
type Compressor struct {
	pipeline.Unshared
	// Codings are the content codings in the order that decides when the client likes several equally; "zstd", "gzip" and
	// "deflate" are known. nil = these, in this order.
	Codings []string
	// Level is how hard it tries, 1 to 9 and with zstd 1 to 4. 0 = 1, the fastest.
	Level int
	// MinBytes is the size of the smallest body that is compressed, in octets, if it is known before. 0 = 1 KiB.
	MinBytes int
	// Types are the media types that are compressed: "text/html", with a slash at the end all subtypes of one type, with
	// a plus in front all with that suffix ("+json"). nil = text, JSON, XML, JavaScript, WebAssembly, plain fonts and
	// bitmaps, and others that shrink.
	Types []string
	// History keeps the encoder of a body in pieces until it ends, 0.8 MiB each, so that small pieces gain more.
	History bool

	ctx    *pipeline.Context
	offers fifo[offer] // of requests without an answer
	coder  coder
	active bool   // a body in pieces is under way
	broken error  // what of it was lost
	state  *State // nil: there is no Server

	queue    []*transfer // what is sent piece by piece, and what was written behind it
	withheld int         // octets that were written behind it
	owes     bool        // the others hear when the queue is empty
	pumping  bool
	yielded  bool // the others have their turn until a posted task
	closes   []heldClose
}

// offer is what a client accepts: a coding and what else the answer depends on.
type offer uint8

const (
	offerHead   offer = 1 << 6 // HEAD: no body follows
	offerTunnel offer = 1 << 7 // CONNECT
)

func (o offer) has(bit offer) bool { return o&bit != 0 }
func (o offer) coding() coding     { return coding(o &^ (offerHead | offerTunnel)) }

var (
	_ pipeline.AddedHandler       = (*Compressor)(nil)
	_ pipeline.ReadHandler        = (*Compressor)(nil)
	_ pipeline.WriteHandler       = (*Compressor)(nil)
	_ pipeline.FlushHandler       = (*Compressor)(nil)
	_ pipeline.WritabilityHandler = (*Compressor)(nil)
	_ pipeline.CloseHandler       = (*Compressor)(nil)
	_ pipeline.InactiveHandler    = (*Compressor)(nil)
	_ pipeline.RemovedHandler     = (*Compressor)(nil)
)

// HandleAdded refuses wrong settings.
func (c *Compressor) HandleAdded(ctx *pipeline.Context) error {
	c.ctx, c.coder.history = ctx, c.History
	if s, _ := pipeline.Find[*Server](ctx.Pipeline()); s != nil {
		c.state = s.state
	}
	for _, name := range c.codings() {
		if codingOf(name) == codingNone {
			return fmt.Errorf("httpx: compressor: unknown coding %.64q", name)
		}
	}
	return (&codec.Deflater{Format: codec.Gzip, Level: c.Level}).Check()
}

func (c *Compressor) codings() []string {
	if c.Codings == nil {
		return []string{"zstd", "gzip", "deflate"}
	}
	return c.Codings
}

// HandleRead notes what the client accepts and passes on.
func (c *Compressor) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		c.offers.push(c.offerOf(m))
	case *FullRequest:
		c.offers.push(c.offerOf(&m.Request))
	}
	ctx.FireRead(msg)
	return nil
}

func (c *Compressor) offerOf(r *Request) (o offer) {
	if r.Version < Version11 {
		return 0 // it could not tell where the body ends
	}
	name, _ := PreferEncoding(&r.Header, c.codings()...)
	o = offer(codingOf(name))
	if r.Method == MethodHead {
		o |= offerHead
	}
	if r.Method == MethodConnect {
		o |= offerTunnel
	}
	return o
}

// HandleWrite changes answers; other messages pass. What is written behind a file that is not sent yet waits for it.
func (c *Compressor) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	if len(c.queue) > 0 {
		return c.enqueue(msg, p)
	}
	return c.write(ctx, msg, p)
}

func (c *Compressor) write(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch m := msg.(type) {
	case *FullResponse:
		return c.full(ctx, m, p)
	case *Content:
		if c.active {
			return c.piece(ctx, m, p)
		}
	case *Response:
		return c.head(ctx, m, p)
	case *pipeline.FileRegion:
		if c.active {
			c.transfer(&transfer{file: m, p: p})
			return nil
		}
	}
	return ctx.Forward(msg, p)
}

// pass forwards an answer and, when that is not refused, forgets its request: a refused answer gets another.
func (c *Compressor) pass(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	err := ctx.Forward(msg, p)
	if err == nil {
		c.offers.pop()
	}
	return err
}

// full compresses a whole answer.
func (c *Compressor) full(ctx *pipeline.Context, r *FullResponse, p *pipeline.Promise) error {
	if r.Interim() {
		return ctx.Forward(r, p)
	}
	offer, octets := c.offers.peek(), int64(r.BodyLen())
	if octets == 0 && offer.has(offerHead) {
		octets = max(announced(&r.Response), 0) // what GET would get
	}
	v, s := c.judge(&r.Response, octets, offer)
	if v == leaveAlone {
		return c.pass(ctx, r, p)
	}
	if own := r.unshared(); own != r {
		r, s = own, survey{}
		s.look(&r.Header)
	}
	var err error
	switch {
	case v == varies:
		err = s.addVary(&r.Header)
	case offer.has(offerHead):
		r.Header.Del("content-length")
		r.dropBody()
		s = survey{} // it shows octets of the header
		s.look(&r.Header)
		err = s.encode(&r.Header, offer.coding())
	case octets > mostAtOnce:
		return c.transferFull(ctx, r, &s, p)
	default:
		err = c.encodeFull(ctx, r, &s, offer.coding())
	}
	if err != nil {
		r.Release()
		return err
	}
	return c.pass(ctx, r, p)
}

// announced returns the Content-Length of an answer, -1 when it has none.
func announced(r *Response) int64 {
	if n, ok := parseLength(r.Header.Get("content-length")); ok {
		return n
	}
	return -1
}

// encodeFull replaces the body of r by its encoded form, unless that is not smaller.
func (c *Compressor) encodeFull(ctx *pipeline.Context, r *FullResponse, s *survey, to coding) error {
	c.coder.begin(to, orDefault(c.Level, 1), ctx.Loop().Pool())
	err := c.coder.writeBody(ctx, &r.wholeBody, 0, r.BodyLen())
	if err = errors.Join(err, c.coder.close()); err != nil {
		c.coder.reset()
		return err
	}
	out := c.coder.take()
	defer ctx.Release(out)
	if out.Len() >= r.BodyLen() {
		return s.addVary(&r.Header)
	}
	if err := s.encode(&r.Header, to); err != nil {
		return err
	}
	r.SetBodySlice(out.Slice(0, out.Len()))
	if r.Header.Del("content-length") == 0 {
		return nil // the encoder adds it
	}
	return r.Header.AddInt("content-length", int64(out.Len()))
}

// writeBody compresses n octets of b from off on.
func (c *coder) writeBody(ctx *pipeline.Context, b *wholeBody, off, n int) error {
	switch {
	case b.text != "":
		scratch := ctx.Alloc(n)
		defer ctx.Release(scratch)
		scratch.AppendString(b.text[off : off+n])
		return c.write(scratch.Bytes())
	case b.plain != nil:
		return c.write(b.plain[off : off+n])
	}
	return c.write(b.slice.Bytes()[off : off+n])
}

// head begins an answer in pieces.
func (c *Compressor) head(ctx *pipeline.Context, r *Response, p *pipeline.Promise) error {
	if r.Interim() {
		return ctx.Forward(r, p)
	}
	c.stop()
	offer := c.offers.peek()
	v, s := c.judge(r, announced(r), offer)
	if v == leaveAlone {
		return c.pass(ctx, r, p)
	}
	if own := r.unshared(); own != r {
		r, s = own, survey{}
		s.look(&r.Header)
	}
	var err error
	if v == varies {
		err = s.addVary(&r.Header)
	} else {
		r.Header.Del("content-length") // s shows octets of the header
		s = survey{}
		s.look(&r.Header)
		err = s.encode(&r.Header, offer.coding())
	}
	if err != nil {
		r.Release()
		return err
	}
	if err = c.pass(ctx, r, p); err == nil && v == compress && !offer.has(offerHead) {
		c.active = true
		c.coder.begin(offer.coding(), orDefault(c.Level, 1), ctx.Loop().Pool())
	}
	return err
}

// codedAhead is how many encoded octets are passed on before the end of a batch, so that they count against the
// watermark.
const codedAhead = 16 << 10

// piece compresses a piece of a body.
func (c *Compressor) piece(ctx *pipeline.Context, m *Content, p *pipeline.Promise) error {
	err := c.broken
	if err == nil {
		err = c.coder.write(m.Bytes())
	}
	last, trailer := m.Last, m.Trailer
	m.Release()
	if err != nil {
		return err
	}
	switch {
	case last:
		return c.finish(ctx, trailer, p)
	case p != nil:
		return c.flush(ctx, p)
	case c.coder.pending() >= codedAhead:
		return c.emit(ctx, nil)
	}
	return nil
}

// finish ends a body.
func (c *Compressor) finish(ctx *pipeline.Context, trailer *Header, p *pipeline.Promise) error {
	c.active = false
	if err := c.coder.close(); err != nil {
		c.coder.reset()
		return err
	}
	m := newPiece(buffer.Slice{}, true)
	m.Trailer = trailer
	if out := c.coder.take(); out != nil {
		m.Data = out.ReadSlice(out.Len())
		ctx.Release(out)
	}
	return ctx.Forward(m, p)
}

// flush sends what was written so far.
func (c *Compressor) flush(ctx *pipeline.Context, p *pipeline.Promise) error {
	if err := c.coder.flush(); err != nil {
		c.broken = err
		return err
	}
	return c.emit(ctx, p)
}

// emit sends what is finished. When it is refused a part of the body is lost, and nothing can be sent behind it.
func (c *Compressor) emit(ctx *pipeline.Context, p *pipeline.Promise) error {
	out := c.coder.take()
	if out == nil {
		if p == nil {
			return nil
		}
		out = ctx.Alloc(0)
	}
	m := NewContent(out.ReadSlice(out.Len()))
	ctx.Release(out)
	err := ctx.Forward(m, p)
	if err != nil {
		c.broken = err
	}
	return err
}

// stop forgets a body in pieces that did not end.
func (c *Compressor) stop() {
	if c.active {
		c.active = false
		c.coder.reset()
	}
	c.broken = nil
}

// HandleFlush sends what was written in this batch, then passes on.
func (c *Compressor) HandleFlush(ctx *pipeline.Context) error {
	c.flushBatch(ctx)
	ctx.Flush()
	return nil
}

func (c *Compressor) flushBatch(ctx *pipeline.Context) {
	if !c.active || c.broken != nil || !c.coder.dirty {
		return
	}
	if err := c.flush(ctx, nil); err != nil && ctx.Channel().IsOpen() {
		ctx.FireError(err)
	}
}
