package stomp

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// flood sends total octets of text, over and over, through reads of 4 KiB, and returns the errors and how many octets
// were held at most.
func flood(tb testing.TB, d *Decoder, start, text string, total int) (errs []error, most int) {
	tb.Helper()
	in := buffer.Get(d.MaxHeld() + 4<<10)
	defer in.Release()
	in.AppendString(start)
	chunk := bytes.Repeat([]byte(text), (4<<10)/len(text))
	for sent := 0; sent < total; sent += len(chunk) {
		if in.Room() < len(chunk) {
			rest := buffer.FromBytes(in.Bytes())
			in.Reset()
			in.Append(rest.Bytes())
			rest.Release()
		}
		in.Append(chunk)
		most = max(most, in.Len())
		for more := true; more && in.Len() > 0; {
			m, ok, err := d.Decode(in)
			if err != nil {
				errs = append(errs, err)
			}
			buffer.Release(m)
			more = ok
		}
	}
	return errs, most
}

// Whatever repeats for ever is refused within its limit, or holds nothing.
func TestFloodsHoldNoMoreThanTheirLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		start, text string
		want        Reason
		held        int
	}{
		"line ends":       {"", "\n", "", 0},
		"CR LF":           {"", "\r\n", "", 0},
		"no command":      {"", "x", ErrLineTooLong, DefaultLine},
		"small frames":    {"ACK\nid:1\n\n", "\x00ACK\nid:1\n\n", "", 0},
		"one long name":   {"SEND\n", "n", ErrLineTooLong, DefaultLine},
		"one long value":  {"SEND\na:", "v", ErrLineTooLong, DefaultLine},
		"escapes":         {"SEND\na:", "\\c", ErrLineTooLong, DefaultLine},
		"empty headers":   {"SEND\n", "a:\n", ErrTooManyHeaders, DefaultHead},
		"headers":         {"SEND\n", "a:b\n", ErrTooManyHeaders, DefaultHead},
		"content-lengths": {"SEND\n", "content-length:5\n", ErrTooManyHeaders, DefaultHead},
		"a body":          {"SEND\n\n", "b", ErrBodyTooLarge, 0},
		"carriage return": {"SEND\n", "\r", ErrLineTooLong, DefaultLine},
	} {
		t.Run(name, func(t *testing.T) {
			live := buffer.SharedStats().Live
			d := &Decoder{State: &State{Version: Version12}}
			errs, most := flood(t, d, tt.start, tt.text, 5<<20)
			if tt.want == "" {
				require.Empty(t, errs)
			} else {
				require.Len(t, errs, 1)
				require.Equal(t, tt.want, reasonOf(errs[0]))
			}
			require.LessOrEqual(t, most, tt.held+2*(4<<10)+len(tt.start))
			d.Reset()
			require.Equal(t, live, buffer.SharedStats().Live)
		})
	}
}

// CVE-2026-44891 was a STOMP frame whose headers never end.
func TestEndlessHeadersCloseTheChannelBefore64KiB(t *testing.T) {
	ch := pipelinetest.New(t, codec.NewDecoder[any](&Decoder{}))
	sent := 0
	ch.FeedWhole("SEND\n")
	for text := strings.Repeat("a:b\n", 100); !ch.Channel().Closed() && sent < 1<<20; sent += len(text) {
		ch.FeedWhole(text)
	}
	require.ErrorIs(t, ch.ExpectError(ErrTooManyHeaders), ErrTooManyHeaders)
	require.Less(t, sent, 64<<10)
}
