//go:build bufdebug

package buffer

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// releasedHere is a function to be found in the stacks of panics.
func releasedHere(b *Buffer) { b.Release() }

func takenHere(p *Pool) *Buffer { return p.Get(1000) }

func TestCore43ReadAfterReleaseIsDiagnosed(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 1"})
	accesses := map[string]func(b *Buffer){
		"Bytes":     func(b *Buffer) { b.Bytes() },
		"Len":       func(b *Buffer) { b.Len() },
		"Next":      func(b *Buffer) { b.Next(0) },
		"Peek":      func(b *Buffer) { b.Peek(0) },
		"Skip":      func(b *Buffer) { b.Skip(0) },
		"Truncate":  func(b *Buffer) { b.Truncate(0) },
		"reset":     (*Buffer).Reset,
		"ReadUint8": func(b *Buffer) { b.ReadUint8() },
		"Retain":    (*Buffer).Retain,
		"Unique":    func(b *Buffer) { b.Unique() },
		"Slice":     func(b *Buffer) { b.Slice(0, 0) },
		"append":    func(b *Buffer) { b.AppendByte(1) },
		"Grow":      func(b *Buffer) { b.Grow(1) },
		"Commit":    func(b *Buffer) { b.Commit(0) },
		"patch":     func(b *Buffer) { b.PatchUint8(0, 1) },
		"Touch":     func(b *Buffer) { b.Touch("late") },
		"Put":       func(b *Buffer) { p.Put(b) },
		"Release":   func(b *Buffer) { b.Release() },
	}
	for name, access := range accesses {
		t.Run(name, func(t *testing.T) {
			b := takenHere(p)
			b.Append(digits(1000))
			b.Touch("decoded")
			b.Retain()
			b.Release()
			releasedHere(b)
			text := panicText(t, func() { access(b) })
			require.Regexp(t, "buffer: (used after release|released twice|retained after release)", text)
			require.Contains(t, text, `pool "loop 1"`)
			require.Contains(t, text, "taken at\n")
			require.Contains(t, text, "released at\n")
			require.Contains(t, text, "touched: decoded")
			require.NotContains(t, text, "0123456789", "never the payload")
		})
	}
}

func TestStalePointersStayDetectedAfterTheMemoryWasReused(t *testing.T) {
	p := NewPool(PoolConfig{})
	stale := p.Get(1000)
	array := &stale.data[0]
	p.Put(stale)
	fresh := p.Get(1000)
	require.Same(t, array, &fresh.data[0], "same memory")
	require.NotSame(t, stale, fresh, "new life, new header")
	require.Contains(t, panicText(t, func() { stale.Bytes() }), "used after release")
	require.Contains(t, panicText(t, stale.Release), "released twice")
	require.True(t, fresh.Unique(), "the new owner is not harmed")
	p.Put(fresh)
}

func TestFreedMemoryIsPoisoned(t *testing.T) {
	p := NewPool(PoolConfig{})
	for name, release := range map[string]func(b *Buffer){"Put": p.Put, "Release": (*Buffer).Release} {
		t.Run(name, func(t *testing.T) {
			b := p.Get(1000)
			b.Append(digits(1000))
			alias := b.Bytes()
			release(b)
			require.Equal(t, bytes.Repeat([]byte{poisonByte}, 1000), alias)
		})
	}
}

func TestAdoptedMemoryIsNotPoisoned(t *testing.T) {
	p := []byte("constant")
	Wrap(p).Release()
	require.Equal(t, "constant", string(p))
}

func TestWriteAfterReleaseIsFoundOnReuse(t *testing.T) {
	for _, at := range []int{0, 500, 1023} {
		p := NewPool(PoolConfig{Name: "loop 1"})
		b := p.Get(1024)
		alias := b.Reserve(1024)
		p.Put(b)
		alias[at] = 'x'
		text := panicText(t, func() { p.Get(1024) })
		require.Contains(t, text, "written after release")
		require.Contains(t, text, "0x78")
		require.Contains(t, text, "released at\n", "who freed it is the suspect")
	}
}

func TestSliceUsedAfterReleaseIsDiagnosed(t *testing.T) {
	p := NewPool(PoolConfig{})
	accesses := map[string]func(s Slice){
		"Slice.Bytes":   func(s Slice) { s.Bytes() },
		"Slice.Retain":  Slice.Retain,
		"Slice.Release": Slice.Release,
		"Slice.Sub":     func(s Slice) { s.Sub(0, 1) },
		"Slice.Buffer":  func(s Slice) { s.Buffer() },
	}
	for name, access := range accesses {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{10, 500} { // copied and referenced
				b := p.Get(1000)
				b.Append(digits(1000))
				s := b.Slice(0, n)
				b.Release()
				s.Release()
				p.Put(p.Get(1000)) // the memory lives again
				require.Contains(t, panicText(t, func() { access(s) }), "used after release")
			}
		})
	}
}

func TestSliceKnowsTheLifeThatItWasMadeIn(t *testing.T) {
	b := FromBytes(digits(1000))
	s := b.Slice(0, 500)
	b.life++ // as if the header had been reused
	require.Contains(t, panicText(t, func() { s.Bytes() }), "slice of an earlier life")
	b.life--
	s.Release()
	b.Release()
}

func TestViewOfReleasedMemoryIsDiagnosed(t *testing.T) {
	b := FromBytes(digits(1000))
	s := b.Slice(0, 500)
	v := s.Buffer()
	b.Release()
	s.Release()
	b.Release() // once too often: takes the view's reference
	require.Contains(t, panicText(t, func() { v.Bytes() }), "used after release")
}

func TestCompositeUsedAfterReleaseIsDiagnosed(t *testing.T) {
	accesses := map[string]func(c *Composite){
		"Len":             func(c *Composite) { c.Len() },
		"Peek":            func(c *Composite) { c.Peek(0) },
		"Skip":            func(c *Composite) { c.Skip(0) },
		"At":              func(c *Composite) { c.At(0) },
		"IndexByte":       func(c *Composite) { c.IndexByte(0) },
		"Split":           func(c *Composite) { c.Split(0) },
		"View":            func(c *Composite) { c.View() },
		"MoveTo":          func(c *Composite) { c.MoveTo(nil) },
		"Equal":           func(c *Composite) { c.Equal(ropeOf()) },
		"Compare":         func(c *Composite) { c.Compare(nil) },
		"Hash":            func(c *Composite) { c.Hash() },
		"JavaHash":        func(c *Composite) { c.JavaHash() },
		"CRC32C":          func(c *Composite) { c.CRC32C() },
		"TrackCRC32C":     (*Composite).TrackCRC32C,
		"Iovecs":          func(c *Composite) { c.Iovecs(nil) },
		"CopyTo":          func(c *Composite) { c.CopyTo(nil) },
		"Bytes":           func(c *Composite) { c.Bytes() },
		"Parts":           func(c *Composite) { c.Parts() },
		"Part":            func(c *Composite) { c.Part(0) },
		"RetainPart":      func(c *Composite) { c.RetainPart(0) },
		"AppendComposite": func(c *Composite) { c.AppendComposite(c) },
	}
	for name, access := range accesses {
		t.Run(name, func(t *testing.T) {
			c := ropeOf("ab", "cd")
			c.Release()
			NewComposite().Release() // no header is used again
			text := panicText(t, func() { access(c) })
			require.Contains(t, text, "buffer: composite used after release ("+name)
			require.Contains(t, text, "released at\n")
		})
	}
}

func TestCompositeWithAReleasedPartIsDiagnosed(t *testing.T) {
	c := NewComposite()
	b := FromString("ab")
	c.Append(b)
	b.Release() // the composite's reference
	require.Contains(t, panicText(t, func() { c.Peek(1) }), "used after release (Peek")
}

func TestOldArrayIsPoisonedWhenABufferGrows(t *testing.T) {
	b := FromString("abc")
	alias := b.Bytes()
	b.Grow(5000)
	require.Equal(t, []byte{poisonByte, poisonByte, poisonByte}, alias)
	b.Release()
}

func TestBoundPoolPanicsOnOtherGoroutines(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 1"})
	p.Put(p.Get(10)) // not bound yet
	p.Bind()
	b := p.Get(10)
	var texts [3]string
	var other sync.WaitGroup
	other.Go(func() {
		texts[0] = panicText(t, func() { p.Get(10) })
		texts[1] = panicText(t, func() { p.Put(b) })
		texts[2] = panicText(t, p.Trim)
		p.GetShared(10).Release() // these are allowed everywhere
		b.Release()
	})
	other.Wait()
	for i, method := range []string{"Get", "Put", "Trim"} {
		require.Contains(t, texts[i], method+` of pool "loop 1" on goroutine `)
	}
	require.Zero(t, p.Live())
	p.Trim()
}

func TestReadsPastTheEndHaveNumbers(t *testing.T) {
	b := FromString("abc")
	defer b.Release()
	require.Contains(t, panicText(t, func() { b.Next(4) }), "Next of 4 bytes, have 3")
	require.Contains(t, panicText(t, func() { b.Peek(-1) }), "Peek of -1 bytes, have 3")
}

func TestEveryMistakeOfRandomUseIsDetected(t *testing.T) {
	p := NewPool(PoolConfig{})
	for i := range 2000 {
		b := p.Get(300)
		b.Append(digits(300))
		s := b.Slice(0, 280)
		b.Release()
		s.Release()
		others := []*Buffer{p.Get(300), p.Get(300)}
		require.NotEmpty(t, panicText(t, func() {
			switch i % 4 {
			case 0:
				b.Bytes()
			case 1:
				s.Bytes()
			case 2:
				b.Release()
			case 3:
				s.Release()
			}
		}))
		for _, o := range others {
			p.Put(o)
		}
	}
	require.Zero(t, p.Live())
}
