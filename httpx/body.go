package httpx

import (
	"math"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// body decodes what follows a head into *Content; the last one has Last. A body of no octets is not begun.
type body struct {
	step bodyStep
	left int64 // octets of the body, or of the chunk, that have not come yet

	lines    lines
	data     int64   // octets of chunk data announced so far
	ext      int64   // octets of chunk extensions so far
	trailers int     // trailer lines so far, dropped ones too
	trailer  *Header // those that are kept; nil = none
}

// bodyStep is what comes next.
type bodyStep uint8

const (
	bodyDone       bodyStep = iota
	bodyFixed               // left octets, one or more
	bodyUntilClose          // everything
	bodyChunkLine
	bodyChunkData
	bodyChunkEnd // CR LF behind the data
	bodyTrailer
)

// begin prepares for a body of that length, which is not 0.
func (d *body) begin(length int64) {
	switch length {
	case LengthChunked:
		*d = body{step: bodyChunkLine}
	case LengthUntilClose:
		d.step = bodyUntilClose
	default:
		d.step, d.left = bodyFixed, length
	}
}

// decode returns the next piece; the step is bodyDone when that was the last.
func (d *body) decode(in *buffer.Buffer, c *DecoderConfig) (m any, ok bool, err error) {
	for {
		switch d.step {
		case bodyFixed:
			m, ok = d.piece(in)
			return m, ok, nil
		case bodyUntilClose:
			d.left = math.MaxInt64
			m, ok = d.piece(in)
			return m, ok, nil
		case bodyChunkData:
			if m, ok = d.piece(in); d.left == 0 {
				d.step = bodyChunkEnd
			}
			return m, ok, nil
		case bodyChunkEnd:
			ok, err = d.chunkEnd(in)
		case bodyChunkLine:
			ok, err = d.chunkLine(in, c)
		case bodyTrailer:
			if ok, err = d.trailerLine(in, c); ok && d.step == bodyDone {
				return d.last(), true, nil
			}
		case bodyDone:
			return nil, false, nil
		}
		if !ok || err != nil {
			return nil, false, err
		}
	}
}

// piece takes what has arrived of a body without chunks, or of chunk data.
func (d *body) piece(in *buffer.Buffer) (m any, ok bool) {
	n := in.Len()
	if n == 0 {
		return nil, false
	}
	if int64(n) > d.left {
		n = int(d.left)
	}
	d.left -= int64(n)
	last := d.left == 0 && d.step == bodyFixed
	if last {
		d.step = bodyDone
	}
	return newPiece(in.ReadSlice(n), last), true
}

// chunkEnd consumes the CR LF behind chunk data: exactly there, exactly those. RFC 9112, 7.1.
func (d *body) chunkEnd(in *buffer.Buffer) (ok bool, err error) {
	b := in.Bytes()
	if len(b) == 0 || len(b) == 1 && b[0] == '\r' {
		return false, nil
	}
	if b[0] != '\r' || b[1] != '\n' {
		return false, refuse(statusBadRequest, "chunk data not followed by CRLF")
	}
	in.Skip(len("\r\n"))
	d.step = bodyChunkLine
	return true, nil
}

// chunkLine consumes the line in front of chunk data.
func (d *body) chunkLine(in *buffer.Buffer, c *DecoderConfig) (ok bool, err error) {
	b := in.Bytes()
	end, status := d.lines.next(b, c.Limits.ChunkDigits+c.Limits.ChunkExt+len("\r\n"), false)
	switch status {
	case lineWhole:
	case linePartial:
		return false, nil
	case lineTooLong:
		return false, refuse(statusBadRequest, "chunk line too long")
	case lineBareLF:
		return false, refuse(statusBadRequest, "bare LF in chunk line")
	}
	l, err := parseChunkLine(b[:end], c)
	if err != nil {
		return false, err
	}
	if d.data > math.MaxInt64-l.size {
		return false, refuse(statusBadRequest, "bad chunk size")
	}
	d.data += l.size
	if d.ext += int64(l.ext); d.ext > d.extBudget(c) {
		return false, refuse(statusBadRequest, "chunk extensions too large")
	}
	d.consume(in)
	d.left, d.step = l.size, bodyChunkData
	if l.size == 0 {
		d.step = bodyTrailer
		d.lines.base = 0
	}
	return true, nil
}

// extBudget returns how many octets of extensions the body may have had by now. The size of the data alone does not
// show the cost: chunks of one octet can each carry kilobytes of extensions.
func (d *body) extBudget(c *DecoderConfig) int64 {
	perByte := int64(c.Limits.ChunkExtPerByte)
	if d.data > (math.MaxInt64-int64(c.Limits.ChunkExt))/perByte {
		return math.MaxInt64
	}
	return int64(c.Limits.ChunkExt) + d.data*perByte
}

// consume drops the line that lines.next found, so that the next one begins the window.
func (d *body) consume(in *buffer.Buffer) {
	in.Skip(d.lines.at)
	d.lines.base -= d.lines.at
	d.lines.at, d.lines.seen = 0, 0
}

// trailerLine consumes one line of the trailer section; the empty one ends the message. base is where the section
// began, so it falls below zero as lines are consumed. RFC 9112, 7.1.2.
func (d *body) trailerLine(in *buffer.Buffer, c *DecoderConfig) (ok bool, err error) {
	b := in.Bytes()
	end, status := d.lines.next(b, d.lines.base+c.Limits.Head+len("\r\n"), false)
	switch {
	case status == linePartial:
		return false, nil
	case status != lineWhole:
		return false, lineError(status, statusHeadTooLarge, "trailers too large")
	case end == 0:
		d.consume(in)
		d.step = bodyDone
		return true, nil
	case d.trailers == c.Limits.Fields:
		return false, refuse(statusHeadTooLarge, "too many fields")
	}
	d.trailers++
	if err := d.keepTrailer(b[:end], c); err != nil {
		return false, err
	}
	d.consume(in)
	return true, nil
}

// keepTrailer copies a trailer line unless it may not be there. RFC 9110, 6.5.1.
func (d *body) keepTrailer(line []byte, c *DecoderConfig) error {
	colon, from, to, err := splitField(line)
	if err != nil {
		return err
	}
	name := line[:colon]
	if trailerName(name) != fieldOther {
		if c.RefuseForbiddenTrailers {
			return refuse(statusBadRequest, "forbidden trailer")
		}
		return nil
	}
	if d.trailer == nil {
		d.trailer = new(Header)
	}
	appendField(d.trailer, name, line[from:to], fieldOther)
	return nil
}

// last returns the end of a chunked body.
func (d *body) last() *Content {
	if d.trailer == nil {
		return EmptyLast
	}
	c := newPiece(buffer.Slice{}, true)
	c.Trailer, d.trailer = d.trailer, nil
	return c
}
