package buffer

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCore46WriterSumsWhileAppendingAndViewsStayIndependent(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 0)
	w.TrackCRC32C()
	var flat []byte
	for _, n := range []int{10, 300, 700} {
		root := p.Get(n)
		root.Append(digits(n))
		w.AppendSlice(root.Slice(0, n))
		flat = append(flat, digits(n)...)
		root.Release()
	}
	external := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // 1 MiB
	w.AppendRef(Wrap(external))
	flat = append(flat, external...)
	require.Equal(t, sumOf(flat), w.CRC32C())

	view := w.View()
	w.AppendString("written later")
	require.True(t, view.EqualBytes(flat), "the view is independent of later writes")
	flat = append(flat, "written later"...)
	require.Equal(t, sumOf(flat), w.CRC32C())

	msg := w.Take().(*Composite)
	require.True(t, msg.EqualBytes(flat))
	windows := msg.Iovecs(nil)
	require.Same(t, &external[0], &windows[len(windows)-2][0], "the external buffer was not copied")
	msg.Release()
	view.Release()
	require.Zero(t, p.Live())
}

// countingAllocator counts the buffers it gives.
type countingAllocator struct {
	pool  *Pool
	sizes []int
}

func (a *countingAllocator) Get(n int) *Buffer {
	a.sizes = append(a.sizes, n)
	return a.pool.Get(n)
}

func TestWriterTakesOneRightSizedBufferAtTheFirstByte(t *testing.T) {
	a := &countingAllocator{pool: NewPool(PoolConfig{})}
	var w Writer
	w.Reset(a, 900)
	require.Empty(t, a.sizes, "no byte, no memory")
	w.Append(digits(450))
	w.Append(digits(450))
	require.Equal(t, []int{900}, a.sizes)
	require.Equal(t, 900, w.Len())
	msg := w.Take().(*Buffer)
	require.Equal(t, append(digits(450), digits(450)...), msg.Bytes())
	require.True(t, msg.Unique())
	msg.Release()

	w.Reset(a, 0)
	w.AppendByte('x')
	require.Equal(t, []int{900, defaultMessageBytes}, a.sizes)
	w.Discard()

	w.Reset(a, 10)
	w.Append(digits(5000))
	require.Equal(t, 5000, a.sizes[2], "a first append larger than expected is not regrown")
	w.Discard()
	require.Zero(t, a.pool.Live())
}

func TestZeroWriterUsesTheSharedPool(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.AppendString("abc")
	Release(w.Take())
	w.Reset(nil, 0)
	w.AppendString("abc")
	msg := w.Take().(*Buffer)
	require.Equal(t, "abc", string(msg.Bytes()))
	require.Contains(t, msg.String(), "class 256, shared pool")
	msg.Release()
}

func TestWriterThatWroteNothingGivesAnEmptyBuffer(t *testing.T) {
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 1000)
	require.Zero(t, w.Len())
	msg := w.Take().(*Buffer)
	require.Zero(t, msg.Len())
	msg.Release()

	w.Reset(p, 0)
	w.AppendRef(p.Get(10))
	w.AppendSlice(Slice{})
	msg = w.Take().(*Buffer)
	require.Zero(t, msg.Len(), "empty references are nothing")
	msg.Release()
	require.Zero(t, p.Live())
}

func TestWriterGrowsOneBufferWhileItIsAlone(t *testing.T) {
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 64)
	for range 1000 {
		w.AppendString("0123456789")
	}
	msg := w.Take().(*Buffer)
	require.Equal(t, digits(10000), msg.Bytes())
	msg.Release()
	require.Zero(t, p.Live())
}

func TestWriterCopiesSmallReferences(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	root := p.Get(1000)
	root.Append(digits(1000))
	var w Writer
	w.Reset(p, 0)
	w.AppendString("<")
	w.AppendRef(FromBytes(digits(256)))
	w.AppendSlice(root.Slice(0, 10))
	s := root.Slice(0, 300)
	w.AppendSlice(s.Sub(0, 20))
	s.Release()
	w.AppendString(">")
	require.True(t, root.Unique(), "small pieces were copied and released")
	msg := w.Take().(*Buffer)
	require.Equal(t, "<"+string(digits(256))+string(digits(10))+string(digits(20))+">", string(msg.Bytes()))
	msg.Release()
	p.Put(root)
	require.Zero(t, p.Live())
}

func TestWriterPutsHeadAndTailOfAReferenceIntoOneBuffer(t *testing.T) {
	leakCheck(t)
	a := &countingAllocator{pool: NewPool(PoolConfig{})}
	var w Writer
	w.Reset(a, 100)
	w.AppendString("MESSAGE\n\n")
	body := FromBytes(digits(5000))
	w.AppendRef(body)
	w.AppendByte(0)
	require.Len(t, a.sizes, 1)
	require.Equal(t, 5010, w.Len())
	msg := w.Take().(*Composite)
	require.Equal(t, 3, msg.Parts())
	require.Equal(t, "MESSAGE\n\n"+string(digits(5000))+"\x00", string(msg.Bytes()))
	require.Same(t, &body.Bytes()[0], &msg.Part(1)[0])
	msg.Release()
	require.Zero(t, a.pool.Live())
}

func TestWriterBeginsAnotherBufferWhenPartsAreInUse(t *testing.T) {
	leakCheck(t)
	a := &countingAllocator{pool: NewPool(PoolConfig{})}
	var w Writer
	w.Reset(a, 64)
	w.Append(digits(60))
	w.AppendRef(FromBytes(digits(300)))
	w.Append(digits(70)) // does not fit behind the head, which may not move
	msg := w.Take().(*Composite)
	require.Equal(t, []int{64, 70}, a.sizes)
	require.Equal(t, string(digits(60))+string(digits(300))+string(digits(70)), string(msg.Bytes()))
	msg.Release()
	require.Zero(t, a.pool.Live())
}

func TestWriterGivesALoneReferenceAsABuffer(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 0)
	body := FromBytes(digits(1000))
	w.AppendRef(body)
	require.Same(t, body, w.Take())
	body.Release()

	w.Reset(p, 0)
	root := p.Get(1000)
	root.Append(digits(1000))
	w.AppendSlice(root.Slice(0, 1000))
	msg := w.Take().(*Buffer)
	root.Skip(500) // somebody else goes on reading the root
	require.Equal(t, digits(1000), msg.Bytes(), "a slice has a window of its own")
	msg.Release()
	p.Put(root)
	require.Zero(t, p.Live())
}

func TestWriterDiscardReleasesEverything(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 0)
	w.Discard() // nothing yet
	w.AppendString("head")
	w.AppendRef(FromBytes(digits(1000)))
	w.AppendString("tail")
	view := w.View()
	w.Discard()
	require.Zero(t, w.Len())
	require.Equal(t, 1, p.Live(), "the view's")
	view.Release()
	require.Zero(t, p.Live())

	w.Reset(p, 0)
	w.AppendString("kept by mistake")
	w.Reset(p, 0) // an encoder that returned an error
	require.Zero(t, p.Live())
}

func TestWriterServesManyMessages(t *testing.T) {
	leakCheck(t)
	p := NewPool(PoolConfig{})
	var w Writer
	for i := range 100 {
		w.Reset(p, 32)
		if i%3 == 0 {
			w.TrackCRC32C()
		}
		want := append([]byte("head"), digits(i*10)...)
		w.AppendString("head")
		w.AppendRef(FromBytes(digits(i * 10)))
		if i%2 == 0 {
			w.AppendString("tail")
			want = append(want, "tail"...)
		}
		if i%3 == 0 {
			require.Equal(t, sumOf(want), w.CRC32C())
		} else {
			require.Zero(t, w.CRC32C())
		}
		c := NewComposite()
		switch msg := w.Take().(type) {
		case *Buffer:
			c.Append(msg)
		case *Composite:
			c.AppendComposite(msg)
		}
		require.Equal(t, string(want), string(c.Bytes()))
		c.Release()
	}
	require.Zero(t, p.Live())
}

func TestWriterViewShowsTheMessageSoFar(t *testing.T) {
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 64)
	empty := w.View()
	require.Zero(t, empty.Len())
	empty.Release()
	w.AppendString("abc")
	first := w.View()
	w.Append(digits(100)) // more than there is room for: the viewed bytes stay where they are
	second := w.View()
	require.Equal(t, "abc", string(first.Bytes()))
	require.Equal(t, "abc"+string(digits(100)), string(second.Bytes()))
	first.Release()
	second.Release()
	msg := w.Take()
	require.Equal(t, "abc"+string(digits(100)), string(msg.(*Composite).Bytes()))
	Release(msg)
	require.Zero(t, p.Live())
}

func TestWriterSumsFromWhereTrackingBegan(t *testing.T) {
	p := NewPool(PoolConfig{})
	var w Writer
	w.Reset(p, 64)
	w.AppendString("header: not summed")
	w.TrackCRC32C()
	require.Zero(t, w.CRC32C())
	w.AppendUint32(0x01020304)
	require.Equal(t, sumOf([]byte{1, 2, 3, 4}), w.CRC32C())
	require.Equal(t, sumOf([]byte{1, 2, 3, 4}), w.CRC32C(), "asking twice changes nothing")
	w.Append(digits(200)) // grows
	w.Append(digits(3 * hotBytes))
	want := append(append([]byte{1, 2, 3, 4}, digits(200)...), digits(3*hotBytes)...)
	require.Equal(t, sumOf(want), w.CRC32C())
	w.Discard()
	require.Zero(t, w.CRC32C())
	require.Zero(t, p.Live())
}

func TestWriterKeepsNoLongListOfParts(t *testing.T) {
	leakCheck(t)
	var w Writer
	w.Reset(nil, 0)
	body := FromBytes(digits(300))
	for range 2 * keptParts {
		body.Retain()
		w.AppendRef(body)
	}
	msg := w.Take().(*Composite)
	require.Equal(t, 2*keptParts, msg.Parts())
	require.Equal(t, 2*keptParts*300, msg.Len())
	require.LessOrEqual(t, cap(w.parts), keptParts)
	msg.Release()
	require.True(t, body.Unique())
	body.Release()
}
