package stomp

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestEncoderHooksChangeTheMessage(t *testing.T) {
	type wrapped struct {
		kind    string
		encoded any
	}
	failure := errors.New("no")
	e := encoder12()
	e.WrapFrame = func(m *Frame, encoded any) (any, error) {
		return &wrapped{"frame " + m.Headers.Get(HeaderContentType), encoded}, nil
	}
	e.WrapHeaders = func(m *HeadersSubframe, encoded any) (any, error) {
		return &wrapped{"headers " + string(m.Command), encoded}, nil
	}
	e.WrapContent = func(m *ContentSubframe, encoded any) (any, error) {
		if m.Last {
			buffer.Release(encoded)
			return nil, failure
		}
		return &wrapped{"content", encoded}, nil
	}
	for _, tt := range []struct {
		m    any
		want string
	}{
		{NewFrame(CommandSend, HeaderContentType, "text/plain"), "frame text/plain"},
		{NewHeaders(CommandAck), "headers ACK"},
		{NewContent(buffer.Slice{}, false), "content"},
	} {
		got, err := e.Wrap(tt.m, "octets")
		require.NoError(t, err)
		require.Equal(t, &wrapped{tt.want, "octets"}, got)
		got, err = encoder12().Wrap(tt.m, "octets")
		require.NoError(t, err)
		require.Equal(t, "octets", got, "without a hook the octets travel on")
		buffer.Release(tt.m)
	}
	last := NewContent(buffer.Slice{}, true)
	defer last.Release()
	_, err := e.Wrap(last, "octets")
	require.ErrorIs(t, err, failure)
	got, err := e.Wrap(&EOL{}, "octets")
	require.NoError(t, err)
	require.Equal(t, "octets", got)
	e.WrapEOL = func(encoded any) (any, error) { return &wrapped{"eol", encoded}, nil }
	got, err = e.Wrap(&EOL{}, "octets")
	require.NoError(t, err)
	require.Equal(t, &wrapped{"eol", "octets"}, got)
}

// catcher keeps what an encoder sends on.
type catcher struct{ sent []any }

func (c *catcher) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	c.sent = append(c.sent, msg)
	return ctx.Forward(buffer.Get(0), p)
}

func TestHooksGetALargeBodyByReferenceInOneValue(t *testing.T) {
	live := buffer.SharedStats().Live
	octets := buffer.FromString(strings.Repeat("x", 1<<20))
	memory := &octets.Bytes()[0]
	body := octets.Slice(0, octets.Len())
	octets.Release()
	calls := 0
	wrap := func(encoded any) (any, error) {
		calls++
		return encoded, nil
	}
	e := encoder12()
	e.WrapFrame = func(m *Frame, encoded any) (any, error) {
		require.Equal(t, "text/plain", m.Headers.Get(HeaderContentType))
		require.Same(t, memory, &m.Body.Part(0)[0])
		return wrap(encoded)
	}
	e.WrapContent = func(_ *ContentSubframe, encoded any) (any, error) { return wrap(encoded) }
	e.WrapHeaders = func(_ *HeadersSubframe, encoded any) (any, error) { return wrap(encoded) }
	e.WrapEOL = wrap
	c := new(catcher)
	ch, err := embedded.New(embedded.Config{}, c, codec.NewMessageEncoder[any](e))
	require.NoError(t, err)
	write := func(m any) {
		require.NoError(t, ch.Pipeline().Write(m))
		ch.RunPending()
	}

	f := NewFrame(CommandSend, HeaderDestination, "/q", HeaderContentType, "text/plain")
	body.Retain()
	f.Body.Append(body)
	tail, err := NewTail(Version12, f.Headers, &f.Body)
	require.NoError(t, err)
	write(f)
	d := NewDelivery(tail)
	d.Subscription = "1"
	write(d)
	write(NewHeaders(CommandSend, HeaderDestination, "/q"))
	write(NewContent(body, false))
	write(NewContent(buffer.Slice{}, true))
	write(&EOL{})
	tail.Release()

	require.Equal(t, 6, calls, "each message is one value")
	require.Len(t, c.sent, 6)
	for _, m := range c.sent[:2] {
		require.Equal(t, 3, m.(*buffer.Composite).Parts(), "head, body, NUL")
		require.Same(t, memory, &m.(*buffer.Composite).Part(1)[0])
		require.Equal(t, "\x00", string(m.(*buffer.Composite).Part(2)))
	}
	require.Equal(t, "SEND\ndestination:/q\n\n", flat(c.sent[2]))
	require.Same(t, memory, &c.sent[3].(*buffer.Buffer).Bytes()[0], "a content is the body itself")
	require.Equal(t, "\x00", flat(c.sent[4]))
	require.Equal(t, "\n", flat(c.sent[5]))
	for _, m := range c.sent {
		buffer.Release(m)
	}
	_, err = ch.Finish()
	require.NoError(t, err)
	require.Equal(t, live, buffer.SharedStats().Live)
}
