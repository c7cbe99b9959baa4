package nethttp

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// counted is a message that knows how often it was released.
type counted struct{ released int }

func (*counted) Retain()    {}
func (c *counted) Release() { c.released++ }

// manual is a link whose loop is the test.
func manual() (l *link, posts *int) {
	l, posts = new(link), new(int)
	l.connect(func(func()) error { *posts++; return nil }, func() {})
	return l, posts
}

func TestLinkPostsOnceForManyMessages(t *testing.T) {
	l, posts := manual()
	for range 5 {
		require.NoError(t, l.push(10, new(counted), new(counted)))
	}
	require.Equal(t, 1, *posts)
	require.False(t, l.idle())
	require.Len(t, l.take(), 10)
	require.False(t, l.idle(), "the loop is at it")
	require.NoError(t, l.push(10, new(counted)))
	require.Equal(t, 2, *posts)
	l.done(50, true)
	require.Equal(t, 10, l.unsent)
	require.Len(t, l.take(), 1)
	l.done(10, true)
	require.True(t, l.idle())
}

func TestLinkReleasesWhatItCannotBring(t *testing.T) {
	l, _ := manual()
	on, late := new(counted), new(counted)
	require.NoError(t, l.push(1, on))
	first := errors.New("first")
	l.fail(first)
	l.fail(errors.New("second"))
	require.ErrorIs(t, l.push(1, late), first)
	require.ErrorIs(t, l.room(), first)
	require.Equal(t, []int{1, 1}, []int{on.released, late.released})

	over := errors.New("loop is over")
	l = new(link)
	l.connect(func(func()) error { return over }, func() {})
	lost := new(counted)
	require.ErrorIs(t, l.push(1, lost), over)
	require.Equal(t, 1, lost.released)
	require.ErrorIs(t, l.push(1, new(counted)), over)
}

func TestLinkGivesRoomWhenTheChannelIsWritable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := manual()
		require.NoError(t, l.push(window))
		got := make(chan error, 1)
		go func() { got <- l.room() }()
		synctest.Wait()
		require.Empty(t, got)
		l.take()
		l.done(window, false)
		synctest.Wait()
		require.Empty(t, got, "the channel has it, and more than enough")
		l.writable()
		synctest.Wait()
		require.NoError(t, <-got)
	})
}

func TestLinkWaitsUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := manual()
		require.NoError(t, l.push(window))
		began := time.Now()
		l.setDeadline(&l.writeBy, began.Add(time.Hour))
		require.ErrorIs(t, l.room(), os.ErrDeadlineExceeded)
		require.Equal(t, time.Hour, time.Since(began))
		l.setDeadline(&l.writeBy, began)
		require.ErrorIs(t, l.room(), os.ErrDeadlineExceeded, "one that has passed")
		l.setDeadline(&l.writeBy, time.Time{})
		l.take()
		l.done(window, true)
		require.NoError(t, l.room())
		l.setDeadline(&l.readBy, time.Now().Add(time.Hour))
		l.stopTimers()
	})
}
