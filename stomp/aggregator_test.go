package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// added is what one Add gave.
type added struct {
	frame string
	err   Reason
}

// addAll gives messages to a, releases the frames that come, and checks that nothing is left behind.
func addAll(t *testing.T, a *Aggregator, messages ...any) []added {
	t.Helper()
	var got []added
	for _, m := range messages {
		require.True(t, a.Accepts(m))
		f, ok, err := a.Add(m)
		require.Equal(t, ok, f != nil)
		one := added{err: reasonOf(err)}
		if ok {
			one.frame = string(f.Command) + " " + f.Body.String()
			f.Release()
		}
		got = append(got, one)
	}
	return got
}

func TestAggregatorPutsSubframesTogether(t *testing.T) {
	live := buffer.SharedStats().Live
	big := strings.Repeat("x", 5000)
	var a Aggregator
	got := addAll(t, &a,
		NewHeaders(CommandSend, "a", "1"), NewContent(sliceOf("he"), false), NewContent(sliceOf("llo"), true),
		NewHeaders(CommandSend), NewContent(sliceOf(big), false), NewContent(sliceOf("y"), false), NewContent(buffer.Slice{}, true),
		NewHeaders(CommandAck), NewContent(buffer.Slice{}, true), NewFrame(CommandBegin))
	require.Equal(t, []added{{}, {}, {frame: "SEND hello"}, {}, {}, {}, {frame: "SEND " + big + "y"}, {}, {frame: "ACK "}, {frame: "BEGIN "}}, got)
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestAggregatorKeepsHeadersAndReferencesOfItsOwn(t *testing.T) {
	data := sliceOf(strings.Repeat("x", 2000))
	data.Retain()
	first := &data.Bytes()[0]
	var a Aggregator
	_, _, err := a.Add(NewHeaders(CommandSend, "a", "1", "b", "2"))
	require.NoError(t, err)
	f, ok, err := a.Add(NewContent(data, true))
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, Headers{{"a", "1"}, {"b", "2"}}, f.Headers)
	require.Same(t, first, &f.Body.Bytes()[0], "a large piece was copied")
	data.Release()
	f.Release()
}

func TestAggregatorReportsATooLargeBodyOnceAndGoesOn(t *testing.T) {
	live := buffer.SharedStats().Live
	next := func() []any { return []any{NewHeaders(CommandSend), NewContent(sliceOf("ok"), true)} }
	tests := []struct {
		name     string
		messages []any
		want     []added
	}{
		{
			"declared",
			[]any{NewHeaders(CommandSend, "content-length", "6"), NewContent(sliceOf("abc"), false), NewContent(sliceOf("def"), true)},
			[]added{{err: ErrBodyTooLarge}, {}, {}},
		},
		{
			"growing",
			[]any{NewHeaders(CommandSend), NewContent(sliceOf("abcde"), false), NewContent(sliceOf("f"), false), NewContent(sliceOf("g"), true)},
			[]added{{}, {}, {err: ErrBodyTooLarge}, {}},
		},
		{
			"growing with the last piece",
			[]any{NewHeaders(CommandSend), NewContent(sliceOf("abcdef"), true)},
			[]added{{}, {err: ErrBodyTooLarge}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := &Aggregator{MaxBody: 5}
			require.Equal(t, tt.want, addAll(t, a, tt.messages...))
			require.Equal(t, []added{{}, {frame: "SEND ok"}}, addAll(t, a, next()...))
		})
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestAggregatorDefaultsTo4MiB(t *testing.T) {
	var a Aggregator
	require.Equal(t, []added{{err: ErrBodyTooLarge}}, addAll(t, &a, NewHeaders(CommandSend, "content-length", "4194305")))
	a.Reset()
	require.Equal(t, []added{{}}, addAll(t, &a, NewHeaders(CommandSend, "content-length", "4194304")))
	a.Reset()
}

func TestAggregatorReportsMessagesOutOfOrder(t *testing.T) {
	live := buffer.SharedStats().Live
	var a Aggregator
	require.Equal(t, []added{{err: ErrOutOfOrder}}, addAll(t, &a, NewContent(sliceOf("x"), true)))
	require.Equal(t, []added{{}, {}, {err: ErrOutOfOrder}, {}, {}, {frame: "ACK "}}, addAll(t, &a,
		NewHeaders(CommandSend), NewContent(sliceOf("abc"), false), NewHeaders(CommandSend), NewContent(sliceOf("x"), true),
		NewHeaders(CommandAck), NewContent(buffer.Slice{}, true)))
	require.Equal(t, []added{{}, {err: ErrOutOfOrder}, {}}, addAll(t, &a,
		NewHeaders(CommandSend), NewFrame(CommandAck), NewContent(sliceOf("x"), true)))
	_, ok, err := a.Add("text")
	require.False(t, ok)
	require.ErrorIs(t, err, ErrOutOfOrder)
	require.False(t, a.Accepts("text"))
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestAggregatorResetDropsAnUnfinishedFrame(t *testing.T) {
	live := buffer.SharedStats().Live
	var a Aggregator
	addAll(t, &a, NewHeaders(CommandSend), NewContent(sliceOf(strings.Repeat("x", 3000)), false), NewContent(sliceOf("y"), false))
	a.Reset()
	require.Equal(t, live, buffer.SharedStats().Live)
	require.Equal(t, []added{{}, {frame: "SEND z"}}, addAll(t, &a, NewHeaders(CommandSend), NewContent(sliceOf("z"), true)))
}
