package httpx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Published weaknesses of HTTP/1.1 implementations, each as a test under its id.

// requireCut feeds input and requires a refusal with status and no complete message.
func requireCut(t *testing.T, status int, input string) {
	t.Helper()
	got := decodeAnyhow(t, requestDecoder(DecoderConfig{}), []byte(input), false, 3)
	require.Equal(t, status, got.status, "%q: %s", input, got.reason)
	require.Empty(t, got.messages, "%q", input)
}

// A bare LF behind a chunk size, taken for a line end by one party only, hides a request: all line ends of a chunked
// body in every wrong way.
func TestAdvisoryCVE202522871BareLFInChunkLines(t *testing.T) {
	places := []string{ // the line end under test stands at %s
		"3%sabc\r\n0\r\n\r\n",
		"3;a=b%sabc\r\n0\r\n\r\n",
		"3\r\nabc%s0\r\n\r\n",
		"3\r\nabc\r\n0%s\r\n",
		"3\r\nabc\r\n0\r\nX: 1%s\r\n",
		"3\r\nabc\r\n0\r\n%s",
	}
	ends := []string{"\n", "\r", "\n\r", "\r\r\n", "\v\r\n", "\n\n", "\x00\r\n", "\r\x00\n"}
	variants := 0
	for _, place := range places {
		for _, end := range ends {
			requireCut(t, 400, postChunked+fmt.Sprintf(place, end)+getRequest)
			variants++
		}
	}
	require.GreaterOrEqual(t, variants, 40)
}

// Kilobytes of extensions on chunks of one octet make the reader work for nothing.
func TestAdvisoryCVE202339326ChunkExtensionsCostNoMoreThanTheBody(t *testing.T) {
	for name, line := range map[string]string{
		"4 KiB each":    "1;" + strings.Repeat("a", 4000) + "\r\nx\r\n",
		"100 octets":    "1;" + strings.Repeat("a", 100) + "\r\nx\r\n",
		"just too many": "1;" + strings.Repeat("a", 16) + "\r\nx\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFeeder(t, NewRequestDecoder(DecoderConfig{}, nil))
			f.feed([]byte(postChunked))
			sent := 0
			for f.result.reason == "" && sent < 1<<20 {
				f.feed([]byte(line))
				sent += len(line)
			}
			require.Equal(t, 400, f.result.status)
			if len(line) > 100 {
				require.Less(t, sent, 64<<10)
			}
			f.close()
		})
	}
	f := newFeeder(t, NewRequestDecoder(DecoderConfig{}, nil))
	f.feed([]byte(postChunked))
	for range 10000 {
		f.feed([]byte("1;a=123456789012\r\nx\r\n")) // 15 octets each, within the budget for ever
	}
	require.Empty(t, f.close().reason)
}

// valyala/fasthttp#1899 and #2134: LF inside an extension.
func TestAdvisoryFasthttp1899LFInsideChunkExtensions(t *testing.T) {
	for _, ext := range []string{";a\nb", ";\n", ";a=\"\n\"", ";a\n", "\n;a", ";a=\"\\\n\"", ";a=b\n3"} {
		requireCut(t, 400, postChunked+"3"+ext+"\r\nabc\r\n0\r\n\r\n")
	}
}

// GHSA-wx5j-54mm-rqqq: an octet around a field name that one party strips. Every octet at every position.
func TestAdvisoryCVE202143797OctetsInFieldNames(t *testing.T) {
	const name = "X-Forwarded-Id"
	for at := range len(name) + 1 {
		for c := range 256 {
			octet := string([]byte{byte(c)})
			got := decodeWhole(t, NewRequestDecoder(DecoderConfig{}, nil),
				[]byte(getWith(name[:at]+octet+name[at:]+": v")), false)
			switch {
			case specToken(byte(c)):
				require.Empty(t, got.reason, "%q at %d", c, at)
				require.Equal(t, name[:at]+octet+name[at:], got.messages[0].Headers[1][0])
			case c == ':' && at > 0:
				require.Empty(t, got.reason, "%q at %d", c, at) // the name ends here
			default:
				require.Equal(t, 400, got.status, "%q at %d", c, at)
				require.Empty(t, got.messages)
			}
		}
	}
}

// A setter that takes fields in bulk past the check splits the response: whatever way a field takes, the head has
// exactly the line ends it must have.
func TestAdvisoryGHSAhh823pmq7frpEverySetterChecks(t *testing.T) {
	const evil = "a\r\nSet-Cookie: x"
	decoded := decodeHead(t, getWith("X-A: v"))
	defer decoded.Release()
	for name, fill := range map[string]func(h *Header){
		"Add":      func(h *Header) { require.Error(t, h.Add("X", evil)) },
		"AddBytes": func(h *Header) { require.Error(t, h.AddBytes("X", []byte(evil))) },
		"Set":      func(h *Header) { require.Error(t, h.Set("X", evil)) },
		"Set over": func(h *Header) {
			require.NoError(t, h.Add("X", "v"))
			require.Error(t, h.Set("X", evil))
		},
		"name":   func(h *Header) { require.Error(t, h.Add("X: 1\r\nY", "v")) },
		"AddAll": func(h *Header) { h.AddAll(&decoded.Header) },
	} {
		for _, trailer := range []bool{false, true} {
			r, last := NewResponse(200), &Content{Last: true, Trailer: new(Header)}
			fill(&r.Header)
			lines := 2 + r.Header.Len() + 1 // status line, fields, Transfer-Encoding, empty line
			if trailer {
				fill(last.Trailer)
			}
			lines += 2 + last.Trailer.Len()
			var out buffer.Writer
			out.Reset(nil, 0)
			e := NewResponseEncoder(nil)
			require.NoError(t, e.Encode(&out, r))
			err := e.Encode(&out, last)
			if err != nil {
				require.EqualError(t, err, "httpx: forbidden trailer")
				lines -= 2 + last.Trailer.Len()
			}
			got, _ := written(&out, nil)
			require.Equal(t, lines, strings.Count(got, "\n"), "%s: %q", name, got)
			require.Equal(t, lines, strings.Count(got, "\r\n"))
			out.Discard()
			r.Release()
		}
	}
}

// Errors are logged and sent back, so they must not carry what the peer sent.
func TestAdvisoryCVE202642507ErrorsCarryNoOctetsOfThePeer(t *testing.T) {
	const mark = "\x1b[31m\nEVIL"
	for _, input := range []string{
		mark, mark + "\r\n", "GET " + mark + " HTTP/1.1\r\n", "GET / " + mark + "\r\n", getWith(mark + ": v"), getWith("X: " + mark),
		getWith("Content-Length: " + mark), getWith("Transfer-Encoding: " + mark), "GET / HTTP/1.1\r\nHost: " + mark + "\r\n\r\n",
		postChunked + mark + "\r\n", postChunked + "1;" + mark + "\r\n", postChunked + "0\r\n" + mark + "\r\n",
	} {
		in := buffer.FromString(input)
		d := NewRequestDecoder(DecoderConfig{}, nil)
		var err error
		for err == nil && in.Len() > 0 {
			var m any
			m, _, err = d.Decode(in)
			buffer.Release(m)
		}
		in.Release()
		require.Error(t, err, "%q", input)
		for _, r := range err.Error() {
			require.True(t, r >= ' ' && r < 0x7f, "%q", err)
		}
		require.NotContains(t, err.Error(), "EVIL")
	}
	err := new(Header).Add("X", mark)
	require.NotContains(t, err.Error(), "EVIL")
}

// Too many fields on an upgrade crashed a server; here they are refused, and nothing is left waiting.
func TestAdvisoryCVE202437890TwoThousandFieldsOnAnUpgrade(t *testing.T) {
	fields := strings.Repeat("X: 1\r\n", 2000)
	requireCut(t, 431, strings.TrimSuffix(upgradeRequest, "\r\n")+fields+"\r\n")
	requireCut(t, 431, "GET /chat HTTP/1.1\r\n"+fields+strings.TrimPrefix(upgradeRequest, "GET /chat HTTP/1.1\r\n"))
}

// An encoder that cuts an over-long name would write another field than it was given.
func TestAdvisoryCVE202677408OverlongNamesAreRefusedNotCut(t *testing.T) {
	h := new(Header)
	require.NoError(t, h.Add(strings.Repeat("n", maxNameBytes), "v"))
	var refused *Error
	require.ErrorAs(t, h.Add(strings.Repeat("n", maxNameBytes+1), "v"), &refused)
	require.Equal(t, 1, h.Len())
	name, _ := h.At(0)
	require.Len(t, name, maxNameBytes)
	config := DecoderConfig{Limits: Limits{Head: 1 << 20}}
	got := decodeWhole(t, NewRequestDecoder(config, nil), []byte(getWith(strings.Repeat("n", maxNameBytes+1)+": v")), false)
	require.Equal(t, 400, got.status)
}
