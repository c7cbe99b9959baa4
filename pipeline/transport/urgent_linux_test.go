package transport

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestUrgentBytesDoNotKeepTheLoopBusy(t *testing.T) {
	s := &Server{Loops: 1, Init: echoInit}
	serve(t, s)
	c := connectTo(t, s, 0)
	roundTrip(t, c, "hello")
	fd, err := descriptor(c)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Close(fd)) }()
	require.NoError(t, unix.Sendto(fd, []byte("!"), unix.MSG_OOB, nil))
	ch := one(t, s)
	for range 20 { // the loop comes to know of it
		onLoop(t, ch, func() {})
	}
	before := ch.Loop().Busy()
	rest := time.NewTimer(100 * time.Millisecond)
	<-rest.C
	require.Less(t, ch.Loop().Busy()-before, uint64(20))
	n, err := unix.Write(fd, []byte("more"))
	require.NoError(t, err)
	require.Equal(t, 4, n)
	got := make([]byte, 4)
	eventually(t, "it goes on", func() bool {
		n, err := unix.Read(fd, got)
		return err == nil && n == 4
	})
	require.Equal(t, "more", string(got))
}
