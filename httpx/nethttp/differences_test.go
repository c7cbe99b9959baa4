package nethttp_test

import "strings"

// difference is what a row shows on one server only, and why that is so on purpose.
type difference struct {
	reason       string
	theirs, ours []string
}

func differences() map[string]difference {
	const foreign = "MaxBytesReader asks the ResponseWriter to close by a method that only net/http can have; " +
		"a rest of up to 256 KiB is dropped and the connection goes on"
	return map[string]difference{
		"MaxBytesHandler, too large":              {foreign, []string{"1: Connection: close", "then closed"}, []string{"then open"}},
		"MaxBytesHandler, chunked and too large":  {foreign, []string{"1: Connection: close", "then closed"}, []string{"then open"}},
		"body that is too long by MaxBytesReader": {foreign, []string{"1: Connection: close", "then closed"}, []string{"then open"}},
		"CONNECT by 200, then hijack": {
			"a 2xx to CONNECT has no framing fields (RFC 9110, 9.3.6)",
			[]string{"0: Transfer-Encoding: chunked"},
			nil,
		},
		"half-closed client": {
			"a client that ends its side counts as gone; Options.AllowHalfClose lets it have its answer",
			[]string{"1: HTTP/1.1 200 OK", "1: Content-Length: 5", "1: Content-Type: text/plain; charset=utf-8", "1: has Date true", `1: body "hello"`},
			[]string{"1: no answer"},
		},
		"expect, body comes at once": {
			"100 (Continue) may be left out when the body is here (RFC 9110, 10.1.1)",
			[]string{"1: HTTP/1.1 100 Continue"},
			nil,
		},
		"expect something else": {
			"httpx.Server answers, in words, and the connection goes on",
			[]string{"1: Connection: close", "1: Content-Length: 0", `1: body ""`, "then closed"},
			[]string{"1: Content-Length: 19", "1: Content-Type: text/plain; charset=utf-8", `1: body "Expectation Failed\n"`, "then open"},
		},
		"chunk that is none": {
			"what follows broken framing is answered with 400 by the codec, whatever the handler would say",
			[]string{"1: HTTP/1.1 200 OK", "1: Content-Length: 1", `1: body "3"`, "handler: read 3 invalid byte in chunk length"},
			[]string{"1: HTTP/1.1 400 Bad Request", "1: Content-Length: 12", `1: body "Bad Request\n"`, "handler: read 3 unexpected EOF"},
		},
		"101 that nobody asked for": {
			"the codec refuses to leave HTTP unasked (RFC 9110, 15.2.2)",
			[]string{"1: HTTP/1.1 101 Switching Protocols", `1: body ""`},
			[]string{"1: HTTP/1.1 500 Internal Server Error", "1: Content-Length: 22", "1: has Date true", `1: body "Internal Server Error\n"`},
		},
		"early hints to HTTP/1.0": {
			"clients of HTTP/1.0 get no 1xx (RFC 9110, 15.2)",
			[]string{"1: HTTP/1.1 103 Early Hints", "1: Link: </a.css>; rel=preload", "1: HTTP/1.1 102 Processing", "1: Link: </a.css>; rel=preload"},
			nil,
		},
		"trailer of cookies": {
			"a trailer section has no fields that act at once (RFC 9110, 6.5.1)",
			[]string{`1: trailer Set-Cookie: ["a=b"]`},
			[]string{"1: trailer Set-Cookie: []"},
		},
		"own identity": {
			"a body of unknown length is chunked, so that its end can be told from a break",
			[]string{"1: Connection: close", "then closed"},
			[]string{"1: Transfer-Encoding: chunked", "then open"},
		},
		"no date wanted": {
			"the codec adds the Date; httpx.ServerConfig.NoDate leaves it out",
			[]string{"1: has Date false"},
			[]string{"1: has Date true"},
		},
		"target that is none": {
			"the request itself could be read, so that the connection goes on",
			[]string{"1: Connection: close", "1: has Date false", `1: body "400 Bad Request"`, "then closed"},
			[]string{"1: Content-Length: 12", "1: has Date true", `1: body "Bad Request\n"`, "then open"},
		},
		"panic in the middle of an announced body": {
			"how much of what was written and not flushed arrives is a matter of buffers",
			[]string{"1: body 4096 octets 3e1077c1"},
			[]string{"1: body 5000 octets 00dbf026"},
		},
		"announced length that is none": {
			"a length that cannot be read is as good as none",
			[]string{"1: Transfer-Encoding: chunked"},
			[]string{"1: Content-Length: 5"},
		},
	}
}

// level takes away what differs in all answers to HTTP/1.0: a server answers with its own version (RFC 9110, 2.5), and
// says Connection: close also to clients that may not know it, where net/http says nothing.
func level(log []string) []string {
	out := make([]string, 0, len(log))
	for _, line := range log {
		n, rest, ok := strings.Cut(line, ": HTTP/1.0 ")
		switch {
		case ok:
			out = append(out, n+": HTTP/1.1 "+rest)
		case !strings.HasSuffix(line, ": Connection: close"):
			out = append(out, line)
		}
	}
	return out
}
