package stomp

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/codec/codectest"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

var (
	_ codec.Decoder[any]        = (*Decoder)(nil)
	_ codec.EOFDecoder[any]     = (*Decoder)(nil)
	_ codec.Bounded             = (*Decoder)(nil)
	_ codec.Resetter            = (*Decoder)(nil)
	_ codec.AllocatorUser       = (*Decoder)(nil)
	_ codec.Encoder[any]        = (*Encoder)(nil)
	_ codec.MessageEncoder[any] = (*Encoder)(nil)
	_ codec.Accepter            = (*Encoder)(nil)
	_ codec.Resetter            = (*Encoder)(nil)
	_ codec.AllocatorUser       = (*Encoder)(nil)
	_ codec.MessageDecoder[any] = (*Aggregator)(nil)
	_ codec.Accepter            = (*Aggregator)(nil)
	_ codec.Resetter            = (*Aggregator)(nil)
	_ codec.AllocatorUser       = (*Aggregator)(nil)
)

// texts turns decoded messages into text, subframes of one frame joined: what Verify compares.
func texts(messages []any) []any {
	var out []any
	open := ""
	for _, m := range messages {
		switch m := m.(type) {
		case string:
			out = append(out, m)
		case *Frame:
			out = append(out, fmt.Sprintf("%s %q %q", m.Command, m.Headers, m.Body.String()))
		case *HeadersSubframe:
			open = fmt.Sprintf("%s %q ", m.Command, m.Headers)
		case *ContentSubframe:
			open += string(m.Data.Bytes())
			if m.Last {
				head, body, _ := strings.Cut(open, "] ")
				out = append(out, fmt.Sprintf("%s] %q", head, body))
				open = ""
			}
		}
	}
	if open != "" {
		out = append(out, "unfinished "+open)
	}
	return out
}

func TestDecoderVerified(t *testing.T) {
	big := strings.Repeat("x", 1500)
	input := []byte("\nSEND\r\nd\\c:a\\cb\r\n\r\nhello\x00\n\r\nACK\nid:1\n\n\x00MESSAGE\ncontent-length:3\n\na\x00b\x00SEND\n\n" + big + "\x00")
	want := []any{`SEND [{"d:" "a:b"}] "hello"`, `ACK [{"id" "1"}] ""`, `MESSAGE [{"content-length" "3"}] "a\x00b"`, `SEND [] "` + big + `"`}
	for _, stream := range []bool{false, true} {
		fresh := func() codectest.Decoder[any] { return &Decoder{State: &State{Version: Version12}, Stream: stream} }
		opts := codectest.Options[any]{Join: texts}
		if stream {
			opts.Join = finished
		}
		codectest.Verify(t, fresh, input, want, opts)
		codectest.VerifyError(t, fresh, []byte("ACK\nid:1\n\n\x00SEND\na:\\x\n"), []any{`ACK [{"id" "1"}] ""`}, ErrBadEscape, opts)
		codectest.VerifyLinear(t, fresh, []byte("SEND\na:"+strings.Repeat("x", 4000)+"\n\n"+strings.Repeat("y", 20_000)))
	}
}

// finished is texts without a frame whose end has not come.
func finished(messages []any) []any {
	out := texts(messages)
	if n := len(out); n > 0 && strings.HasPrefix(out[n-1].(string), "unfinished ") {
		out = out[:n-1]
	}
	return out
}

func TestDecoderSaysWhatItEmitsAndHolds(t *testing.T) {
	frame, headers, content, beat := reflect.TypeFor[*Frame](), reflect.TypeFor[*HeadersSubframe](), reflect.TypeFor[*ContentSubframe](), reflect.TypeFor[*EOL]()
	require.Equal(t, []reflect.Type{frame}, new(Decoder).Emits())
	require.Equal(t, []reflect.Type{frame, beat}, (&Decoder{Beats: true}).Emits())
	require.Equal(t, []reflect.Type{headers, content}, (&Decoder{Stream: true}).Emits())
	require.Equal(t, []reflect.Type{headers, content, beat}, (&Decoder{Stream: true, Beats: true}).Emits())
	require.Equal(t, DefaultHead+2, new(Decoder).MaxHeld())
	require.Equal(t, 102, (&Decoder{Limits: Limits{Head: 100}}).MaxHeld())
	require.ElementsMatch(t, []reflect.Type{frame, reflect.TypeFor[*Delivery](), headers, content, beat}, new(Encoder).Takes())
	require.ElementsMatch(t, []reflect.Type{frame, headers, content}, new(Aggregator).Takes())
	require.Equal(t, []reflect.Type{frame}, new(Aggregator).Emits())
}

func TestCodecTakesMemoryFromTheAllocatorItWasGiven(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{Name: "test"})
	defer pool.Close()
	d, e, a := new(Decoder), encoder12(), new(Aggregator)
	d.UseAllocator(pool)
	e.UseAllocator(pool)
	a.UseAllocator(pool)
	require.Empty(t, steps(t, d, "SEND\n\nx"))
	require.Equal(t, 1, pool.Live())
	addAll(t, a, NewHeaders(CommandSend), NewContent(sliceOf("x"), false))
	require.Equal(t, 2, pool.Live())
	var sent any
	require.NoError(t, e.EncodeMessage(&Frame{Command: CommandAck}, func(m any) { sent = m }))
	require.Equal(t, 3, pool.Live())
	buffer.Release(sent)
	d.Reset()
	a.Reset()
	require.Zero(t, pool.Live())
}

func TestEncodeMessagePassesTheHooks(t *testing.T) {
	live := buffer.SharedStats().Live
	type wrapped struct{ encoded any }
	failure := errors.New("no")
	e := encoder12()
	e.WrapFrame = func(m *Frame, encoded any) (any, error) {
		if m.Command == CommandError {
			buffer.Release(encoded)
			return nil, failure
		}
		return &wrapped{encoded}, nil
	}
	var sent []any
	emit := func(m any) { sent = append(sent, m) }
	require.NoError(t, e.EncodeMessage(&Frame{Command: CommandAck}, emit))
	require.NoError(t, e.EncodeMessage(&HeadersSubframe{Command: CommandSend}, emit))
	require.NoError(t, e.EncodeMessage(&EOL{}, emit), "nothing to write is a message too")
	require.ErrorIs(t, e.EncodeMessage(&Frame{Command: CommandAck}, emit), ErrOutOfOrder)
	e.Reset()
	require.ErrorIs(t, e.EncodeMessage(&Frame{Command: CommandError}, emit), failure)
	require.Len(t, sent, 3)
	require.Equal(t, "ACK\n\n\x00", flat(sent[0].(*wrapped).encoded))
	require.Equal(t, "SEND\n\n", flat(sent[1]))
	require.Empty(t, flat(sent[2]))
	buffer.Release(sent[0].(*wrapped).encoded)
	buffer.Release(sent[1])
	buffer.Release(sent[2])
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestDecodeMessageLeavesItsMessageToTheCaller(t *testing.T) {
	live := buffer.SharedStats().Live
	var a Aggregator
	var frames []*Frame
	emit := func(m any) { frames = append(frames, m.(*Frame)) }
	for _, m := range []any{NewHeaders(CommandSend), NewContent(sliceOf(strings.Repeat("x", 2000)), true), NewFrame(CommandAck)} {
		require.NoError(t, a.DecodeMessage(m, emit))
		buffer.Release(m)
	}
	c := NewContent(buffer.Slice{}, true)
	require.ErrorIs(t, a.DecodeMessage(c, emit), ErrOutOfOrder)
	c.Release()
	require.Len(t, frames, 2)
	require.Equal(t, 2000, frames[0].Body.Len())
	for _, f := range frames {
		f.Release()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}
