package embedded_test

import (
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// aside makes a channel that reads nothing by itself, so that its transport can be called directly.
func aside(t *testing.T) (*embedded.Channel, pipeline.Transport) {
	t.Helper()
	ch := open(t, embedded.Config{}, &quiet{})
	return ch, ch.Channel().Transport()
}

func TestReadGivesWhatThePeerSentThenItsEnd(t *testing.T) {
	ch, socket := aside(t)
	p := make([]byte, 4)
	_, err := socket.Read(p)
	require.ErrorIs(t, err, pipeline.ErrWouldBlock)
	ch.FINAt(6)
	require.NoError(t, ch.FeedString("0123456789"))
	n, err := socket.Read(p)
	require.NoError(t, err)
	require.Equal(t, "0123", string(p[:n]))
	ch.ShortReads(1)
	n, err = socket.Read(p)
	require.NoError(t, err)
	require.Equal(t, "4", string(p[:n]))
	ch.ShortReads(0)
	n, err = socket.Read(p)
	require.NoError(t, err)
	require.Equal(t, "5", string(p[:n]))
	_, err = socket.Read(p)
	require.Equal(t, io.EOF, err)
}

func TestScriptedReadErrorComesOnce(t *testing.T) {
	ch, socket := aside(t)
	ch.FailRead(io.ErrUnexpectedEOF)
	p := make([]byte, 1)
	_, err := socket.Read(p)
	require.Equal(t, io.ErrUnexpectedEOF, err)
	_, err = socket.Read(p)
	require.ErrorIs(t, err, pipeline.ErrWouldBlock)
}

func TestWritevTakesWhatTheScriptAllows(t *testing.T) {
	ch, socket := aside(t)
	pieces := func() [][]byte { return [][]byte{[]byte("ab"), []byte("cde"), nil, []byte("f")} }
	for _, step := range []struct {
		name   string
		script func()
		n      int
		err    error
		wire   string
	}{
		{"everything", func() {}, 6, nil, "abcdef"},
		{"some", func() { ch.AcceptBytes(4) }, 4, nil, "abcd"},
		{"nothing more", func() {}, 0, pipeline.ErrWouldBlock, ""},
		{"everything again", ch.Unblock, 6, nil, "abcdef"},
		{"a few at a time", func() { ch.ShortWrites(3) }, 3, nil, "abc"},
		{"and again", func() {}, 3, nil, "abc"},
		{"fewer than that", func() { ch.AcceptBytes(1) }, 1, nil, "a"},
		{"a failure", func() { ch.FailWrite(io.ErrClosedPipe) }, 0, io.ErrClosedPipe, ""},
		{"after the failure", func() { ch.Unblock(); ch.ShortWrites(0) }, 6, nil, "abcdef"},
		{"up to the reset", func() { ch.ResetWriteAt(ch.Written() + 2) }, 2, nil, "ab"},
		{"after the reset", func() {}, 0, syscall.ECONNRESET, ""},
		{"long after the reset", func() {}, 0, syscall.ECONNRESET, ""},
	} {
		step.script()
		calls := ch.Writevs()
		n, err := socket.Writev(pieces())
		require.Equal(t, step.err, err, step.name)
		require.Equal(t, step.n, n, step.name)
		require.Equal(t, step.wire, ch.WireString(), step.name)
		require.Equal(t, calls+1, ch.Writevs(), step.name)
	}
}

func TestNothingIsWrittenAfterOurOwnEnd(t *testing.T) {
	ch, socket := aside(t)
	require.NoError(t, socket.CloseWrite())
	_, err := socket.Writev([][]byte{[]byte("x")})
	require.Equal(t, syscall.EPIPE, err)
	require.True(t, ch.FINSent())
}

// An echo under a random script neither loses nor reorders a byte.
func TestEchoSurvivesAnyScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch, err := embedded.New(embedded.Config{Options: pipeline.Options{WriteHigh: 64, WriteLow: 16}}, &switchable{}, echo())
		require.NoError(t, err)
		_, ctx := pipeline.Find[*switchable](ch.Pipeline())
		var fed, wire []byte
		next := byte(0)
		t.Repeat(map[string]func(*rapid.T){
			"feed": func(t *rapid.T) {
				p := make([]byte, rapid.IntRange(0, 300).Draw(t, "bytes"))
				for i := range p {
					next++
					p[i] = next
				}
				require.NoError(t, ch.Feed(p))
				fed = append(fed, p...)
			},
			"accept":  func(t *rapid.T) { ch.AcceptBytes(rapid.IntRange(0, 100).Draw(t, "bytes")) },
			"unblock": func(*rapid.T) { ch.Unblock() },
			"short":   func(t *rapid.T) { ch.ShortWrites(rapid.IntRange(0, 20).Draw(t, "bytes")) },
			"sip":     func(t *rapid.T) { ch.ShortReads(rapid.IntRange(0, 20).Draw(t, "bytes")) },
			"pause":   func(*rapid.T) { ctx.SetAutoRead(false); ch.RunPending() },
			"resume":  func(*rapid.T) { ctx.SetAutoRead(true); ch.RunPending() },
			"request": func(*rapid.T) { ch.Pipeline().Read(); ch.RunPending() },
			"": func(t *rapid.T) {
				wire = append(wire, ch.Wire()...)
				require.Equal(t, string(fed[:len(wire)]), string(wire))
				require.Equal(t, len(fed), len(wire)+ch.Channel().Pending()+ch.Unread())
			},
		})
		ctx.SetAutoRead(true)
		ch.Unblock()
		require.Equal(t, string(fed), string(append(wire, ch.Wire()...)))
		_, err = ch.Finish()
		require.NoError(t, err)
	})
}

// switchable is a place in the pipeline to switch auto-read at.
type switchable struct{ pipeline.Unshared }

// HandleRead passes on.
func (*switchable) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}
