package httpx

import (
	"bufio"
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	helloRequest = "GET / HTTP/1.1\r\n\r\n"
	legalRequest = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	// techRequest has the three fields of the plaintext tests of common load generators.
	techRequest = "GET /plaintext HTTP/1.1\r\nHost: server\r\n" +
		"Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7\r\n" +
		"Connection: keep-alive\r\n\r\n"
	browserRequest = "GET /index.html?page=3 HTTP/1.1\r\nHost: www.example.com\r\nConnection: keep-alive\r\n" +
		"Cache-Control: max-age=0\r\nUpgrade-Insecure-Requests: 1\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
		"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n" +
		"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n"
)

// helloServer is a connection's codec with a handler that answers hello: what one op of the reference benchmark does.
type helloServer struct {
	decoder *RequestDecoder
	encoder *ResponseEncoder
	header  Header
	pool    *buffer.Pool
	in      *buffer.Buffer
	out     buffer.Writer
}

func newHelloServer(tb testing.TB) *helloServer {
	tb.Helper()
	state := new(State)
	s := &helloServer{
		decoder: NewRequestDecoder(DecoderConfig{AllowMissingHost: true}, state),
		encoder: NewResponseEncoder(state),
		pool:    buffer.NewPool(buffer.PoolConfig{}),
	}
	s.in = s.pool.Get(16 << 10)
	for _, f := range [][2]string{
		{"content-type", "text/plain"},
		{"server", "Netty"},
		{"date", string(AppendDate(nil, time.Unix(0, 0)))},
		{"content-length", "13"},
	} {
		require.NoError(tb, s.header.Add(f[0], f[1]))
	}
	return s
}

// serve decodes what is in input and answers each request; each answer is one buffer. It returns the last one's length.
func (s *helloServer) serve(input []byte) int {
	if s.in.Unique() {
		s.in.Reset()
	} else {
		s.pool.Put(s.in)
		s.in = s.pool.Get(16 << 10)
	}
	s.in.Append(input)
	n := 0
	for s.in.Len() > 0 {
		m, ok, err := s.decoder.Decode(s.in)
		if !ok || err != nil {
			return -1
		}
		if r, isRequest := m.(*Request); isRequest {
			n = s.answer()
			r.Release()
		}
	}
	return n
}

func (s *helloServer) answer() int {
	f := NewFullResponse(200)
	f.Header.AddAll(&s.header)
	f.SetBodyString("Hello, World!")
	s.out.Reset(s.pool, s.encoder.Size(f))
	if err := s.encoder.Encode(&s.out, f); err != nil {
		return -1
	}
	f.Release()
	answer := s.out.Take().(*buffer.Buffer)
	n := answer.Len()
	s.pool.Put(answer)
	return n
}

const helloAnswer = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nserver: Netty\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
	"content-length: 13\r\n\r\nHello, World!"

// BenchmarkHelloCodec is decoder and encoder alone; BenchmarkHTTPHello has the pipeline around them.
func BenchmarkHelloCodec(b *testing.B) {
	for _, row := range []struct{ name, input string }{
		{"Hello", helloRequest}, {"LegalHost", legalRequest}, {"ThreeFields", techRequest}, {"Browser", browserRequest},
	} {
		b.Run(row.name, func(b *testing.B) {
			s, input := newHelloServer(b), []byte(row.input)
			b.ReportAllocs()
			for b.Loop() {
				if s.serve(input) != len(helloAnswer) {
					b.Fatal("wrong answer")
				}
			}
		})
	}
}

func BenchmarkRequestDecoder(b *testing.B) {
	for _, row := range []struct{ name, input string }{
		{"Hello", helloRequest}, {"ThreeFields", techRequest}, {"Browser", browserRequest},
	} {
		b.Run(row.name, func(b *testing.B) {
			d := NewRequestDecoder(DecoderConfig{AllowMissingHost: true}, nil)
			in := buffer.Get(4 << 10)
			defer in.Release()
			b.ReportAllocs()
			b.SetBytes(int64(len(row.input)))
			for b.Loop() {
				in.Reset()
				in.AppendString(row.input)
				for in.Len() > 0 {
					m, _, err := d.Decode(in)
					if err != nil {
						b.Fatal(err)
					}
					if r, ok := m.(*Request); ok {
						r.Release()
					}
				}
			}
		})
	}
}

// BenchmarkStandardReadRequest is the standard library on the same input: compare within one run.
func BenchmarkStandardReadRequest(b *testing.B) {
	for _, row := range []struct{ name, input string }{{"ThreeFields", techRequest}, {"Browser", browserRequest}} {
		b.Run(row.name, func(b *testing.B) {
			input := []byte(row.input)
			octets := bytes.NewReader(input)
			r := bufio.NewReader(octets)
			b.ReportAllocs()
			b.SetBytes(int64(len(input)))
			for b.Loop() {
				octets.Reset(input)
				r.Reset(octets)
				if _, err := http.ReadRequest(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHeaderGet(b *testing.B) {
	in := buffer.FromString(browserRequest)
	defer in.Release()
	m, _, err := NewRequestDecoder(DecoderConfig{}, nil).Decode(in)
	require.NoError(b, err)
	r := m.(*Request)
	defer r.Release()
	for _, name := range []string{"Host", "cookie", "Accept-Encoding", "accept-language", "Content-Length", "X-Missing"} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n += len(r.Header.Get(name))
			}
		})
	}
}

func BenchmarkResponseEncoder(b *testing.B) {
	pool := buffer.NewPool(buffer.PoolConfig{})
	var out buffer.Writer
	e := NewResponseEncoder(nil)
	header := newHelloServer(b).header
	encode := func(b *testing.B, m any) {
		b.Helper()
		out.Reset(pool, e.Size(m))
		if err := e.Encode(&out, m); err != nil {
			b.Fatal(err)
		}
		buffer.Release(m)
		buffer.Release(out.Take())
	}
	b.Run("Whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f := NewFullResponse(200)
			f.Header.AddAll(&header)
			f.SetBodyString("Hello, World!")
			encode(b, f)
		}
	})
	b.Run("Kept", func(b *testing.B) {
		f := NewFullResponse(200)
		f.Header.AddAll(&header)
		f.SetBodyString("Hello, World!")
		b.ReportAllocs()
		for b.Loop() {
			f.Retain()
			encode(b, f)
		}
	})
}
