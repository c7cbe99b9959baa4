package transport_test

import (
	"io"
	"os"
	"path/filepath"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// flowBehaviours are about who may send how much, and when.
var flowBehaviours = []behaviour{
	{"watermarks flip exactly twice on a slow peer", 0, watermarksFlipTwice},
	{"reading pauses while the peer takes nothing", 0, readingPauses},
	{"reading goes on when that is switched off", 0, readingDoesNotPause},
	{"auto-read off delivers nothing, on again everything", 0, autoReadLosesNothing},
	{"toggling auto-read at every read loses nothing", 0, togglingLosesNothing},
	{"a read request gives one batch", 0, requestGivesOneBatch},
	{"manual flush sends nothing before Flush", 0, manualFlush},
	{"writes past the hard cap are refused", 0, hardCap},
	{"a part of a file is sent between messages", 0, fileIsSent},
}

// someMiB is more than all buffers between a channel and a peer that does not read.
const someMiB = 6 << 20

func watermarksFlipTwice(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{}, &probe{})
	w.write(someMiB/2, someMiB/2)
	w.await("it is unwritable", w.probe.saw("unwritable"))
	require.Zero(t, w.probe.count("writable"))
	require.Len(t, w.recv(someMiB), someMiB)
	w.await("it is writable", w.probe.saw("writable"))
	w.rounds()
	require.Equal(t, 1, w.probe.count("unwritable"))
	require.Equal(t, 1, w.probe.count("writable"))
	w.do(func() { require.True(t, w.ch.Writable()) })
	w.peer.close()
	w.closed()
}

func readingPauses(s *stage) {
	t := s.t
	const more = someMiB
	w := s.connect(pipeline.Options{}, &probe{})
	w.write(someMiB)
	w.await("it is unwritable", w.probe.saw("unwritable"))
	var before, after uint64
	w.do(func() { before = w.ch.BytesRead() })
	w.send(pattern(more))
	w.rounds()
	w.do(func() {
		after = w.ch.BytesRead()
		require.False(t, w.ch.Reading())
	})
	require.Equal(t, before, after, "bytes read while unwritable")
	require.Len(t, w.recv(someMiB), someMiB)
	w.await("everything is read", w.probe.has(more))
	same(t, pattern(more), w.probe.read())
	w.peer.close()
	w.closed()
}

func readingDoesNotPause(s *stage) {
	w := s.connect(pipeline.Options{ReadWhileUnwritable: true}, &probe{})
	w.write(someMiB)
	w.await("it is unwritable", w.probe.saw("unwritable"))
	w.send(pattern(500_000))
	w.await("everything is read", w.probe.has(500_000))
	w.ch.CloseWith(pipeline.CloseNow, nil)
	w.closed()
}

func autoReadLosesNothing(s *stage) {
	t := s.t
	p := &probe{onActive: func(ctx *pipeline.Context) { ctx.SetAutoRead(false) }}
	w := s.connect(pipeline.Options{}, p)
	w.send(pattern(1 << 20))
	w.rounds()
	require.Zero(t, p.count("read"))
	w.do(func() { p.context().SetAutoRead(true) })
	w.await("everything is read", p.has(1<<20))
	same(t, pattern(1<<20), p.read())
	w.peer.close()
	w.closed()
}

func togglingLosesNothing(s *stage) {
	t := s.t
	p := &probe{}
	p.onRead = func(ctx *pipeline.Context, b *buffer.Buffer) error {
		p.keep(b)
		ctx.SetAutoRead(false)
		return ctx.Channel().Post(func() { ctx.SetAutoRead(true) })
	}
	w := s.connect(pipeline.Options{}, p)
	w.send(pattern(2 << 20))
	w.await("everything is read", p.has(2<<20))
	same(t, pattern(2<<20), p.read())
	w.peer.close()
	w.closed()
}

func requestGivesOneBatch(s *stage) {
	t := s.t
	p := &probe{onActive: func(ctx *pipeline.Context) { ctx.SetAutoRead(false) }}
	w := s.connect(pipeline.Options{MaxReads: 1}, p)
	w.do(func() { p.context().Read() }) // before there is anything
	w.rounds()
	require.Zero(t, p.count("readComplete"))
	w.send("ab")
	w.await("one batch has come", p.saw("readComplete"))
	w.send(pattern(100_000))
	w.rounds()
	require.Equal(t, 1, p.count("readComplete"))
	require.Equal(t, 1, p.count("read"))
	for !p.has(100_002)() {
		n := p.count("readComplete")
		w.do(func() { p.context().Read() })
		w.await("one more batch has come", func() bool { return p.count("readComplete") > n })
		w.do(func() {})
		require.Equal(t, n+1, p.count("readComplete"))
		require.Equal(t, n+1, p.count("read"))
	}
	same(t, "ab"+pattern(100_000), p.read())
	w.ch.CloseWith(pipeline.CloseNow, nil)
	w.closed()
}

func manualFlush(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{ManualFlush: true}, &probe{})
	w.write(10, 20)
	w.rounds()
	w.do(func() {
		require.Zero(t, w.ch.BytesWritten())
		require.Equal(t, 30, w.ch.Pending())
		w.ch.Pipeline().Flush()
	})
	require.Equal(t, pattern(10)+pattern(20), w.recv(30))
	w.peer.close()
	w.closed()
}

func hardCap(s *stage) {
	t := s.t
	w := s.connect(pipeline.Options{HardCap: 100_000}, &probe{})
	w.write(60_000, 60_000, 30_000)
	require.Len(t, w.probe.failures(), 1)
	require.ErrorIs(t, w.probe.failures()[0], pipeline.ErrOutboundFull)
	same(t, pattern(60_000)+pattern(30_000), w.recv(90_000))
	w.peer.close()
	w.closed()
}

func fileIsSent(s *stage) {
	t := s.t
	const size, skip, tail = 1_000_000, 1000, 500
	content := pattern(size)
	name := filepath.Join(t.TempDir(), "part")
	require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	w := s.connect(pipeline.Options{}, &probe{})
	w.do(func() {
		f, err := os.Open(name)
		require.NoError(t, err)
		p := w.ch.Pipeline()
		require.NoError(t, p.Write(bytesOf("head")))
		require.NoError(t, p.Write(pipeline.NewFileRegion(f, skip, size-skip-tail, true)))
		require.NoError(t, p.Write(bytesOf("tail")))
	})
	want := "head" + content[skip:size-tail] + "tail"
	same(t, want, w.recv(len(want)))
	w.do(func() { // a file that is shorter than announced ends the channel
		f, err := os.Open(name)
		require.NoError(t, err)
		require.NoError(t, w.ch.Pipeline().Write(pipeline.NewFileRegion(f, size-10, 20, true)))
	})
	require.Equal(t, content[size-10:], w.recv(10))
	w.closed()
	require.ErrorIs(t, w.cause(), io.ErrUnexpectedEOF)
}
