package httpx

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// reading is one field of DecoderConfig: how to select the other reading, and what then becomes of which cases.
type reading struct {
	field  string
	config DecoderConfig
	cases  map[string]result // messages compare by what the row gives
}

func get(headers ...[2]string) message {
	return message{Method: "GET", Target: "/", Version: "HTTP/1.1", KeepAlive: true, Headers: headers, Trailers: [][2]string{}}
}

func post(body string, headers ...[2]string) message {
	m := get(append([][2]string{{"Host", "a"}}, headers...)...)
	m.Method, m.Target, m.Body = "POST", "/p", body
	return m
}

func accepted(m message) result { return result{messages: []message{m}} }

func readings() []reading {
	host, chunked := [2]string{"Host", "a"}, [2]string{"Transfer-Encoding", "chunked"}
	cafe := get(host)
	cafe.Target = "/\u00c3\u00a9"
	closing := post("abc", chunked)
	closing.KeepAlive = false
	answer := message{
		Status: 200, Reason: "OK", Version: "HTTP/1.1", Headers: [][2]string{chunked}, Body: "hi", Trailers: [][2]string{},
	}
	return []reading{
		{"AllowMissingHost", DecoderConfig{AllowMissingHost: true}, map[string]result{
			"req-no-host": accepted(get([][2]string{}...)),
		}},
		{"AllowBlankRuns", DecoderConfig{AllowBlankRuns: true}, map[string]result{
			"req-two-spaces":    accepted(get(host)),
			"req-tab-separator": accepted(get(host)),
		}},
		{"AllowObsTextInTarget", DecoderConfig{AllowObsTextInTarget: true}, map[string]result{
			"req-obs-text-in-target": accepted(cafe),
		}},
		{"RefuseNewerMinor", DecoderConfig{RefuseNewerMinor: true}, map[string]result{
			"req-version-minor-up": {status: 505, reason: "version not supported"},
		}},
		{"UnfoldLines", DecoderConfig{UnfoldLines: true}, map[string]result{
			"req-obs-fold": accepted(get(host, [2]string{"X-A", "b c"}, [2]string{"X-B", "d"})),
		}},
		{"AllowBareLF", DecoderConfig{AllowBareLF: true}, map[string]result{
			"req-bare-lf-lines":  accepted(get(host)),
			"req-bare-lf-header": accepted(get(host, [2]string{"X-A", "v"})),
		}},
		{"CollapseEqualLengths", DecoderConfig{CollapseEqualLengths: true}, map[string]result{
			"req-cl-dup-same": accepted(post("abc", [2]string{"Content-Length", "3"})),
		}},
		{"PreferTransferEncoding", DecoderConfig{PreferTransferEncoding: true}, map[string]result{
			"req-te-and-cl":  accepted(closing),
			"resp-te-and-cl": accepted(answer),
			// Content-Length out of the way, the case shows another mistake.
			"req-te-identity": {status: 400, reason: "final coding is not chunked"},
		}},
		{"NotImplementedForChunkedTwice", DecoderConfig{NotImplementedForChunkedTwice: true}, map[string]result{
			"req-te-chunked-twice": {status: 501, reason: "chunked twice"},
		}},
		{"RefuseChunkBlanks", DecoderConfig{RefuseChunkBlanks: true}, map[string]result{
			"req-chunk-ext-bws": {status: 400, reason: "bad chunk extension"},
		}},
		{"Limits", DecoderConfig{Limits: Limits{ChunkDigits: 64}}, map[string]result{
			"req-chunk-size-too-long": accepted(post("abc", chunked)),
		}},
		{"RefuseForbiddenTrailers", DecoderConfig{RefuseForbiddenTrailers: true}, map[string]result{
			"req-chunk-trailer-forbidden": {status: 400, reason: "forbidden trailer"},
		}},
		{"RequireReasonSpace", DecoderConfig{RequireReasonSpace: true}, map[string]result{
			"resp-no-reason-no-sp": {reason: "no space behind the status"},
		}},
	}
}

// TestEachChoiceHasItsOtherReading runs the cases under every single option: the option's own cases change as said,
// and all others stay as they are.
func TestEachChoiceHasItsOtherReading(t *testing.T) {
	cases := map[string]httpCase{}
	for _, c := range loadCases(t) {
		if c.Kind == "request" || c.Kind == "response" {
			cases[c.ID] = c
		}
	}
	for _, r := range readings() {
		t.Run(r.field, func(t *testing.T) {
			for id, want := range r.cases {
				c := cases[id]
				require.NotEmpty(t, c.ID, id)
				got := decodeAnyhow(t, c.decoder(r.config), c.input(t), c.EOF, randomRounds)
				require.Equal(t, want, got, id)
			}
			for id, c := range cases {
				if _, changes := r.cases[id]; changes {
					continue
				}
				config := r.config
				limits := c.config().Limits
				config.Limits.Line, config.Limits.Head, config.Limits.Fields = limits.Line, limits.Head, limits.Fields
				got := decodeWhole(t, c.decoder(config)(), c.input(t), c.EOF)
				require.Equal(t, decodeWhole(t, c.decoder(c.config())(), c.input(t), c.EOF), got, id)
			}
		})
	}
}

func TestStrictIsTheZeroValue(t *testing.T) {
	require.Equal(t, DecoderConfig{}, Strict())
}

// TestLenientTakesTheOtherReadingWhereItAccepts runs all cases under the preset: those of its options come out in the
// other reading, and what must be refused is refused as before.
func TestLenientTakesTheOtherReadingWhereItAccepts(t *testing.T) {
	other := map[string]result{}
	preset := reflect.ValueOf(Lenient())
	for _, r := range readings() {
		on := !preset.FieldByName(r.field).IsZero()
		accepts := false
		for id, want := range r.cases {
			accepts = accepts || want.reason == ""
			if on {
				other[id] = want
			}
		}
		// A server that leaves out Host breaks a MUST, so that is no leniency of the RFC.
		require.Equal(t, accepts && r.field != "AllowMissingHost", on, r.field)
	}
	for _, c := range loadCases(t) {
		if c.Kind != "request" && c.Kind != "response" {
			continue
		}
		config := Lenient()
		limits := c.config().Limits
		config.Limits.Line, config.Limits.Head, config.Limits.Fields = limits.Line, limits.Head, limits.Fields
		want, changes := other[c.ID]
		if !changes {
			want = decodeWhole(t, c.decoder(c.config())(), c.input(t), c.EOF)
		}
		require.Equal(t, want, decodeAnyhow(t, c.decoder(config), c.input(t), c.EOF, 3), c.ID)
	}
}

func TestEveryChoiceAndEveryOptionHasARow(t *testing.T) {
	covered, fields := map[string]bool{}, map[string]bool{}
	for _, r := range readings() {
		fields[r.field] = true
		for id := range r.cases {
			covered[id] = true
		}
	}
	for _, c := range loadCases(t) {
		if c.Level == "choice" && c.Kind != "ws-frame" {
			require.True(t, covered[c.ID], c.ID)
		}
	}
	for f := range reflect.TypeFor[DecoderConfig]().Fields() {
		require.True(t, fields[f.Name], f.Name)
	}
}
