package embedded_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestCore22PromisesCompleteWithTheLastByteOfTheirMessage(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.Block()
	var done []int
	for i := range 3 {
		p := ch.NewPromise()
		p.OnDone(func(err error) {
			require.NoError(t, err)
			done = append(done, i+1)
		})
		ch.Pipeline().WriteWith(buffer.FromString(strings.Repeat(string(rune('a'+i)), 4)), p)
	}
	ch.RunPending()
	require.Empty(t, done)
	var wire string
	for _, want := range []struct {
		wire string
		done []int
	}{
		{"aaaab", []int{1}},
		{"bbbcc", []int{1, 2}},
		{"cc", []int{1, 2, 3}},
	} {
		ch.AcceptBytes(5)
		got := ch.WireString()
		wire += got
		require.Equal(t, want.wire, got)
		require.Equal(t, want.done, done)
	}
	require.Equal(t, "aaaabbbbcccc", wire)
	require.Equal(t, 12, ch.Written())
}

func TestCore23WritabilityChangesOncePerCrossing(t *testing.T) {
	const kib = 1 << 10
	e := &events{}
	ch := open(t, embedded.Config{}, e)
	ch.Block()
	e.take()
	writable := func() bool { return ch.Channel().Writable() }
	for i := 1; i <= 16; i++ {
		b := ch.Loop().Pool().Get(8 * kib)
		b.Commit(8 * kib)
		require.NoError(t, ch.WriteOutbound(b))
		require.Equal(t, i <= 8, writable(), "after %d writes", i)
	}
	require.Equal(t, []string{"unwritable"}, e.take())

	ch.AcceptBytes(88 * kib)
	require.Equal(t, 40*kib, ch.Channel().Pending())
	require.False(t, writable())
	require.Empty(t, e.take())

	ch.AcceptBytes(9 * kib)
	require.Equal(t, 31*kib, ch.Channel().Pending())
	require.True(t, writable())
	require.Equal(t, []string{"writable"}, e.take())

	ch.Unblock()
	require.Zero(t, ch.Channel().Pending())
	require.True(t, writable())
	require.Empty(t, e.take())
}

func TestShortWritesSendEverythingInManyCalls(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.ShortWrites(3)
	require.NoError(t, ch.WriteOutbound(buffer.FromString("0123456789")))
	require.Equal(t, "0123456789", ch.WireString())
	require.Equal(t, 4, ch.Writevs())
	ch.ShortWrites(0)
	require.NoError(t, ch.WriteOutbound(buffer.FromString("0123456789")))
	require.Equal(t, 5, ch.Writevs())
}

func TestShortReadsGiveEverythingInManyReads(t *testing.T) {
	reads := 0
	ch := open(t, embedded.Config{}, pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
		reads++
		return ctx.Write(b)
	}))
	ch.ShortReads(4)
	require.NoError(t, ch.FeedString("0123456789"))
	require.Equal(t, 3, reads)
	require.Equal(t, "0123456789", ch.WireString())
}

func TestBlockedChannelWantsToHearThatItIsWritable(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.Block()
	require.NoError(t, ch.WriteOutbound(buffer.FromString("x")))
	reads, writes := ch.Interest()
	require.True(t, reads)
	require.True(t, writes)
	ch.Unblock()
	_, writes = ch.Interest()
	require.False(t, writes)
}

func TestPeerEndsAfterTheGivenByte(t *testing.T) {
	for name, c := range map[string]struct {
		script func(ch *embedded.Channel)
		reset  bool
	}{
		"FIN at once":          {func(ch *embedded.Channel) { _ = ch.FeedString("abc"); ch.PeerClose() }, false},
		"FIN at byte 3":        {func(ch *embedded.Channel) { ch.FINAt(3); _ = ch.FeedString("abcdef") }, false},
		"FIN at a byte before": {func(ch *embedded.Channel) { _ = ch.FeedString("abc"); ch.FINAt(1) }, false},
		"RST at once":          {func(ch *embedded.Channel) { _ = ch.FeedString("abc"); ch.PeerReset() }, true},
		"RST at byte 3":        {func(ch *embedded.Channel) { ch.ResetAt(3); _ = ch.FeedString("abcdef") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := &events{}
			ch := open(t, embedded.Config{}, e, echo())
			c.script(ch)
			require.EqualValues(t, 3, ch.Channel().BytesRead())
			require.True(t, ch.PeerEnded())
			require.True(t, ch.Closed())
			require.True(t, ch.Channel().Closed())
			require.Equal(t, !c.reset, ch.FINSent())
			require.Equal(t, c.reset, errors.Is(ch.Channel().Cause(), pipeline.ErrReset))
			if c.reset {
				require.Equal(t, []string{"active", "read complete", "inactive", "removed"}, e.take())
				return
			}
			require.Equal(t, []string{"active", "read complete", "read closed", "inactive", "removed"}, e.take())
		})
	}
}

func TestResetIsSeenWhileReadingIsPaused(t *testing.T) {
	ch := open(t, embedded.Config{}, &quiet{})
	ch.PeerReset()
	require.True(t, ch.Channel().Closed())
	require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrReset)
}

func TestFINIsNotSeenWhileReadingIsPaused(t *testing.T) {
	e := &events{}
	ch := open(t, embedded.Config{}, &quiet{}, e)
	e.take()
	ch.PeerClose()
	require.Empty(t, e.take())
	ch.Pipeline().Read()
	ch.RunPending()
	require.Equal(t, []string{"read closed", "inactive", "removed"}, e.take())
}

func TestPeerThatResetsAfterTakingSomeBytesFailsTheWrite(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.ResetWriteAt(3)
	var result error
	p := ch.NewPromise()
	p.OnDone(func(err error) { result = err })
	ch.Pipeline().WriteWith(buffer.FromString("abcdef"), p)
	ch.RunPending()
	require.Equal(t, "abc", ch.WireString())
	require.ErrorIs(t, result, pipeline.ErrClosed)
	require.ErrorIs(t, ch.Channel().Cause(), pipeline.ErrReset)
	require.True(t, ch.Channel().Closed())
}

func TestScriptedFailuresCloseTheChannelWithTheirError(t *testing.T) {
	broken := errors.New("cable cut")
	for name, script := range map[string]func(ch *embedded.Channel){
		"write": func(ch *embedded.Channel) {
			ch.FailWrite(broken)
			_ = ch.Pipeline().Write(buffer.FromString("x"))
			ch.RunPending()
		},
		"read": func(ch *embedded.Channel) { ch.FailRead(broken) },
	} {
		t.Run(name, func(t *testing.T) {
			ch := open(t, embedded.Config{})
			script(ch)
			require.ErrorIs(t, ch.Channel().Cause(), broken)
			require.True(t, ch.Channel().Closed())
			require.ErrorIs(t, ch.CheckErr(), broken)
		})
	}
}

func TestPeerAnswersTheFINOfAClosingChannelUnlessItLingers(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.PeerLingers(true)
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.True(t, ch.FINSent())
	require.False(t, ch.Closed())
	ch.AdvanceTime(pipeline.DefaultLinger - 1)
	require.False(t, ch.Closed())
	ch.AdvanceTime(1)
	require.True(t, ch.Closed())
	require.True(t, ch.Channel().Closed())

	ch = open(t, embedded.Config{})
	require.NoError(t, ch.Channel().Close())
	ch.RunPending()
	require.True(t, ch.Channel().Closed())
}

func TestPeerDoesNotAnswerAHalfClose(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.Channel().CloseWith(pipeline.CloseWrite, nil)
	ch.RunPending()
	require.True(t, ch.FINSent())
	require.False(t, ch.PeerEnded())
	require.NoError(t, ch.FeedString("still"))
	b, err := embedded.In[*buffer.Buffer](ch)
	require.NoError(t, err)
	require.Equal(t, "still", string(b.Bytes()))
	b.Release()
}

func TestCloseResetIsSeenByThePeer(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.Channel().CloseWith(pipeline.CloseReset, nil)
	ch.RunPending()
	require.True(t, ch.ResetSent())
	require.False(t, ch.FINSent())
}

func TestFilesAreSentWithoutAFileSender(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("the content of a file"), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	ch := open(t, embedded.Config{})
	_, ok := ch.Channel().Transport().(pipeline.FileSender)
	require.False(t, ok)
	require.NoError(t, ch.WriteOutbound(pipeline.NewFileRegion(f, 4, 7, true)))
	require.Equal(t, "content", ch.WireString())
	require.ErrorIs(t, f.Close(), os.ErrClosed)
}

func TestLargeFilesAreSentInPieces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("0123456789abcdef", 1<<16)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	ch := open(t, embedded.Config{})
	ch.ShortWrites(100_000)
	p := ch.NewPromise()
	var ended bool
	p.OnDone(func(err error) { ended = err == nil })
	ch.Pipeline().WriteWith(pipeline.NewFileRegion(f, 0, len(content), true), p)
	ch.RunPending()
	require.True(t, ended)
	require.Equal(t, content, ch.WireString())
}
