package broker

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestFormIsMadeOnceForEachKeyAndReleasedWithTheMessage(t *testing.T) {
	leakCheck(t)
	m := message("/topic/a", "body")
	built := 0
	build := func(m *Message) (buffer.Counted, error) {
		built++
		return buffer.FromString(m.Text()), nil
	}
	type version int
	for range 3 {
		for key := range version(4) {
			f, err := m.Form(key, build)
			require.NoError(t, err)
			require.Equal(t, "body", string(f.(*buffer.Buffer).Bytes()))
		}
	}
	require.Equal(t, 4, built)
	m.Release()
	reused := message("/topic/a", "other")
	f, err := reused.Form(version(0), build)
	require.NoError(t, err)
	require.Equal(t, "other", string(f.(*buffer.Buffer).Bytes()), "nothing is left of an earlier life")
	reused.Release()
}

func TestFormKeepsAnError(t *testing.T) {
	m := message("/topic/a", "body")
	defer m.Release()
	bad, built := errors.New("bad"), 0
	for range 2 {
		f, err := m.Form("1.2", func(*Message) (buffer.Counted, error) { built++; return nil, bad })
		require.ErrorIs(t, err, bad)
		require.Nil(t, f)
	}
	require.Equal(t, 1, built)
}

func TestFormIsMadeOnceByManyGoroutines(t *testing.T) {
	leakCheck(t)
	m := message("/topic/a", "body")
	var built atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for key := range 3 {
				_, _ = m.Form(key, func(*Message) (buffer.Counted, error) {
					built.Add(1)
					return buffer.FromString("x"), nil
				})
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 3, built.Load())
	m.Release()
}
