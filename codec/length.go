package codec

import (
	"encoding/binary"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// readLength reads an unsigned number that fills field. ok is false for a width that does not exist.
func readLength(field []byte, littleEndian bool) (v uint64, ok bool) {
	if littleEndian {
		switch len(field) {
		case 1:
			return uint64(field[0]), true
		case 2:
			return uint64(binary.LittleEndian.Uint16(field)), true
		case 3:
			return uint64(field[0]) | uint64(field[1])<<8 | uint64(field[2])<<16, true
		case 4:
			return uint64(binary.LittleEndian.Uint32(field)), true
		case 8:
			return binary.LittleEndian.Uint64(field), true
		}
		return 0, false
	}
	switch len(field) {
	case 1:
		return uint64(field[0]), true
	case 2:
		return uint64(binary.BigEndian.Uint16(field)), true
	case 3:
		return uint64(field[0])<<16 | uint64(field[1])<<8 | uint64(field[2]), true
	case 4:
		return uint64(binary.BigEndian.Uint32(field)), true
	case 8:
		return binary.BigEndian.Uint64(field), true
	}
	return 0, false
}

// appendLength appends v in width bytes, into which it must fit.
func appendLength(out *buffer.Writer, v uint64, width int, littleEndian bool) {
	switch {
	case width == 1:
		out.AppendByte(byte(v))
	case width == 2 && littleEndian:
		out.AppendUint16LE(uint16(v))
	case width == 2:
		out.AppendUint16(uint16(v))
	case width == 3 && littleEndian:
		out.AppendUint24LE(uint32(v))
	case width == 3:
		out.AppendUint24(uint32(v))
	case width == 4 && littleEndian:
		out.AppendUint32LE(uint32(v))
	case width == 4:
		out.AppendUint32(uint32(v))
	case littleEndian:
		out.AppendUint64LE(v)
	default:
		out.AppendUint64(v)
	}
}

// fitsLength reports whether v can be written in width bytes.
func fitsLength(v uint64, width int) bool { return width == 8 || v>>(8*width) == 0 }
