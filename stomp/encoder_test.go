package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func encoder12() *Encoder { return &Encoder{State: &State{Version: Version12}} }

// encodeSteps encodes messages one after another with one encoder, releases them and joins the octets.
func encodeSteps(t *testing.T, e *Encoder, messages ...any) (string, error) {
	t.Helper()
	var sb strings.Builder
	var first error
	for _, m := range messages {
		require.True(t, e.Accepts(m))
		text, err := encodeTo(t, e, m)
		sb.WriteString(text)
		if first == nil {
			first = err
		}
	}
	for _, m := range messages {
		buffer.Release(m)
	}
	return sb.String(), first
}

func TestEncoderAcceptsItsOwnMessagesOnly(t *testing.T) {
	e := encoder12()
	for _, m := range []any{&Frame{}, &Delivery{}, &HeadersSubframe{}, &ContentSubframe{}, &EOL{}} {
		require.True(t, e.Accepts(m), "%T", m)
	}
	for _, m := range []any{nil, "text", Frame{}.Command, buffer.Get(0), 7} {
		require.False(t, e.Accepts(m), "%T", m)
		require.Zero(t, e.Size(m))
		require.ErrorContains(t, e.Encode(new(buffer.Writer), m), "stomp: cannot encode ")
	}
}

func TestEncoderAddsContentLengthToBodies(t *testing.T) {
	tests := []struct {
		name   string
		rule   LengthRule
		length string // header that the frame has, "" = none
		body   string
		want   string // header on the wire
	}{
		{"always", LengthAlways, "", "abc", "3"},
		{"always, by octets", LengthAlways, "", "\u20ac1", "4"},
		{"always, not to an empty body", LengthAlways, "", "", ""},
		{"always, kept once", LengthAlways, "3", "abc", "3"},
		{"always, zero kept", LengthAlways, "0", "", "0"},
		{"needed, not for text", LengthNeeded, "", "abc", ""},
		{"needed, for NUL", LengthNeeded, "", "a\x00c", "3"},
		{"needed, kept", LengthNeeded, "3", "abc", "3"},
		{"ten digits or so", LengthAlways, "", strings.Repeat("x", 12345), "12345"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFrame(CommandSend, HeaderDestination, "/q")
			if tt.length != "" {
				f.Headers.Add(HeaderContentLength, tt.length)
			}
			f.Body.AppendString(tt.body)
			want := "SEND\ndestination:/q\n"
			if tt.want != "" {
				want += "content-length:" + tt.want + "\n"
			}
			headers := f.Headers.Clone()
			e := encoder12()
			e.Length = tt.rule
			got, err := encodeTo(t, e, f)
			require.NoError(t, err)
			require.Equal(t, want+"\n"+tt.body+"\x00", got)
			require.Equal(t, headers, f.Headers, "the frame was changed")
			f.Release()
		})
	}
}

func TestEncoderRefuses(t *testing.T) {
	tests := []struct {
		name    string
		command Command
		headers []string
		body    string
		want    Reason
	}{
		{"a length that is too small", CommandSend, []string{"content-length", "2"}, "abc", ErrBadContentLength},
		{"a length that is too large", CommandSend, []string{"content-length", "4"}, "abc", ErrBadContentLength},
		{"a length that is no number", CommandSend, []string{"content-length", "three"}, "abc", ErrBadContentLength},
		{"lengths that differ", CommandSend, []string{"content-length", "3", "content-length", "4"}, "abc", ErrBadContentLength},
		{"a length without a body", CommandAck, []string{"content-length", "1"}, "", ErrBadContentLength},
		{"a body where none may be", CommandSubscribe, nil, "abc", ErrBodyNotAllowed},
		{"a body on an unknown command", "HELLO", nil, "abc", ErrBodyNotAllowed},
		{"no command", "", nil, "", ErrUnknownCommand},
		{"a command with LF", "SEND\nx:y", nil, "", ErrUnknownCommand},
		{"a command with CR", "SEND\r", nil, "", ErrUnknownCommand},
		{"a command with NUL", "SEND\x00", nil, "", ErrUnknownCommand},
		{"an empty name", CommandSend, []string{"", "x"}, "", ErrUnencodable},
		{"NUL in the last of many headers", CommandSend, []string{"a", "1", "b", "2", "c", "\x00"}, "abc", ErrUnencodable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := NewFrame(tt.command, tt.headers...)
			f.Body.AppendString(tt.body)
			_, err := encodeTo(t, encoder12(), f)
			require.ErrorIs(t, err, tt.want)
			f.Release()
		})
	}
}

func TestEncoderWritesUnknownCommands(t *testing.T) {
	got, err := encodeSteps(t, encoder12(), NewFrame("HELLO world", "a", "b"))
	require.NoError(t, err)
	require.Equal(t, "HELLO world\na:b\n\n\x00", got)
}

func TestEncoderWritesASmallFrameIntoOneBuffer(t *testing.T) {
	f := NewFrame(CommandSend, HeaderDestination, "/q:1")
	defer f.Release()
	f.Body.AppendString(strings.Repeat("x", refThreshold-1))
	e := encoder12()
	var out buffer.Writer
	out.Reset(nil, e.Size(f))
	require.NoError(t, e.Encode(&out, f))
	msg, ok := out.Take().(*buffer.Buffer)
	require.True(t, ok, "more than one piece")
	require.Less(t, msg.Cap(), 2*msg.Len(), "not right-sized")
	msg.Release()
}

func TestEncoderSendsALargeBodyByReference(t *testing.T) {
	live := buffer.SharedStats().Live
	f := NewFrame(CommandSend, HeaderDestination, "/q")
	f.Body.AppendString(strings.Repeat("x", 3000))
	f.Body.AppendString("small part")
	f.Body.AppendString(strings.Repeat("y", 3000))
	want := "SEND\ndestination:/q\ncontent-length:6010\n\n" + f.Body.String() + "\x00"
	first := &f.Body.Part(0)[0]
	e := encoder12()
	var out buffer.Writer
	size := e.Size(f)
	require.Equal(t, len(want)-len("content-length:6010\n")-6000, size, "referenced octets are not of the writer's memory")
	out.Reset(nil, size)
	require.NoError(t, e.Encode(&out, f))
	f.Release()
	msg := out.Take().(*buffer.Composite)
	require.Same(t, first, &msg.Part(1)[0], "the body was copied")
	require.Equal(t, want, string(msg.Bytes()))
	msg.Release()
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestEncoderLooksAgainWhenAFrameChangedAfterSize(t *testing.T) {
	f := NewFrame(CommandSend, "a", "123456789")
	defer f.Release()
	for _, tt := range []struct{ value, want string }{
		{"1:3456789", `1\c3456789`},
		{"12345678901234567890", "12345678901234567890"},
		{"1", "1"},
		{"12345678\n", `12345678\n`},
	} {
		f.Headers.Set("a", "123456789")
		e := encoder12()
		size := e.Size(f)
		f.Headers.Set("a", tt.value)
		var out buffer.Writer
		out.Reset(nil, size)
		require.NoError(t, e.Encode(&out, f))
		msg := out.Take()
		require.Equal(t, "SEND\na:"+tt.want+"\n\n\x00", flat(msg))
		buffer.Release(msg)
	}
	e := encoder12()
	var out buffer.Writer
	out.Reset(nil, e.Size(f))
	f.Headers.Set("a", "1\x00")
	require.ErrorIs(t, e.Encode(&out, f), ErrUnencodable)
	require.Zero(t, out.Len())
	out.Discard()
}

func TestEncoderStreamsAFrame(t *testing.T) {
	big := strings.Repeat("x", refThreshold)
	got, err := encodeSteps(t, encoder12(),
		NewHeaders(CommandSend, "destination", "/a:b"), NewContent(sliceOf("abc"), false), NewContent(sliceOf(big), false), &EOL{},
		NewContent(sliceOf("d"), true), NewHeaders(CommandAck, "id", "1"), NewContent(buffer.Slice{}, true), &EOL{})
	require.NoError(t, err)
	require.Equal(t, "SEND\ndestination:/a\\cb\n\nabc"+big+"d\x00ACK\nid:1\n\n\x00\n", got)
}

func TestEncoderStreamsADeclaredBodyWithNuls(t *testing.T) {
	got, err := encodeSteps(t, encoder12(), NewHeaders(CommandSend, "content-length", "4"),
		NewContent(sliceOf("a\x00"), false), NewContent(sliceOf("b\x00"), false), NewContent(buffer.Slice{}, true))
	require.NoError(t, err)
	require.Equal(t, "SEND\ncontent-length:4\n\na\x00b\x00\x00", got)
}

func TestEncoderRefusesAStreamThatTheReaderWouldMisread(t *testing.T) {
	send := func() any { return NewHeaders(CommandSend, "content-length", "3") }
	content := func(s string, last bool) any { return NewContent(sliceOf(s), last) }
	tests := []struct {
		name     string
		messages []any
		want     Reason
	}{
		{"content without headers", []any{content("a", true)}, ErrOutOfOrder},
		{"content behind the end", []any{send(), content("abc", true), content("d", true)}, ErrOutOfOrder},
		{"frame inside a frame", []any{send(), NewFrame(CommandAck)}, ErrOutOfOrder},
		{"headers inside a frame", []any{send(), send()}, ErrOutOfOrder},
		{"more than declared", []any{send(), content("abcd", false)}, ErrBadContentLength},
		{"less than declared", []any{send(), content("ab", true)}, ErrBadContentLength},
		{"NUL in an undeclared body", []any{NewHeaders(CommandSend), content("a\x00b", true)}, ErrBadContentLength},
		{"body where none may be", []any{NewHeaders(CommandAck), content("a", true)}, ErrBodyNotAllowed},
		{"declared body where none may be", []any{NewHeaders(CommandAck, "content-length", "1")}, ErrBodyNotAllowed},
		{"LF in CONNECT", []any{NewHeaders(CommandConnect, "login", "a\nb")}, ErrUnencodable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := encodeSteps(t, encoder12(), tt.messages...)
			require.ErrorIs(t, err, tt.want)
		})
	}
}

func TestEncoderGoesOnWhenAContentWasRefused(t *testing.T) {
	e := encoder12()
	got, err := encodeSteps(t, e, NewHeaders(CommandSend, "content-length", "3"), NewContent(sliceOf("abcd"), true),
		NewContent(sliceOf("abc"), true))
	require.ErrorIs(t, err, ErrBadContentLength)
	require.Equal(t, "SEND\ncontent-length:3\n\nabc\x00", got)
}
