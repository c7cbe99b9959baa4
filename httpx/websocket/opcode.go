package websocket

// opcode is the kind of a frame. RFC 6455, 5.2 and 11.8.
type opcode uint8

const (
	opContinuation opcode = 0x0
	opText         opcode = 0x1
	opBinary       opcode = 0x2
	opClose        opcode = 0x8
	opPing         opcode = 0x9
	opPong         opcode = 0xa
)

// known reports whether the opcode is one of RFC 6455; all others are reserved.
func (o opcode) known() bool { return o <= opBinary || o >= opClose && o <= opPong }

// control reports whether the frame is about the connection and not about a message. RFC 6455, 5.5.
func (o opcode) control() bool { return o&0x8 != 0 }

// Type is the kind of a data message. RFC 6455, 5.6.
type Type uint8

// The kinds. The payload of a text message is UTF-8.
const (
	TypeText   = Type(opText)
	TypeBinary = Type(opBinary)
)

// String is the kind in one word.
func (t Type) String() string {
	switch t {
	case TypeText:
		return "text"
	case TypeBinary:
		return "binary"
	}
	return "unknown type"
}

// valid reports whether t is one of the two.
func (t Type) valid() bool { return t == TypeText || t == TypeBinary }
