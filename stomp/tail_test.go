package stomp

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// shared are headers as those of a SEND, with what must not reach subscribers.
func shared() Headers {
	return Headers{
		{HeaderDestination, "/topic/a:b"},
		{HeaderReceipt, "r"},
		{HeaderTransaction, "t"},
		{HeaderSubscription, "spoofed"},
		{HeaderMessageID, "spoofed"},
		{HeaderAck, "spoofed"},
		{HeaderRedelivered, "true"},
		{"user", "back\\slash"},
	}
}

// bodyOf returns a body of octets that lie in one piece.
func bodyOf(text string) *Body {
	b := new(Body)
	b.AppendString(text)
	return b
}

// tailOf makes a tail whose source is gone, so that nothing of it can be kept.
func tailOf(tb testing.TB, v Version, headers Headers, body string) *Tail {
	tb.Helper()
	b := bodyOf(body)
	defer b.Reset()
	t, err := NewTail(v, headers, b)
	require.NoError(tb, err)
	return t
}

func TestTailHasAPrototypeWithTheSharedHeadersOnly(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, body := range []string{"", "abc", strings.Repeat("x", 5000)} {
		source := []byte("user value back\\slash")
		headers := shared()
		headers[len(headers)-1] = Header{string(source[:4]), string(source[11:])}
		tail := tailOf(t, Version12, headers, body)
		clear(headers)
		f := tail.Frame()
		require.Equal(t, CommandMessage, f.Command)
		require.Equal(t, Headers{{HeaderDestination, "/topic/a:b"}, {"user", "back\\slash"}}, f.Headers)
		require.Equal(t, body, f.Body.String())
		require.Equal(t, Version12, tail.Version())
		tail.Release()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestTailsPrototypeIsKeptByClone(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, size := range []int{3, 5000} {
		tail := tailOf(t, Version12, Headers{{HeaderDestination, "/a:b"}, {"user", "name"}}, strings.Repeat("x", size))
		name := tail.Frame().Headers[0].Name
		f := tail.Frame().Clone()
		tail.Release()
		other := tailOf(t, Version12, Headers{{HeaderContentType, "/c:d"}, {"resu", "eman"}}, strings.Repeat("y", size))
		require.Equal(t, HeaderDestination, name, "names of the specification are constants")
		require.Equal(t, Headers{{HeaderDestination, "/a:b"}, {"user", "name"}}, f.Headers)
		require.Equal(t, strings.Repeat("x", size), f.Body.String())
		other.Release()
		f.Release()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestTailRefusesWhatAnEncoderRefuses(t *testing.T) {
	live := buffer.SharedStats().Live
	tests := []struct {
		name    string
		version Version
		header  Header
		body    string
		want    error
	}{
		{"NUL in a value", Version12, Header{"a", "b\x00"}, "", ErrUnencodable},
		{"LF in a name before 1.1", Version10, Header{"a\nb", "c"}, "", ErrUnencodable},
		{"LF in a value before 1.1", Version10, Header{"a", "b\nSEND"}, "", ErrUnencodable},
		{"colon in a name before 1.1", Version10, Header{"a:b", "c"}, "", ErrUnencodable},
		{"CR before a version is agreed on", VersionUnknown, Header{"a", "b\r"}, "", ErrUnencodable},
		{"empty name", Version12, Header{"", "c"}, "", ErrUnencodable},
		{"length of another body", Version12, Header{HeaderContentLength, "4"}, "abc", ErrBadContentLength},
		{"length that is no number", Version12, Header{HeaderContentLength, "-3"}, "abc", ErrBadContentLength},
		{"length without a body", Version12, Header{HeaderContentLength, "1"}, "", ErrBadContentLength},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := bodyOf(tt.body)
			defer body.Reset()
			tail, err := NewTail(tt.version, Headers{{HeaderDestination, "/q"}, tt.header}, body)
			require.Nil(t, tail)
			require.ErrorIs(t, err, tt.want)
			f := &Frame{Command: CommandMessage, Headers: Headers{{HeaderDestination, "/q"}, tt.header}}
			f.Body.AppendBody(body)
			_, errFrame := encodeTo(t, &Encoder{State: &State{Version: tt.version}}, f)
			require.Equal(t, errFrame, err, "the same as for a frame")
			f.Release()
		})
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestTailIsUsedFromManyGoroutines(t *testing.T) {
	live := buffer.SharedStats().Live
	for _, size := range []int{10, 5000} {
		body := strings.Repeat("x", size)
		tail := tailOf(t, Version12, shared(), body)
		var wg sync.WaitGroup
		for range 8 {
			tail.Retain()
			wg.Go(func() {
				defer tail.Release()
				e := encoder12()
				for i := range 200 {
					d := NewDelivery(tail)
					d.Subscription, d.Ack = "s", ID{Number: uint64(i + 1)}
					err := e.EncodeMessage(d, func(m any) {
						if wire := flat(m); !strings.HasSuffix(wire, "\n\n"+body+"\x00") {
							t.Errorf("%q", wire)
						}
						buffer.Release(m)
					})
					if err != nil {
						t.Error(err)
					}
					d.Release()
				}
			})
		}
		tail.Release()
		wg.Wait()
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestTailReleasedTwicePanics(t *testing.T) {
	tail := tailOf(t, Version12, nil, "")
	tail.Release()
	require.PanicsWithValue(t, "stomp: tail released twice", tail.Release)
}
