package codec

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// scripted is a feed whose caller is a list of steps: one runs each time the library leaves.
func scripted(f *feed, steps ...func()) *feed {
	f.yield = func(struct{}) bool {
		if len(steps) == 0 {
			return false
		}
		steps[0]()
		steps = steps[1:]
		return true
	}
	return f
}

func TestFeedWaitsForInput(t *testing.T) {
	var f *feed
	f = scripted(&feed{input: []byte("ab")},
		func() {}, // a call without input
		func() { f.input = []byte("c") },
		func() { f.eof = true })
	p := make([]byte, 10)
	n, err := f.Read(p)
	require.NoError(t, err)
	require.Equal(t, "ab", string(p[:n]))
	n, err = f.Read(p[:0])
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = f.Read(p)
	require.NoError(t, err)
	require.Equal(t, "c", string(p[:n]))
	_, err = f.Read(p)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, int64(3), f.count.in)
}

func TestFeedOffersOutputUntilItIsUsedUp(t *testing.T) {
	var f *feed
	f = scripted(&feed{},
		func() { f.output = f.output[2:] },
		func() { f.output = f.output[3:] })
	n, err := f.Write([]byte("hello"))
	require.NoError(t, err)
	require.Equal(t, 5, n)
}

func TestFeedThatIsStoppedNeverYieldsAgain(t *testing.T) {
	f := scripted(&feed{})
	_, err := f.Read(make([]byte, 1))
	require.ErrorIs(t, err, errStopped)
	require.Nil(t, f.yield, "that would panic")
	_, err = f.Read(make([]byte, 1))
	require.ErrorIs(t, err, errStopped)
	_, err = f.Write([]byte("x"))
	require.ErrorIs(t, err, errStopped)
}

func TestFeedOffersNothingAboveTheLimit(t *testing.T) {
	f := scripted(&feed{codec: Zstd, limit: Cap{MaxBytes: 4}}, func() { panic("offered") })
	_, err := f.Write([]byte("hello"))
	require.ErrorIs(t, err, ErrInflatedTooMuch)
	require.Empty(t, f.output)
	require.ErrorIs(t, f.over, ErrInflatedTooMuch)
}
