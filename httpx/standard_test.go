package httpx

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the standard library makes of the same octets.

// stricter are the errors of the standard library for messages that RFC 9112 allows and we accept.
var stricter = []string{
	"parse ",                          // targets that url.Parse does not like: percent signs, ports, hosts
	"invalid byte in chunk length",    // BWS behind a chunk size
	"invalid method",                  // none known
	"http: suspiciously long trailer", // it looks for the end in its buffer only
	"unsupported transfer encoding",   // in responses: we give the octets up to the close, still encoded
	"too many transfer encodings",     // likewise
}

// stricterBodiless are those for responses that have no body whatever their fields say (RFC 9112, 6.3): we don't look at
// the fields then.
var stricterBodiless = append([]string{"Content-Length"}, stricter...)

// requireStricter requires that err, for input that we accept, is one of the known.
func requireStricter(t *testing.T, err error, known []string, input string) {
	t.Helper()
	for _, k := range known {
		if strings.Contains(err.Error(), k) {
			return
		}
	}
	require.NoError(t, err, "we accept %q", input)
}

// standardReader reads input; its buffer is large, so that the standard library sees a trailer section whole.
func standardReader(input []byte) *bufio.Reader {
	return bufio.NewReaderSize(bytes.NewReader(input), len(input)+16)
}

// readStandardRequest reads the next request of r whole.
func readStandardRequest(r *bufio.Reader) (*http.Request, []byte, error) {
	for { // empty lines in front: the standard library refuses them
		if two, err := r.Peek(2); err != nil || string(two) != "\r\n" {
			break
		}
		_, _ = r.Discard(2)
	}
	standard, err := http.ReadRequest(r)
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(standard.Body)
	return standard, body, err
}

// requireStandardAgrees reads input by net/http and requires that it finds the same messages, as far as ours go. It
// returns the reader behind them, nil when the standard library was stricter before.
func requireStandardAgrees(t *testing.T, input []byte, ours []message) *bufio.Reader {
	t.Helper()
	r := standardReader(input)
	for _, m := range ours {
		standard, body, err := readStandardRequest(r)
		if err != nil {
			requireStricter(t, err, stricter, string(input))
			return nil
		}
		require.Equal(t, m.Method, standard.Method, "%q", input)
		require.Equal(t, octetsOf(m.Target), standard.RequestURI, "%q", input)
		require.Equal(t, m.Version, standard.Proto, "%q", input)
		require.Equal(t, m.Body, string(body), "%q", input)
		requireStandardHeader(t, standard.Header, m.Headers, input)
		requireStandardTrailer(t, standard.Trailer, m.Trailers, input)
	}
	return r
}

// requireStandardResponses is requireStandardAgrees for the answers to requests of those methods.
func requireStandardResponses(t *testing.T, input []byte, ours []message, methods []Method) *bufio.Reader {
	t.Helper()
	r := standardReader(input)
	for _, m := range ours {
		standard, body, err := readStandardResponse(r, methods[0])
		if err != nil {
			known := stricter
			if m.Interim || m.Status == statusNoContent || m.Status == statusNotModified || methods[0] == MethodHead {
				known = stricterBodiless
			}
			requireStricter(t, err, known, string(input))
			return nil
		}
		require.Equal(t, m.Status, standard.StatusCode, "%q", input)
		require.Equal(t, m.Version, standard.Proto, "%q", input)
		_, reason, _ := strings.Cut(standard.Status, " ")
		require.Equal(t, m.Reason, reason, "%q", input)
		require.Equal(t, m.Body, string(body), "%q", input)
		fields := slices.DeleteFunc(slices.Clone(m.Headers), func(h [2]string) bool { return strings.EqualFold(h[0], "Connection") })
		standard.Header.Del("Connection") // it takes the field out when it says close
		requireStandardHeader(t, standard.Header, fields, input)
		requireStandardTrailer(t, standard.Trailer, m.Trailers, input)
		if !m.Interim {
			methods = methods[1:]
		}
	}
	return r
}

func readStandardResponse(r *bufio.Reader, asked Method) (*http.Response, []byte, error) {
	standard, err := http.ReadResponse(r, &http.Request{Method: string(asked)})
	if err != nil {
		return nil, nil, err
	}
	body, err := io.ReadAll(standard.Body)
	return standard, body, err
}

// elsewhere are fields that the standard library keeps outside its header, or adds to it.
var elsewhere = []string{"Host", "Transfer-Encoding", "Trailer", "Content-Length", "Pragma", "Cache-Control"}

func requireStandardHeader(t *testing.T, standard http.Header, ours [][2]string, input []byte) {
	t.Helper()
	want, got := http.Header{}, http.Header{}
	for name, values := range standard {
		for _, v := range values {
			got.Add(name, strings.TrimRight(v, " ")) // it leaves the SP of a fold that has nothing behind it
		}
	}
	for _, h := range ours {
		switch name := http.CanonicalHeaderKey(octetsOf(h[0])); name {
		case "Host", "Transfer-Encoding", "Trailer", "Content-Length":
		default:
			want.Add(name, octetsOf(h[1]))
		}
	}
	for _, name := range elsewhere {
		if want.Get(name) == "" {
			got.Del(name)
		}
	}
	require.Equal(t, want, got, "%q", input)
}

// requireStandardTrailer compares what is left of a trailer section: the standard library drops nothing of it, and lists
// fields that were only announced.
func requireStandardTrailer(t *testing.T, standard http.Header, ours [][2]string, input []byte) {
	t.Helper()
	want, got := http.Header{}, http.Header{}
	for _, h := range ours {
		want.Add(octetsOf(h[0]), octetsOf(h[1]))
	}
	for name, values := range standard {
		if trailerName(name) == fieldOther && len(values) > 0 {
			got[name] = slices.Clone(values)
		}
	}
	require.Equal(t, want, got, "%q", input)
}

// TestEveryCaseAgreesWithTheStandardLibrary is the differential check on the case file.
func TestEveryCaseAgreesWithTheStandardLibrary(t *testing.T) {
	for _, c := range loadCases(t) {
		switch c.Kind {
		case "request":
			t.Run(c.ID, func(t *testing.T) {
				input := c.input(t)
				got := decodeWhole(t, NewRequestDecoder(c.config(), nil), input, c.EOF)
				requireStandardAgrees(t, input, got.messages)
			})
		case "response":
			t.Run(c.ID, func(t *testing.T) {
				input, method := c.input(t), Method(c.RequestMethod)
				if method == "" {
					method = MethodGet
				}
				got := decodeWhole(t, c.decoder(c.config())(), input, c.EOF)
				if len(got.messages) > 0 && got.messages[0].Upgrade {
					return // what follows is not HTTP, which the standard library leaves to others to know
				}
				requireStandardResponses(t, input, got.messages, []Method{method, method})
			})
		}
	}
}
