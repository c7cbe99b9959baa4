package httpx

import "github.com/penstock-go/penstock/pipeline/buffer"

// RequestDecoder cuts a client's octets into *Request and *Content. It keeps its place between calls and never looks at
// an octet twice, so its work is linear in the octets however they are cut. Once it has returned an error, and behind a
// message after which the connection closes, it drops everything unread.
//
// Behind a request for another protocol (Upgrade or CONNECT) it waits: it goes on when the answer, encoded with the same
// State, refuses that, and leaves the octets where they are when the answer grants it.
//
// Call it on the event loop only.
type RequestDecoder struct {
	config DecoderConfig
	state  *State
	step   decoderStep
	blanks int // empty lines skipped in front of this message

	req   *Request // head under construction
	lines lines
	body  body

	// Of the message whose body is being read:
	keepAlive, upgrade bool
}

// decoderStep is what comes next.
type decoderStep uint8

const (
	stepStart   decoderStep = iota // empty lines, then the first octet of a message
	stepLine                       // start line
	stepFields                     // field lines
	stepBody                       // content and the end
	stepAnswer                     // nothing, until the request for another protocol has been answered
	stepDiscard                    // nothing any more
)

// NewRequestDecoder returns a decoder for a new connection. state is shared with the connection's ResponseEncoder; nil
// is a decoder alone, which never learns what was answered: it stops for good behind a request for another protocol.
func NewRequestDecoder(config DecoderConfig, state *State) *RequestDecoder {
	config.Limits = config.Limits.filled()
	return &RequestDecoder{config: config, state: state}
}

// Decode returns the next message of in; ok is false when it needs more octets, or none at all. It consumes what it has
// used up; an unfinished head stays in the window, and the next call must begin with the same octets. Every message
// consumes at least one. The error is an *Error, and the last message before it does not end. The caller must Release the
// result.
func (d *RequestDecoder) Decode(in *buffer.Buffer) (m any, ok bool, err error) {
	if d.held(in) || d.step == stepAnswer && !d.answered() {
		return nil, false, nil
	}
	switch d.step {
	case stepBody:
		m, ok, err = d.body.decode(in, &d.config)
		if d.body.step == bodyDone && err == nil {
			d.end()
			d.whole()
		}
	case stepDiscard:
		in.Skip(in.Len())
		return nil, false, nil
	default:
		m, ok, err = d.head(in)
	}
	if err != nil {
		d.fail(in)
	}
	return m, ok, err
}

// DecodeEOF is Decode when the peer has sent its last octet: call it until ok is false. In the middle of a message it
// returns an *Error with Status 0: an incomplete message is none. RFC 9112, 8.
func (d *RequestDecoder) DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error) {
	m, ok, err = d.Decode(in)
	if ok || err != nil {
		return m, ok, err
	}
	if d.between() {
		return nil, false, nil
	}
	d.fail(in)
	return nil, false, refuse(0, prematureClose)
}

// head decodes up to the end of a head.
func (d *RequestDecoder) head(in *buffer.Buffer) (m any, ok bool, err error) {
	if d.step == stepStart {
		if ok, err = d.start(in); !ok || err != nil {
			return nil, false, err
		}
	}
	b := in.Bytes()
	if d.step == stepLine && d.lines.seen == 0 {
		window := b[:min(len(b), d.config.Limits.Line+len("\r\n"))]
		if next := d.req.scanLine(window); next > 0 {
			d.lines = lines{at: next, seen: next, base: next}
			d.step = stepFields
		}
	}
	if d.step == stepLine {
		end, status := d.lines.next(b, d.config.Limits.Line+len("\r\n"), d.config.AllowBareLF)
		if status == linePartial {
			return nil, false, nil
		}
		if status != lineWhole {
			return nil, false, lineError(status, statusURITooLong, "request line too long")
		}
		if err = d.req.parseLine(b[:end], &d.config); err != nil {
			return nil, false, err
		}
		d.lines.base = d.lines.at
		d.step = stepFields
	}
	if ok, err = d.lines.fields(b, &d.req.Header, &d.config); !ok || err != nil {
		return nil, false, err
	}
	return d.finish(in)
}

// start skips empty lines and begins a head. RFC 9112, 2.2.
func (d *RequestDecoder) start(in *buffer.Buffer) (ok bool, err error) {
	if d.state != nil && d.state.over() {
		// RFC 9112, 9.6: nothing behind a close is processed.
		d.step = stepDiscard
		in.Skip(in.Len())
		return false, nil
	}
	ok, err = skipEmptyLines(in, &d.blanks, &d.config)
	if !ok || err != nil {
		return false, err
	}
	d.blanks = 0
	d.lines = lines{}
	d.req = newRequest()
	d.step = stepLine
	return true, nil
}

// skipEmptyLines consumes a few empty lines; ok tells that something else follows.
func skipEmptyLines(in *buffer.Buffer, skipped *int, c *DecoderConfig) (ok bool, err error) {
	for {
		b := in.Bytes()
		n := 0
		switch {
		case len(b) == 0 || len(b) == 1 && b[0] == '\r':
			return false, nil
		case b[0] == '\r' && b[1] == '\n':
			n = 2
		case b[0] == '\n' && c.AllowBareLF:
			n = 1
		default:
			return true, nil
		}
		if *skipped++; *skipped > c.Limits.BlankLines {
			return false, refuse(statusBadRequest, "too many empty lines")
		}
		in.Skip(n)
	}
}

// finish takes a complete head out of the window.
func (d *RequestDecoder) finish(in *buffer.Buffer) (m any, ok bool, err error) {
	r := d.req
	r.head.take(in, &d.lines, &r.Header)
	if err = r.frame(&d.config); err != nil {
		return nil, false, err
	}
	if d.state != nil {
		if d.state.n >= d.config.Limits.Pipelined {
			return nil, false, refuse(statusUnavailable, "too many pipelined requests")
		}
		r.KeepAlive = r.KeepAlive && !d.state.takesLast()
		d.state.push(exchangeOf(r))
		d.state.partial = r.Length != 0
	}
	d.req = nil
	d.keepAlive, d.upgrade = r.KeepAlive, r.Upgrade
	in.Skip(d.lines.at)
	if r.Length == 0 {
		d.end()
		return r, true, nil
	}
	d.body.begin(r.Length)
	d.step = stepBody
	return r, true, nil
}

// end decides what may follow a complete message.
func (d *RequestDecoder) end() {
	switch {
	case d.upgrade:
		d.step = stepAnswer
	case !d.keepAlive:
		d.step = stepDiscard
	default:
		d.step = stepStart
	}
}

// whole notes that the body has come to its end.
func (d *RequestDecoder) whole() {
	if d.state != nil && !d.state.stopped {
		d.state.partial = false
	}
}

// answered reports whether the decoder may go on behind a request for another protocol.
func (d *RequestDecoder) answered() bool {
	if d.state == nil || d.state.asked || d.state.switched {
		return false
	}
	d.upgrade = false
	d.end()
	return true
}

// held reports whether what follows a complete message has to wait for its answer, and says so when something does.
func (d *RequestDecoder) held(in *buffer.Buffer) bool {
	if d.state == nil || !d.state.hold || !d.between() {
		return false
	}
	if in.Len() > 0 {
		d.state.onHeld()
	}
	return true
}

// between reports whether no message is being decoded.
func (d *RequestDecoder) between() bool {
	return d.step == stepStart || d.step == stepAnswer || d.step == stepDiscard
}

// fail ends decoding for good.
func (d *RequestDecoder) fail(in *buffer.Buffer) {
	d.giveUp()
	in.Skip(in.Len())
}

// giveUp is fail for octets that are dropped when they come.
func (d *RequestDecoder) giveUp() {
	d.step = stepDiscard
	if d.req != nil {
		d.req.Release()
		d.req = nil
	}
}
