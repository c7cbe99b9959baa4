package websocket

import (
	"encoding/binary"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// This file is about heads of frames. What is wrong with one is said as soon as the octet is there that makes it wrong,
// so that the verdict does not depend on how the octets arrive.

// readHead takes a head when all of it is there, and reports whether it was.
func (d *Decoder) readHead(in *buffer.Buffer) (complete bool, err error) {
	b := in.Bytes()
	if len(b) == 0 {
		return false, nil
	}
	if d.limits.Frame == 0 {
		d.limits = d.Limits.filled()
	}
	h := header{op: opcode(b[0] & 0xf), fin: b[0]&bitFin != 0, rsv1: b[0]&bitRSV1 != 0}
	if err := d.checkKind(&h, b[0]); err != nil || len(b) < 2 {
		return false, err
	}
	h.masked = b[1]&bitMask != 0
	if err := d.checkLead(&h, b[1]&^bitMask); err != nil {
		return false, err
	}
	size := headSize(b)
	n := size
	if h.masked {
		n -= 4
	}
	if len(b) < n {
		return false, nil
	}
	if err := d.readLength(&h, b[1:n]); err != nil || len(b) < size {
		return false, err
	}
	if h.masked {
		h.key = mask(binary.LittleEndian.Uint32(b[n:]))
	}
	in.Skip(size)
	d.begin(h)
	return true, nil
}

// begin makes h the frame that is being read.
func (d *Decoder) begin(h header) {
	d.head, d.left = h, h.length
	if h.op.control() {
		d.phase = phaseControl
		return
	}
	d.phase = phaseData
	if h.op != opContinuation {
		d.msg.begin(Type(h.op), h.rsv1)
	}
	d.msg.fragments++
}

// checkKind judges the first octet: opcode, reserved bits, and what may follow what.
func (d *Decoder) checkKind(h *header, first byte) error {
	switch {
	case !h.op.known():
		return refuse(CodeProtocol, "reserved opcode")
	case first&bitsRSV&^bitRSV1 != 0, h.rsv1 && d.Deflate == nil:
		return refuse(CodeProtocol, "reserved bit without extension")
	case h.op.control() && !h.fin:
		return refuse(CodeProtocol, "fragmented control frame")
	case h.op.control() && h.rsv1:
		return refuse(CodeProtocol, "compressed control frame") // RFC 7692, 6.1
	case h.op.control():
		return nil
	case h.op == opContinuation && h.rsv1:
		return refuse(CodeProtocol, "rsv1 on a continuation") // RFC 7692, 6.1
	case h.op == opContinuation && !d.msg.open:
		return refuse(CodeProtocol, "continuation without start")
	case h.op != opContinuation && d.msg.open:
		return refuse(CodeProtocol, "data frame inside a fragmented message")
	case d.msg.fragments >= d.limits.Fragments && d.msg.open:
		return refuse(CodePolicy, "too many fragments")
	}
	return nil
}

// checkLead judges the second octet, of which lead is the length.
func (d *Decoder) checkLead(h *header, lead byte) error {
	switch {
	case h.masked && d.Client:
		return refuse(CodeProtocol, "masked server frame") // RFC 6455, 5.1
	case !h.masked && !d.Client:
		return refuse(CodeProtocol, "unmasked client frame")
	case h.op.control() && lead > maxControlBytes:
		return refuse(CodeProtocol, "control frame too long")
	}
	return nil
}

// readLength judges the length, which p holds.
func (d *Decoder) readLength(h *header, p []byte) error {
	lead := p[0] &^ bitMask
	h.length = uint64(lead)
	least := uint64(0)
	switch lead {
	case length16:
		h.length, least = uint64(binary.BigEndian.Uint16(p[1:])), length16
	case length64:
		h.length, least = binary.BigEndian.Uint64(p[1:]), 1<<16
	}
	switch {
	case h.length > 1<<63-1:
		return refuse(CodeProtocol, "64-bit length with top bit")
	case h.length < least && !d.AllowNonMinimal:
		return refuse(CodeProtocol, "length in more octets than needed")
	case h.op.control():
		return nil
	case h.length > uint64(d.limits.Frame):
		return refuse(CodeTooBig, "frame too big")
	case h.length > uint64(d.limits.Message-d.msg.len()):
		return refuse(CodeTooBig, "message too big")
	}
	return nil
}
