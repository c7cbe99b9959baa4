package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestDraftIsOfOneMessageOnly(t *testing.T) {
	headers := Headers{{"a", "1"}, {"b", "2:3"}}
	var d draft
	require.False(t, d.is(0, "", nil), "a new draft is of nothing")
	require.NoError(t, d.prepare(Version12, CommandSend, headers))
	require.Equal(t, "SEND\na:1\nb:2\\c3\n", string(d.octets))
	require.True(t, d.is(Version12, CommandSend, headers))
	require.True(t, d.is(Version12, CommandSend, headers.Clone()), "the texts count, not the list")
	require.False(t, d.is(Version11, CommandSend, headers))
	require.False(t, d.is(Version12, CommandMessage, headers))
	require.False(t, d.is(Version12, CommandSend, headers[:1]))
	headers[1].Value = strings.Clone("2\n3")
	require.False(t, d.is(Version12, CommandSend, headers))
	headers[1].Value = "2:3"
	headers[0].Name = "x"
	require.False(t, d.is(Version12, CommandSend, headers))
}

func TestDraftOfARefusedMessageIsOfNothing(t *testing.T) {
	headers := Headers{{"a", "1"}}
	var d draft
	require.NoError(t, d.prepare(Version12, CommandSend, headers))
	bad := Headers{{"a", "\x00"}}
	require.ErrorIs(t, d.prepare(Version12, CommandSend, bad), ErrUnencodable)
	require.False(t, d.is(Version12, CommandSend, bad))
	require.False(t, d.is(Version12, CommandSend, headers))
}

func TestDraftForgetsTextsAndLargeMemory(t *testing.T) {
	var d draft
	require.NoError(t, d.prepare(Version12, CommandSend, Headers{{"a", "1"}}))
	d.forget()
	require.False(t, d.valid)
	require.Empty(t, d.headers[:1][0])
	require.NotZero(t, cap(d.octets))
	require.NoError(t, d.prepare(Version12, CommandSend, Headers{{"a", strings.Repeat("x", 2*maxDraft)}}))
	d.forget()
	require.Zero(t, cap(d.octets))
}

func TestSizeAndEncodeAgreeUnderEveryVersion(t *testing.T) {
	for v := range VersionUnknown + 4 {
		for _, f := range fixtures() {
			for _, body := range []string{"", "abc", strings.Repeat("x", refThreshold)} {
				if f.Command.Body() {
					f.Body.AppendString(body)
				}
				e := &Encoder{State: &State{Version: v}}
				size := e.Size(f)
				require.Equal(t, size, e.Size(f), "asked twice")
				var out buffer.Writer
				out.Reset(nil, size)
				require.NoError(t, e.Encode(&out, f))
				referenced := 0
				if f.Body.Len() >= refThreshold {
					referenced = f.Body.Len() - f.Body.ownSize()
				}
				require.Equal(t, out.Len(), size+referenced)
				out.Discard()
			}
			f.Release()
		}
	}
}
