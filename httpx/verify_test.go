package httpx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/penstock-go/penstock/codec/codectest"
)

// joined shows decoded messages as text, body pieces put together, so that where they were cut does not show.
func joined(got []any) []any {
	var texts []any
	var body strings.Builder
	end := func(last bool, trailer *Header) {
		if !last {
			return
		}
		if trailer == nil {
			trailer = new(Header)
		}
		texts = append(texts, fmt.Sprintf("%q %q", body.String(), pairs(trailer)))
		body.Reset()
	}
	for _, m := range got {
		switch m := m.(type) {
		case *Request:
			texts = append(texts, fmt.Sprintf("%s %s %s %q", m.Method, m.Target(), m.Version, pairs(&m.Header)))
			end(m.Length == 0, nil)
		case *Response:
			texts = append(texts, fmt.Sprintf("%s %d %s %q", m.Version, m.Status, m.Reason, pairs(&m.Header)))
			end(m.Length == 0, nil)
		case *Content:
			body.Write(m.Bytes())
			end(m.Last, m.Trailer)
		}
	}
	return texts
}

// TestDecodersKeepTheRulesOfTheDrivers runs both decoders through the harness that every decoder of the project passes.
func TestDecodersKeepTheRulesOfTheDrivers(t *testing.T) {
	requests := func() codectest.Decoder[any] { return NewRequestDecoder(DecoderConfig{}, new(State)) }
	responses := func() codectest.Decoder[any] { return NewResponseDecoder(DecoderConfig{}, nil) }
	options := codectest.Options[any]{Join: joined}
	large := strings.Repeat("x", 700)
	for input, want := range map[string][]any{
		getRequest: {`GET / HTTP/1.1 [["Host" "a"]]`, `"" []`},
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nz": {
			`POST / HTTP/1.1 [["Host" "a"] ["Content-Length" "1"]]`, `"z" []`,
		},
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 700\r\n\r\n" + large + getRequest: {
			`POST / HTTP/1.1 [["Host" "a"] ["Content-Length" "700"]]`, `"` + large + `" []`,
			`GET / HTTP/1.1 [["Host" "a"]]`, `"" []`,
		},
		postChunked + "2bc;a=b\r\n" + large + "\r\n1\r\ny\r\n0\r\nX-T: 1\r\n\r\n": {
			`POST /p HTTP/1.1 [["Host" "a"] ["Transfer-Encoding" "chunked"]]`, `"` + large + `y" [["X-T" "1"]]`,
		},
	} {
		codectest.Verify(t, requests, []byte(input), want, options)
	}
	codectest.Verify(t, responses, []byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
		[]any{`HTTP/1.1 200 OK [["Content-Length" "2"]]`, `"hi" []`}, options)
	codectest.Verify(t, responses, []byte("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n"+
		"2bc;a=b\r\n"+large+"\r\n1\r\ny\r\n0\r\nX-T: 1\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"), []any{
		`HTTP/1.1 103 Early Hints [["Link" "</a>"]]`, `"" []`,
		`HTTP/1.1 200  [["Transfer-Encoding" "chunked"]]`, `"` + large + `y" [["X-T" "1"]]`,
		`HTTP/1.1 304 Not Modified [["Content-Length" "5"]]`, `"" []`,
	}, options)
	heads := func() codectest.Decoder[any] {
		state := new(State)
		for range 9 {
			state.push(exchangeHead | exchangeKeepAlive)
		}
		return NewResponseDecoder(DecoderConfig{}, state)
	}
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
	codectest.Verify(t, heads, []byte(answer+answer), []any{
		`HTTP/1.1 200 OK [["Content-Length" "5"]]`, `"" []`, `HTTP/1.1 200 OK [["Content-Length" "5"]]`, `"" []`,
	}, options)
	untilClose := options
	untilClose.EOF = true
	codectest.Verify(t, responses, []byte("HTTP/1.1 200 OK\r\n\r\n"+large),
		[]any{`HTTP/1.1 200 OK []`, `"` + large + `" []`}, untilClose)
}

func TestDecodersReadNothingAgain(t *testing.T) {
	requests := func() codectest.Decoder[any] { return NewRequestDecoder(wide, nil) }
	for _, input := range linearInputs(16 << 10) {
		if len(input) >= 16<<10 {
			codectest.VerifyLinear(t, requests, []byte(input))
		}
	}
}
