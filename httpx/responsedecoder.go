package httpx

import (
	"errors"
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// ResponseDecoder cuts a server's octets into *Response and *Content. It works like RequestDecoder: linear, strict, and
// silent after an error or a last message. Behind 101 and behind 2xx to CONNECT it leaves the octets where they are.
//
// Call it on the event loop only.
type ResponseDecoder struct {
	config DecoderConfig
	state  *State
	step   decoderStep

	resp  *Response // head under construction
	lines lines
	body  body

	// Of the message whose body is being read:
	keepAlive, upgrade bool
}

// NewResponseDecoder returns a decoder for a new connection. state holds the requests that were sent, in order; nil is a
// decoder alone, to which each response answers an HTTP/1.1 GET that may ask for another protocol. Folded field lines are
// always unfolded (RFC 9112, 5.2).
func NewResponseDecoder(config DecoderConfig, state *State) *ResponseDecoder {
	config.Limits = config.Limits.filled()
	config.UnfoldLines = true
	return &ResponseDecoder{config: config, state: state}
}

// Decode returns the next message of in; ok is false when it needs more octets, or none at all. It consumes what it has
// used up; an unfinished head stays in the window, and the next call must begin with the same octets. Every message
// consumes at least one. The error is an *Error with Status 0, and the last message before it does not end. The caller must
// Release the result.
func (d *ResponseDecoder) Decode(in *buffer.Buffer) (m any, ok bool, err error) {
	switch d.step {
	case stepBody:
		m, ok, err = d.body.decode(in, &d.config)
		if d.body.step == bodyDone && err == nil {
			d.end()
		}
	case stepAnswer:
		return nil, false, nil
	case stepDiscard:
		in.Skip(in.Len())
		return nil, false, nil
	default:
		m, ok, err = d.head(in)
	}
	if err != nil {
		err = d.fail(in, err)
	}
	return m, ok, err
}

// DecodeEOF is Decode when the peer has sent its last octet: call it until ok is false. It ends a body that runs until
// the close; in the middle of any other message it returns an *Error. RFC 9112, 8.
func (d *ResponseDecoder) DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error) {
	m, ok, err = d.Decode(in)
	switch {
	case ok || err != nil:
		return m, ok, err
	case d.step == stepBody && d.body.step == bodyUntilClose:
		d.step = stepDiscard
		return EmptyLast, true, nil
	case d.step == stepStart && in.Len() == 0, d.step == stepAnswer, d.step == stepDiscard:
		return nil, false, nil
	}
	return nil, false, d.fail(in, refuse(0, prematureClose))
}

// head decodes up to the end of a head.
func (d *ResponseDecoder) head(in *buffer.Buffer) (m any, ok bool, err error) {
	b := in.Bytes()
	if d.step == stepStart {
		if len(b) == 0 {
			return nil, false, nil
		}
		if d.state != nil && d.state.n == 0 {
			return nil, false, refuse(0, "response without a request")
		}
		d.lines = lines{}
		d.resp = NewResponse(0)
		d.step = stepLine
	}
	if d.step == stepLine {
		end, status := d.lines.next(b, d.config.Limits.Line+len("\r\n"), d.config.AllowBareLF)
		if status == linePartial {
			return nil, false, nil
		}
		if status != lineWhole {
			return nil, false, lineError(status, 0, "status line too long")
		}
		if err = d.resp.parseLine(b[:end], &d.config); err != nil {
			return nil, false, err
		}
		d.lines.base = d.lines.at
		d.step = stepFields
	}
	if ok, err = d.lines.fields(b, &d.resp.Header, &d.config); !ok || err != nil {
		return nil, false, err
	}
	r := d.resp
	r.head.take(in, &d.lines, &r.Header)
	if err = r.frame(d.asked(), &d.config); err != nil {
		return nil, false, err
	}
	if d.state != nil {
		d.state.answer(r)
	}
	d.resp = nil
	d.keepAlive, d.upgrade = !r.Close, r.Upgrade
	in.Skip(d.lines.at)
	if r.Length == 0 {
		d.end()
		return r, true, nil
	}
	d.body.begin(r.Length)
	d.step = stepBody
	return r, true, nil
}

func (d *ResponseDecoder) asked() exchange {
	if d.state == nil {
		return exchangeKeepAlive | exchangeUpgrade
	}
	return d.state.peek()
}

// answer notes that the head of a response is decoded.
func (s *State) answer(r *Response) {
	s.oldPeer = r.Version < Version11
	if r.Interim() {
		return
	}
	s.pop()
	s.switched = r.Upgrade
	s.closing = s.closing || r.Close
}

// frame reads from a complete header where the body ends and whether the connection goes on. RFC 9112, 6.3 and 9.3.
func (r *Response) frame(asked exchange, c *DecoderConfig) (err error) {
	closes, keeps, _ := r.Header.connection()
	r.Close = closes || r.Version < Version11 && !keeps
	switch {
	case r.Interim():
		r.Close = false
		return nil
	case r.Status == statusSwitching && (!asked.has(exchangeUpgrade) || asked.has(exchangeConnect)):
		return refuse(0, "switching protocols without being asked")
	case r.Status == statusSwitching, asked.has(exchangeConnect) && r.Status/100 == 2:
		r.Upgrade = true
		return nil
	case asked.has(exchangeHead), r.Status == statusNoContent, r.Status == statusNotModified:
		return nil
	case r.Header.present&framingFields == 0:
		r.Length = LengthUntilClose
	default:
		var doubtful bool
		r.Length, doubtful, err = r.Header.bodyLength(r.Version, c)
		r.Close = r.Close || doubtful
	}
	r.Close = r.Close || r.Length == LengthUntilClose
	return err
}

// end decides what may follow a complete message.
func (d *ResponseDecoder) end() {
	switch {
	case d.upgrade:
		d.step = stepAnswer
	case !d.keepAlive:
		d.step = stepDiscard
	default:
		d.step = stepStart
	}
}

// fail ends decoding for good and returns err without a status, which is a server's to send.
func (d *ResponseDecoder) fail(in *buffer.Buffer, err error) error {
	d.step = stepDiscard
	in.Skip(in.Len())
	if d.resp != nil {
		d.resp.Release()
		d.resp = nil
	}
	var refused *Error
	if errors.As(err, &refused) && refused.Status != 0 {
		return refuse(0, refused.Reason)
	}
	return err
}

// Emits lists the messages for Pipeline.Check and Pipeline.String.
func (d *ResponseDecoder) Emits() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[*Response](), reflect.TypeFor[*Content]()}
}
