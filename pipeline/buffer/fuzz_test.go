package buffer

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// script feeds a fuzz target's choices from its input; an empty one gives zeros.
type script []byte

func (s *script) next() int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b)
}

// upTo returns a choice from 0 to n, so that all of n can be reached.
func (s *script) upTo(n int) int { return (s.next() | s.next()<<8) % (n + 1) }

// payload returns n bytes that differ from place to place.
func (s *script) payload(n int) []byte {
	seed := byte(s.next())
	p := make([]byte, n)
	for i := range p {
		p[i] = seed + byte(i*7)
	}
	return p
}

// ropeModel is a Composite and the flat bytes that it must equal.
type ropeModel struct {
	t        *testing.T
	c        *Composite
	flat     []byte
	appended []byte // since tracking began
	tracking bool
}

func FuzzCompositeAgainstFlat(f *testing.F) {
	f.Add([]byte{0, 5, 0, 1, 3, 4, 2, 0, 9, 9, 8, 7})
	f.Fuzz(func(t *testing.T, input []byte) {
		before := SharedStats().Live
		m := &ropeModel{t: t, c: NewComposite()}
		s := script(input)
		for range 200 {
			if len(s) == 0 {
				break
			}
			m.step(&s)
			m.check()
		}
		m.c.Release()
		if live := SharedStats().Live; live != before {
			t.Fatalf("%d live buffers, %d before", live, before)
		}
	})
}

func (m *ropeModel) step(s *script) {
	switch s.next() % 12 {
	case 0, 1, 2:
		m.append(s)
	case 3:
		n := s.upTo(len(m.flat))
		m.c.Skip(n)
		m.flat = m.flat[n:]
	case 4:
		n := s.upTo(len(m.flat))
		m.equal("Next", m.c.Next(n), m.flat[:n])
		m.flat = m.flat[n:]
	case 5:
		n := s.upTo(len(m.flat))
		m.equal("Peek", m.c.Peek(n), m.flat[:n])
	case 6:
		m.number(s)
	case 7:
		m.split(s)
	case 8:
		p := make([]byte, s.upTo(300))
		n, _ := m.c.Read(p)
		m.equal("Read", p[:n], m.flat[:min(len(p), len(m.flat))])
		m.flat = m.flat[n:]
	case 9:
		m.rebuild()
	case 10:
		m.c.TrackCRC32C()
		if !m.tracking {
			m.tracking, m.appended = true, bytes.Clone(m.flat)
		}
	case 11:
		m.uvarint()
	}
}

// append adds bytes in one of the ways that a Composite takes them.
func (m *ropeModel) append(s *script) {
	p := s.payload(s.upTo(700))
	switch s.next() % 4 {
	case 0:
		m.c.Append(FromBytes(p))
	case 1:
		root := FromBytes(p)
		m.c.AppendSlice(root.Slice(0, len(p)))
		root.Release()
	case 2:
		o := NewComposite()
		cut := s.upTo(len(p))
		o.Append(FromBytes(p[:cut]))
		o.Append(FromBytes(p[cut:]))
		m.c.AppendComposite(o)
	case 3:
		m.c.Append(Wrap(p))
	}
	m.flat = append(m.flat[:len(m.flat):len(m.flat)], p...)
	m.appended = append(m.appended, p...)
}

func (m *ropeModel) number(s *script) {
	if len(m.flat) < 8 {
		return
	}
	var got, want uint64
	n := 0
	switch s.next() % 5 {
	case 0:
		n, got, want = 1, uint64(m.c.ReadUint8()), uint64(m.flat[0])
	case 1:
		n, got, want = 2, uint64(m.c.ReadUint16LE()), uint64(binary.LittleEndian.Uint16(m.flat))
	case 2:
		n, got, want = 3, uint64(m.c.ReadUint24()), uint64(binary.BigEndian.Uint32(m.flat))>>8
	case 3:
		n, got, want = 4, uint64(m.c.ReadUint32LE()), uint64(binary.LittleEndian.Uint32(m.flat))
	case 4:
		n, got, want = 8, m.c.ReadUint64(), binary.BigEndian.Uint64(m.flat)
	}
	if got != want {
		m.t.Fatalf("number of %d bytes: %#x, want %#x", n, got, want)
	}
	m.flat = m.flat[n:]
}

// split cuts the rope, checks both halves and goes on with one of them.
func (m *ropeModel) split(s *script) {
	n := s.upTo(len(m.flat))
	front := m.c.Split(n)
	m.equal("front of Split", front.Bytes(), m.flat[:n])
	if s.next()%2 == 0 || m.tracking {
		front.Release()
		m.flat = m.flat[n:]
		return
	}
	m.c.Release()
	m.c, m.flat = front, m.flat[:n]
}

// rebuild moves every part into a new composite by way of a view.
func (m *ropeModel) rebuild() {
	v := m.c.View()
	m.c.MoveTo(func(b *Buffer, _ []byte) { b.Release() })
	if m.c.Len() != 0 {
		m.t.Fatal("MoveTo left something")
	}
	m.c.Release()
	m.c, m.tracking = v, false
}

func (m *ropeModel) uvarint() {
	v, n := m.c.ReadUvarint()
	want, wantN := binary.Uvarint(m.flat)
	if n != wantN || n > 0 && v != want {
		m.t.Fatalf("uvarint %d of %d bytes, want %d of %d", v, n, want, wantN)
	}
	m.flat = m.flat[max(n, 0):]
}

// check compares everything that consumes nothing.
func (m *ropeModel) check() {
	t, c := m.t, m.c
	if c.Len() != len(m.flat) {
		t.Fatalf("%d bytes, want %d", c.Len(), len(m.flat))
	}
	m.equal("Bytes", c.Bytes(), m.flat)
	m.equal("Iovecs", bytes.Join(c.Iovecs(nil), nil), m.flat)
	if !c.EqualBytes(m.flat) || c.Compare(m.flat) != 0 {
		t.Fatal("not equal to its flat bytes")
	}
	if c.Hash() != Hash(m.flat) || c.JavaHash() != naiveJavaHash(m.flat) {
		t.Fatal("hashes differ from the flat ones")
	}
	want := m.flat
	if m.tracking {
		want = m.appended
	}
	if c.CRC32C() != sumOf(want) {
		t.Fatal("sums differ")
	}
	if n := len(m.flat); n > 0 {
		if c.At(n-1) != m.flat[n-1] || c.At(n/2) != m.flat[n/2] || c.IndexByte(m.flat[n/2]) != bytes.IndexByte(m.flat, m.flat[n/2]) {
			t.Fatal("single bytes differ")
		}
	}
}

func (m *ropeModel) equal(what string, got, want []byte) {
	m.t.Helper()
	if !bytes.Equal(got, want) {
		m.t.Fatalf("%s: %q, want %q", what, got, want)
	}
}

func FuzzWriterAgainstFlat(f *testing.F) {
	f.Add([]byte{9, 40, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, input []byte) {
		before := SharedStats().Live
		s := script(input)
		var w Writer
		for range 3 { // one Writer, several messages
			w.Reset(nil, s.upTo(300))
			m := &writerModel{t: t, w: &w, crcAt: -1}
			for range 60 {
				if len(s) == 0 {
					break
				}
				m.step(&s)
				m.check()
			}
			m.finish(&s)
		}
		if live := SharedStats().Live; live != before {
			t.Fatalf("%d live buffers, %d before", live, before)
		}
	})
}

// writerModel is a Writer and the flat message that it must give.
type writerModel struct {
	t        *testing.T
	w        *Writer
	flat     []byte
	writable []bool // written here and in no view, so that it may be patched
	crcAt    int    // -1: not tracking
	views    []*Composite
	viewed   [][]byte
}

func (m *writerModel) add(p []byte, writable bool) {
	m.flat = append(m.flat, p...)
	for range p {
		m.writable = append(m.writable, writable)
	}
}

func (m *writerModel) step(s *script) {
	switch s.next() % 8 {
	case 0:
		p := s.payload(s.upTo(600))
		m.w.Append(p)
		m.add(p, true)
	case 1:
		v := uint64(s.upTo(60000)) << (s.next() % 48)
		m.w.AppendUvarint(v)
		m.add(binary.AppendUvarint(nil, v), true)
	case 2:
		m.w.AppendUint32LE(0xdeadbeef)
		m.add([]byte{0xef, 0xbe, 0xad, 0xde}, true)
	case 3:
		p := s.payload(s.upTo(600))
		m.w.AppendRef(FromBytes(p))
		m.add(p, len(p) <= copyMax)
	case 4:
		p := s.payload(s.upTo(600))
		root := FromBytes(p)
		m.w.AppendSlice(root.Slice(0, len(p)))
		root.Release()
		m.add(p, len(p) <= copyMax)
	case 5:
		m.patch(s)
	case 6:
		m.views = append(m.views, m.w.View())
		m.viewed = append(m.viewed, bytes.Clone(m.flat))
		clear(m.writable)
	case 7:
		if m.crcAt < 0 {
			m.w.TrackCRC32C()
			m.crcAt = len(m.flat)
		}
	}
}

// patch overwrites a byte where that is allowed.
func (m *writerModel) patch(s *script) {
	at := s.upTo(len(m.flat))
	if at == len(m.flat) || !m.writable[at] || m.crcAt >= 0 && at >= m.crcAt {
		return
	}
	m.w.PatchUint8(at, 0xee)
	m.flat[at] = 0xee
}

func (m *writerModel) check() {
	if m.w.Len() != len(m.flat) {
		m.t.Fatalf("%d bytes, want %d", m.w.Len(), len(m.flat))
	}
	if m.crcAt >= 0 && m.w.CRC32C() != sumOf(m.flat[m.crcAt:]) {
		m.t.Fatal("sums differ")
	}
}

// finish takes or drops the message and checks that views were not touched by what came after them.
func (m *writerModel) finish(s *script) {
	if s.next()%4 == 0 {
		m.w.Discard()
	} else if got := flatten(m.t, m.w.Take()); got != string(m.flat) {
		m.t.Fatalf("message %q, want %q", got, m.flat)
	}
	for i, v := range m.views {
		if !v.EqualBytes(m.viewed[i]) {
			m.t.Fatalf("view %d changed", i)
		}
		v.Release()
	}
}
