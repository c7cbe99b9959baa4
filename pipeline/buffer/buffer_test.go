package buffer

import (
	"bytes"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore43ReleaseTwicePanics(t *testing.T) {
	tests := []struct {
		name   string
		get    func() *Buffer
		origin string
	}{
		{"loop pool", func() *Buffer { return NewPool(PoolConfig{Name: "loop 1"}).Get(1000) }, "class 1024"},
		{"shared pool", func() *Buffer { return Get(1000) }, "class 1024, shared pool"},
		{"unpooled", func() *Buffer { return Get(2 << 20) }, "unpooled memory, shared pool"},
		{"wrapped", func() *Buffer { return Wrap([]byte("x")) }, "wrapped memory, shared pool"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.get()
			b.Retain()
			b.Release()
			require.True(t, b.Unique())
			b.Release()
			text := panicText(t, b.Release)
			require.Contains(t, text, "buffer: released twice (")
			require.Contains(t, text, tt.origin)
			require.Contains(t, panicText(t, b.Release), "released twice", "a panic does not mend it")
		})
	}
}

func TestCore43MemoryIsBackAfterTheLastRelease(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 1"})
	b := p.Get(1000)
	array := b.Reserve(1)
	b.Retain()
	b.Release()
	require.Equal(t, 1, p.Live())
	require.Zero(t, p.Stats().HeldBytes)
	b.Release()
	require.Zero(t, p.Live())
	require.Equal(t, 1024, p.Stats().HeldBytes)
	again := p.Get(1000)
	require.Same(t, &array[0], &again.Reserve(1)[0], "the same array serves the next request")
	again.Release()
}

func TestCore43PanicNamesTheLoopPool(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 1"})
	b := p.Get(100)
	p.Put(b)
	require.Contains(t, panicText(t, b.Release), `class 128, pool "loop 1"`)
	require.Contains(t, panicText(t, func() { p.Put(b) }), "released twice")
}

func TestRetainAfterReleasePanics(t *testing.T) {
	p := NewPool(PoolConfig{})
	b := p.Get(10)
	b.Release()
	panicText(t, b.Retain)
	require.Zero(t, p.Live())
}

func TestBufferWindowMoves(t *testing.T) {
	leakCheck(t)
	b := FromString("hello, world")
	require.Equal(t, 12, b.Len())
	require.Equal(t, 64, b.Cap())
	require.Equal(t, 52, b.Room())
	require.Equal(t, "hello", string(b.Peek(5)))
	require.Equal(t, "hello", string(b.Next(5)))
	b.Skip(2)
	require.Equal(t, "world", string(b.Bytes()))
	require.Equal(t, 3, b.IndexByte('l'))
	require.Equal(t, -1, b.IndexByte('h'), "consumed bytes are not found")
	b.Truncate(3)
	require.Equal(t, "wor", string(b.Bytes()))
	require.Equal(t, 54, b.Room(), "dropped bytes are room again")
	b.Reset()
	require.Zero(t, b.Len())
	require.Equal(t, 64, b.Room())
	b.Release()
}

func TestBufferAcceptsTheWholeWindow(t *testing.T) {
	leakCheck(t)
	b := FromString("abc")
	require.Equal(t, "abc", string(b.Peek(3)))
	b.Truncate(3)
	require.Equal(t, "abc", string(b.Next(3)))
	require.Empty(t, b.Next(0))
	require.Empty(t, b.Peek(0))
	b.Skip(0)
	b.Truncate(0)
	b.Release()
}

func TestBufferReadsPastTheEndPanic(t *testing.T) {
	leakCheck(t)
	b := FromString("abc")
	defer b.Release()
	tests := map[string]func(n int){
		"Next":     func(n int) { b.Next(n) },
		"Peek":     func(n int) { b.Peek(n) },
		"Skip":     b.Skip,
		"Truncate": b.Truncate,
	}
	for name, read := range tests {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{4, 64, math.MaxInt, -1} {
				require.Contains(t, panicText(t, func() { read(n) }), pastEnd)
			}
			require.Equal(t, "abc", string(b.Bytes()), "nothing was consumed")
		})
	}
}

func TestWrapAdoptsWithoutCopying(t *testing.T) {
	leakCheck(t)
	p := []byte("abc")
	b := Wrap(p)
	require.Same(t, &p[0], &b.Bytes()[0])
	require.Zero(t, b.Room())
	b.Skip(1)
	b.AppendString("def")
	require.Equal(t, "bcdef", string(b.Bytes()))
	require.Equal(t, "abc", string(p), "appending left the adopted bytes alone")
	b.Release()
	require.Equal(t, "abc", string(p), "releasing did, too")
}

func TestWrapDoesNotWriteBehindTheSlice(t *testing.T) {
	leakCheck(t)
	p := []byte("abcdef")
	b := Wrap(p[:3])
	b.AppendByte('x')
	require.Equal(t, "abcx", string(b.Bytes()))
	require.Equal(t, "abcdef", string(p))
	b.Release()
}

func TestFromBytesCopies(t *testing.T) {
	leakCheck(t)
	p := []byte("abc")
	b := FromBytes(p)
	p[0] = 'x'
	require.Equal(t, "abc", string(b.Bytes()))
	require.True(t, b.Unique())
	b.Release()
	empty := FromBytes(nil)
	require.Zero(t, empty.Len())
	empty.Release()
}

func TestSharedBuffersRefuseChangesInPlace(t *testing.T) {
	leakCheck(t)
	b := FromString("abc")
	b.Retain()
	require.False(t, b.Unique())
	tests := map[string]func(){
		"reset":        b.Reset,
		"patch":        func() { b.PatchUint8(0, 1) },
		"patch bytes":  func() { b.PatchBytes(0, []byte("x")) },
		"grow":         func() { b.Grow(1000) },
		"growing":      func() { b.Append(make([]byte, 1000)) },
		"reserve more": func() { b.Reserve(1000) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, panicText(t, change), "of shared bytes")
			require.Equal(t, "abc", string(b.Bytes()))
		})
	}
	b.AppendString("def") // into the room behind what others see
	require.Equal(t, "abcdef", string(b.Bytes()))
	b.Release()
	b.Release()
}

func TestStringTellsLengthsAndNeverThePayload(t *testing.T) {
	p := NewPool(PoolConfig{Name: "loop 3"})
	b := p.Get(200)
	b.AppendString("secret")
	require.Equal(t, `buffer 6/256 bytes, refs 1, class 256, pool "loop 3"`, b.String())
	p.Put(b)
	w := Wrap([]byte("secret"))
	require.Equal(t, "buffer 6/6 bytes, refs 1, wrapped memory, shared pool", w.String())
	v := Slice{root: w, n: 6, sliceMark: w.mark()}.Buffer()
	require.Equal(t, "buffer 6/6 bytes, refs 1, view, shared pool", v.String())
	v.Release()
	w.Release()
}

func TestRetainAndReleaseOnManyGoroutines(t *testing.T) {
	p := NewPool(PoolConfig{})
	for range 200 {
		b := p.Get(100)
		b.AppendString("payload")
		var readers sync.WaitGroup
		for range 4 {
			b.Retain()
			readers.Go(func() {
				for range 10 {
					b.Retain()
					if !bytes.Equal(b.Bytes(), []byte("payload")) {
						t.Error("payload changed")
					}
					b.Release()
				}
				b.Release()
			})
		}
		p.Put(b) // the loop may be first or last
		readers.Wait()
	}
	require.Zero(t, p.Live())
}
