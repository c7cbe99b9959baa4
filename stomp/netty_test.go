package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// What netty's codec-stomp pins in its own tests, as behaviour of ours. Where netty drops something silently the
// expectation is that nothing is lost.

func TestNettyDecoderCases(t *testing.T) {
	tests := []struct {
		name   string
		input  string
		strict bool
		want   []plainFrame
		err    string // text of the error, "" = none
	}{
		{
			name:  "single frame",
			input: "CONNECT\nhost:stomp.example.org\naccept-version:1.1,1.2\n\n\x00",
			want:  []plainFrame{{CommandConnect, Headers{{"host", "stomp.example.org"}, {"accept-version", "1.1,1.2"}}, ""}},
		},
		{
			name:  "body without length",
			input: "SEND\ndestination:/queue/a\ncontent-type:text/plain\n\nhello, queue a!\x00",
			want:  []plainFrame{{CommandSend, Headers{{"destination", "/queue/a"}, {"content-type", "text/plain"}}, "hello, queue a!"}},
		},
		{
			name:  "body with length",
			input: "SEND\ndestination:/queue/a\ncontent-length:17\n\nhello, queue a!!!\x00",
			want:  []plainFrame{{CommandSend, Headers{{"destination", "/queue/a"}, {"content-length", "17"}}, "hello, queue a!!!"}},
		},
		{
			name:  "two frames in one read",
			input: "CONNECT\nhost:h\n\n\x00\nSEND\ndestination:/q\n\nhello\x00",
			want:  []plainFrame{{CommandConnect, Headers{{"host", "h"}}, ""}, {CommandSend, Headers{{"destination", "/q"}}, "hello"}},
		},
		{
			name:  "colon in a value, lenient",
			input: "SEND\ndestination:/q\ncurrent-time:2000-01-01T00:00:00\n\nx\x00",
			want:  []plainFrame{{CommandSend, Headers{{"destination", "/q"}, {"current-time", "2000-01-01T00:00:00"}}, "x"}},
		},
		{
			name:   "colon in a value, strict",
			input:  "SEND\ndestination:/q\ncurrent-time:2000-01-01T00:00:00\n\nx\x00",
			strict: true,
			err:    `stomp: colon-in-value in SEND: "current-time:2000-01-01T00:00:00"`,
		},
		{
			name:  "header without a colon",
			input: "SEND\ndestination:/q\ncurrent-time\n\nx\x00",
			err:   `stomp: bad-header in SEND: "current-time"`,
		},
		{
			name:  "empty header name",
			input: "SEND\ndestination:/q\n:header-value\n\nx\x00",
			err:   `stomp: bad-header in SEND: ":header-value"`,
		},
		{
			name:  "UTF-8 in headers",
			input: "SEND\ndestination:/queue/\u211611\u00b1\u265b\u043d\u0435\u0442\u0442\u0438\u2655\n\nbody\x00",
			want:  []plainFrame{{CommandSend, Headers{{"destination", "/queue/\u211611\u00b1\u265b\u043d\u0435\u0442\u0442\u0438\u2655"}}, "body"}},
		},
		{
			name:  "no NUL behind the body",
			input: "SEND\ndestination:/q\ncontent-length:7\n\nmessage_\x00",
			err:   `stomp: missing-nul in SEND: "_"`,
		},
		{
			name:  "escapes in names and values",
			input: "MESSAGE\nsubscription:1\ndestination:/queue/a\\c\nheader\\\\\\r\\n\\cName:header\\\\\\r\\n\\cValue\n\n\x00",
			want: []plainFrame{{
				CommandMessage, Headers{{"subscription", "1"}, {"destination", "/queue/a:"}, {"header\\\r\n:Name", "header\\\r\n:Value"}}, "",
			}},
		},
		{
			name:  "no escapes in CONNECT",
			input: "CONNECT\naccept-version:1.2\nheaderName-\\\\:headerValue-\\\\\n\n\x00",
			want:  []plainFrame{{CommandConnect, Headers{{"accept-version", "1.2"}, {`headerName-\\`, `headerValue-\\`}}, ""}},
		},
		{
			name:  "no escapes in CONNECTED",
			input: "CONNECTED\nversion:1.2\nheaderName-\\\\:headerValue-\\\\\n\n\x00",
			want:  []plainFrame{{CommandConnected, Headers{{"version", "1.2"}, {`headerName-\\`, `headerValue-\\`}}, ""}},
		},
		{
			name:  "undefined escape",
			input: "SEND\ndestination:/q\ncustom_invalid\\t:value\n\nx\x00",
			err:   `stomp: bad-escape in SEND: "custom_invalid\\t:value"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fresh := func() *Decoder { return &Decoder{State: &State{Version: Version12}, Strict: tt.strict} }
			forEachSplit([]byte(tt.input), func(how string, chunks [][]byte) {
				g := decodeAll(t, fresh(), chunks)
				require.Equal(t, tt.want, g.Frames, how)
				require.Equal(t, tt.err != "", g.Err != "")
			})
			if tt.err != "" {
				require.EqualError(t, lastError(t, fresh(), tt.input), tt.err)
			}
		})
	}
}

// lastError decodes input up to its error.
func lastError(t *testing.T, d *Decoder, input string) error {
	t.Helper()
	in := buffer.FromString(input)
	defer in.Release()
	for {
		m, ok, err := d.Decode(in)
		if !ok {
			return err
		}
		buffer.Release(m)
	}
}

func TestNettyChunksFiveByFive(t *testing.T) {
	d := &Decoder{Stream: true, Limits: Limits{Line: 10000, Chunk: 5}}
	got := steps(t, d, "SEND\ndestination:/queue/a\ncontent-length:17\n\nhello, queue a!!!\x00")
	require.Equal(t, []string{"headers SEND", "content hello", "content , que", "content ue a!", "last !!"}, got)
}

func TestNettyAggregatesABodySplitOverTwoReads(t *testing.T) {
	input := "SEND\ndestination:/queue/a\n\nhello, queue a!\x00"
	for n := range len(input) {
		g := decodeAll(t, &Decoder{Stream: true}, [][]byte{[]byte(input[:n]), []byte(input[n:])})
		require.Equal(t, "hello, queue a!", g.Frames[0].Body)
	}
}

func TestNettyAggregatorRefusesABodyThatIsTooLong(t *testing.T) {
	a := &Aggregator{MaxBody: 10}
	_, _, err := a.Add(NewHeaders(CommandSend, HeaderContentLength, "17"))
	require.EqualError(t, err, "stomp: body-too-large in SEND, limit 10")
	a.Reset()
}

func TestNettyEncoderCases(t *testing.T) {
	utf8Name := "/queue/\u211611\u00b1\u265b\u043d\u0435\u0442\u0442\u0438\u2655"
	tests := []struct {
		name     string
		messages []any
		want     string
	}{
		{
			"head and empty last content",
			[]any{NewHeaders(CommandConnect, "host", "stomp.example.org", "accept-version", "1.1,1.2"), NewContent(buffer.Slice{}, true)},
			"CONNECT\nhost:stomp.example.org\naccept-version:1.1,1.2\n\n\x00",
		},
		{
			"UTF-8",
			[]any{NewHeaders(CommandSend, "destination", utf8Name), NewContent(sliceOf("body"), true)},
			"SEND\ndestination:" + utf8Name + "\n\nbody\x00",
		},
		{
			"escapes",
			[]any{NewFrame(CommandMessage, "destination", "/queue/a:", "header\\\r\n:Name", "header\\\r\n:Value")},
			"MESSAGE\ndestination:/queue/a\\c\nheader\\\\\\r\\n\\cName:header\\\\\\r\\n\\cValue\n\n\x00",
		},
		{
			"no escapes in CONNECT",
			[]any{NewFrame(CommandConnect, "colonHeaderName-", "colonHeaderValue-:")},
			"CONNECT\ncolonHeaderName-:colonHeaderValue-:\n\n\x00",
		},
		{
			"no escapes in CONNECTED",
			[]any{NewFrame(CommandConnected, "version", "1.2", "colonHeaderName-", "colonHeaderValue-:\\")},
			"CONNECTED\nversion:1.2\ncolonHeaderName-:colonHeaderValue-:\\\n\n\x00",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := encodeSteps(t, encoder12(), tt.messages...)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestNettyOneBufferForAnEmptyBody(t *testing.T) {
	f := NewFrame(CommandReceipt, "receipt-id", strings.Repeat("x", 300))
	defer f.Release()
	var out buffer.Writer
	e := encoder12()
	out.Reset(nil, e.Size(f))
	require.NoError(t, e.Encode(&out, f))
	msg, ok := out.Take().(*buffer.Buffer)
	require.True(t, ok)
	msg.Release()
}
