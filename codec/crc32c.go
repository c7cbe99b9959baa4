package codec

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// CRC32C ends each outbound frame with the CRC-32C (Castagnoli) of its bytes, in four bytes, and verifies and takes
// off those of each inbound frame. It stands behind the codec that knows where a frame ends:
//
//	codec.NewDecoder(&codec.LengthField{Strip: 4}), codec.NewEncoder[any](codec.LengthPrefix{}), &codec.CRC32C{}
//
// A frame is one *buffer.Buffer or *buffer.Composite; other messages pass. Frames of up to 256 bytes are copied, larger
// ones travel by reference. An outbound rope for which TrackCRC32C was called when it was begun is not looked at
// again; as its sum counts what was consumed, too, nothing may have been consumed from it.
//
// A frame that is too short or has another sum is dropped, with a *ChecksumError as inbound error; when a handler
// takes that, the next frame is verified as if nothing had happened.
//
// It has no state: one value may serve many channels. Its methods are for the event loop only.
type CRC32C struct {
	// LittleEndian: the least significant byte of the sum comes first, as in iSCSI, RFC 3720, 12.1.
	LittleEndian bool
}

const (
	crcBytes   = 4
	crcCopying = 256 // up to this size copying a frame costs less than a rope
)

// castagnoli is the polynomial of RFC 3720, 12.1.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var (
	_ pipeline.ReadHandler  = (*CRC32C)(nil)
	_ pipeline.WriteHandler = (*CRC32C)(nil)
)

// ChecksumError says that the checksum of an inbound frame is not that of its bytes. It matches ErrCorrupted.
type ChecksumError struct {
	Codec     string
	Got, Want uint32 // what came with the frame, and what its bytes give
	Short     bool   // the frame has no room for a checksum
}

// Error implements error.
func (e *ChecksumError) Error() string {
	if e.Short {
		return fmt.Sprintf("codec: %s: frame too short for a checksum", e.Codec)
	}
	return fmt.Sprintf("codec: %s: checksum %08x, frame has %08x", e.Codec, e.Got, e.Want)
}

// Is matches ErrCorrupted.
func (e *ChecksumError) Is(target error) bool { return target == ErrCorrupted }

// HandleRead verifies a frame and passes it on without its checksum.
func (h *CRC32C) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *buffer.Buffer:
		return h.verify(ctx, m)
	case *buffer.Composite:
		return h.verifyRope(ctx, m)
	default:
		ctx.FireRead(msg)
		return nil
	}
}

func (h *CRC32C) verify(ctx *pipeline.Context, m *buffer.Buffer) error {
	b := m.Bytes()
	n := len(b) - crcBytes
	if n < 0 {
		ctx.Release(m)
		return &ChecksumError{Codec: h.String(), Short: true}
	}
	got, want := h.sum(b[n:]), crc32.Checksum(b[:n], castagnoli)
	if got != want {
		ctx.Release(m)
		return &ChecksumError{Codec: h.String(), Got: got, Want: want}
	}
	m = unshared(m) // who else holds the frame sees all of it
	m.Truncate(n)
	ctx.FireRead(m)
	return nil
}

func (h *CRC32C) verifyRope(ctx *pipeline.Context, m *buffer.Composite) error {
	rope := buffer.NewComposite()
	defer rope.Release()
	rope.AppendComposite(m) // moves the parts, or leaves them to those who hold m, too
	n := rope.Len() - crcBytes
	if n < 0 {
		return &ChecksumError{Codec: h.String(), Short: true}
	}
	frame := rope.Split(n)
	if got, want := h.sum(rope.Peek(crcBytes)), frame.CRC32C(); got != want {
		frame.Release()
		return &ChecksumError{Codec: h.String(), Got: got, Want: want}
	}
	ctx.FireRead(frame)
	return nil
}

func (h *CRC32C) sum(p []byte) uint32 {
	if h.LittleEndian {
		return binary.LittleEndian.Uint32(p)
	}
	return binary.BigEndian.Uint32(p)
}

// HandleWrite appends the checksum to a frame.
func (h *CRC32C) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch m := msg.(type) {
	case *buffer.Buffer:
		return ctx.Forward(h.end(ctx, m), p)
	case *buffer.Composite:
		sum := m.CRC32C()
		rope := buffer.NewComposite()
		rope.AppendComposite(m)
		rope.Append(h.trailer(ctx, sum))
		return ctx.Forward(rope, p)
	default:
		return ctx.Forward(msg, p)
	}
}

// end is m with its checksum. It takes m.
func (h *CRC32C) end(ctx *pipeline.Context, m *buffer.Buffer) any {
	sum := crc32.Checksum(m.Bytes(), castagnoli)
	switch n := m.Len(); {
	case m.Room() >= crcBytes && m.Unique():
		h.appendSum(m, sum)
		return m
	case n <= crcCopying:
		whole := ctx.Alloc(n + crcBytes)
		whole.Append(m.Bytes())
		h.appendSum(whole, sum)
		ctx.Release(m)
		return whole
	}
	rope := buffer.NewComposite()
	rope.Append(m)
	rope.Append(h.trailer(ctx, sum))
	return rope
}

func (h *CRC32C) trailer(ctx *pipeline.Context, sum uint32) *buffer.Buffer {
	b := ctx.Alloc(crcBytes)
	h.appendSum(b, sum)
	return b
}

func (h *CRC32C) appendSum(b *buffer.Buffer, sum uint32) {
	if h.LittleEndian {
		b.AppendUint32LE(sum)
	} else {
		b.AppendUint32(sum)
	}
}

// String is the handler's name in errors.
func (h *CRC32C) String() string { return "crc32c" }
