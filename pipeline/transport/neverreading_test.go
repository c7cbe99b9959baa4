package transport

import (
	"bytes"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// TestPeerThatNeverReadsIsBounded lets a peer send small pipelined requests with large replies and read nothing:
// what is queued stays at the high watermark and one message, what is held beside that is one read buffer,
// and reading stops. Then the peer reads, and every reply is there.
func TestPeerThatNeverReadsIsBounded(t *testing.T) {
	const reply = 16 << 10
	answer := pipeline.OnLend(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		out := ctx.Alloc(reply)
		copy(out.Reserve(reply), b.Bytes())
		out.Commit(reply)
		return ctx.Write(out)
	})
	// Small buffers: each byte that waits in one of them is worth 2 KiB of replies.
	s := &Server{Loops: 1, Socket: SocketOptions{SendBuffer: 64 << 10, ReceiveBuffer: 16 << 10}, Init: func(ch *pipeline.Channel) error {
		return ch.Pipeline().AddLast(codec.NewDecoder(&codec.FixedLength{Bytes: 8}), answer)
	}}
	serve(t, s)
	c := connectTo(t, s, 0)
	require.NoError(t, c.(*net.TCPConn).SetWriteBuffer(16<<10))
	ch := one(t, s)
	sent := sendUntilStuck(t, c, ch, bytes.Repeat([]byte("request!"), 4096))
	onLoop(t, ch, func() {
		require.False(t, ch.Writable())
		require.False(t, ch.Reading())
		require.LessOrEqual(t, ch.Pending(), pipeline.DefaultWriteHigh+reply)
		// one buffer for each queued reply, one for a part of the requests, one for a cut request
		require.LessOrEqual(t, ch.Loop().Pool().Live(), ch.Pending()/reply+3)
		require.Less(t, ch.BytesRead(), uint64(sent))
	})
	require.NoError(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	require.NoError(t, c.(*net.TCPConn).CloseWrite())
	got, err := io.Copy(io.Discard, c)
	require.NoError(t, err)
	require.EqualValues(t, sent/8*reply, got)
	t.Logf("%d bytes of requests, %d MiB of replies", sent, got>>20)
}

// sendUntilStuck writes until the channel has stopped reading and the connection takes nothing any more, in whole
// requests of 8 bytes.
func sendUntilStuck(t *testing.T, c net.Conn, ch *pipeline.Channel, requests []byte) int {
	t.Helper()
	sent := 0
	for sent < 64<<20 {
		require.NoError(t, c.SetWriteDeadline(time.Now().Add(200*time.Millisecond)))
		n, err := c.Write(requests[sent%8:])
		sent += n
		if err == nil {
			continue
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		reading := true
		onLoop(t, ch, func() { reading = ch.Reading() })
		if n == 0 && !reading {
			break
		}
	}
	return sent
}
