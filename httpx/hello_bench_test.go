package httpx

import (
	"bytes"
	"hash/crc32"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// The reference benchmark of HTTP servers over an embedded channel, as published for Netty and Vert.x: one op feeds a
// request, has it decoded, handled and encoded in the pipeline, and takes the answer out. Rows by their names there:
//
//	Bare          netty              codec and one handler
//	App           vertx              Handle with an Exchange; the answer's fields are checked and added one by one
//	AppChecksOff  vertxOpt           the fields come from a block that was checked before
//	AppMetricsOn  vertxOptMetricsOn  the same, and every message is looked at for its size
//
// Their request has no Host, so these rows switch that check off; LegalHost, ThreeFields and Browser are Bare with the
// check, fed requests that pass it. The date stands still. The answer is taken into one buffer that is used again;
// Pooled takes it as a buffer of the channel's pool.

// helloBrowser has the twelve fields that a browser sends.
const helloBrowser = "GET /index.html?page=3 HTTP/1.1\r\nHost: www.example.com\r\nConnection: keep-alive\r\n" +
	"Cache-Control: max-age=0\r\n" +
	"sec-ch-ua: \"Chromium\";v=\"126\", \"Not.A/Brand\";v=\"24\"\r\nsec-ch-ua-mobile: ?0\r\n" +
	"sec-ch-ua-platform: \"Linux\"\r\nUpgrade-Insecure-Requests: 1\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n" +
	"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n"

// The answers' sums, as published with the rows.
const (
	bareSum uint32 = 0x3c8f4d4a
	appSum  uint32 = 0x38e58b1c
)

const helloDate = "Thu, 01 Jan 1970 00:00:00 GMT"

// helloField is a field line of an answer.
type helloField struct{ name, value string }

func helloFields(server string) []helloField {
	return []helloField{{"content-type", "text/plain"}, {"server", server}, {"date", helloDate}, {"content-length", "13"}}
}

func helloHeader(tb testing.TB, server string) *Header {
	tb.Helper()
	h := new(Header)
	for _, f := range helloFields(server) {
		require.NoError(tb, h.Add(f.name, f.value))
	}
	return h
}

// bareHello answers requests without an Exchange.
type bareHello struct{ header *Header }

// HandleRead answers.
func (b *bareHello) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		m.Release()
		f := NewFullResponse(200)
		f.Header.AddAll(b.header)
		f.SetBodyString("Hello, World!")
		return ctx.Write(f)
	default:
		buffer.Release(msg)
		return nil
	}
}

// helloBytes counts the octets of each message by its type.
type helloBytes struct{ in, out int }

// HandleRead counts and passes on.
func (h *helloBytes) HandleRead(ctx *pipeline.Context, msg any) error {
	switch m := msg.(type) {
	case *Request:
		h.in += len(m.Target())
	case *Content:
		h.in += m.Len()
	}
	ctx.FireRead(msg)
	return nil
}

// HandleWrite counts and passes on.
func (h *helloBytes) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	switch m := msg.(type) {
	case *FullResponse:
		h.out += m.BodyLen()
	case *Response:
	case *Content:
		h.out += m.Len()
	}
	return ctx.Forward(msg, p)
}

// helloRow is one row: how the pipeline is filled, what it is fed, and the sum of its answer.
type helloRow struct {
	name, input string
	init        func(tb testing.TB) func(*pipeline.Channel) error
	sum         uint32
}

func helloRows() []helloRow {
	var rows []helloRow
	for _, r := range []helloRow{
		{"Bare", helloRequest, initBare, bareSum},
		{"App", helloRequest, initApp, appSum},
		{"AppChecksOff", helloRequest, initAppChecksOff, appSum},
		{"AppMetricsOn", helloRequest, initAppMetricsOn, appSum},
		{"LegalHost", legalRequest, initStrict, bareSum},
		{"ThreeFields", techRequest, initStrict, bareSum},
		{"Browser", helloBrowser, initStrict, bareSum},
	} {
		many := r
		many.name += "/Pipeline16"
		many.input = string(bytes.Repeat([]byte(r.input), 16))
		rows = append(rows, r, many)
	}
	return rows
}

func initBare(tb testing.TB) func(*pipeline.Channel) error {
	tb.Helper()
	return initCodec(tb, DecoderConfig{AllowMissingHost: true})
}

func initStrict(tb testing.TB) func(*pipeline.Channel) error {
	tb.Helper()
	return initCodec(tb, DecoderConfig{})
}

func initCodec(tb testing.TB, cfg DecoderConfig) func(*pipeline.Channel) error {
	tb.Helper()
	header := helloHeader(tb, "Netty")
	return func(ch *pipeline.Channel) error {
		state := new(State)
		return ch.Pipeline().AddLast(
			codec.NewDecoder[any](NewRequestDecoder(cfg, state)),
			codec.NewEncoder[any](NewResponseEncoder(state)),
			&bareHello{header})
	}
}

func helloConfig(f HandlerFunc) ServerConfig {
	return ServerConfig{Decoder: DecoderConfig{AllowMissingHost: true}, Handle: f}
}

func initApp(testing.TB) func(*pipeline.Channel) error {
	fields := helloFields("vert.x")
	return Init(helloConfig(func(_ *pipeline.Context, x *Exchange) error {
		f := NewFullResponse(200)
		for i := range fields {
			if err := f.Header.Add(fields[i].name, fields[i].value); err != nil {
				f.Release()
				return err
			}
		}
		f.SetBodyString("Hello, world!")
		return x.Reply(f)
	}))
}

// replyHello answers with fields from a block that was checked before.
func replyHello(tb testing.TB) HandlerFunc {
	tb.Helper()
	header := helloHeader(tb, "vert.x")
	return func(_ *pipeline.Context, x *Exchange) error {
		f := NewFullResponse(200)
		f.Header.AddAll(header)
		f.SetBodyString("Hello, world!")
		return x.Reply(f)
	}
}

func initAppChecksOff(tb testing.TB) func(*pipeline.Channel) error {
	tb.Helper()
	return Init(helloConfig(replyHello(tb)))
}

func initAppMetricsOn(tb testing.TB) func(*pipeline.Channel) error {
	tb.Helper()
	cfg := helloConfig(replyHello(tb))
	cfg.Handlers = func(*pipeline.Channel) []pipeline.Handler { return []pipeline.Handler{&helloBytes{}} }
	return Init(cfg)
}

// helloOp is one row's channel with its answer.
type helloOp struct {
	ch   *embedded.Channel
	in   []byte
	want []byte
	out  []byte
}

func (r helloRow) open(tb testing.TB) *helloOp {
	tb.Helper()
	ch, err := embedded.NewInit(embedded.Config{}, r.init(tb))
	require.NoError(tb, err)
	tb.Cleanup(func() {
		_, err := ch.Finish()
		require.NoError(tb, err)
	})
	op := &helloOp{ch: ch, in: []byte(r.input), out: make([]byte, 0, 4<<10)}
	require.NoError(tb, ch.Feed(op.in))
	op.want = ch.Wire()
	answers := bytes.Count(op.want, []byte("HTTP/1.1 200 OK\r\n"))
	require.Equal(tb, bytes.Count(op.in, []byte(" HTTP/1.1\r\n")), answers)
	one := op.want[:len(op.want)/answers]
	require.Equal(tb, r.sum, crc32.ChecksumIEEE(one), "%q", one)
	require.True(tb, bytes.Equal(op.want, bytes.Repeat(one, answers)))
	return op
}

// run is one op: the answers come into the one buffer, and are compared.
func (o *helloOp) run() bool {
	err := o.ch.Feed(o.in)
	o.out = o.ch.AppendWire(o.out[:0])
	return err == nil && bytes.Equal(o.out, o.want)
}

// runPooled takes the answers as a buffer of the channel's pool.
func (o *helloOp) runPooled() bool {
	err := o.ch.Feed(o.in)
	b, ok := o.ch.ReadOutbound().(*buffer.Buffer)
	if !ok {
		return false
	}
	same := bytes.Equal(b.Bytes(), o.want)
	b.Release()
	return err == nil && same
}

func BenchmarkHTTPHello(b *testing.B) {
	for _, row := range helloRows() {
		b.Run(row.name, func(b *testing.B) { benchmarkHello(b, row.open(b).run) })
	}
	b.Run("Pooled", func(b *testing.B) { benchmarkHello(b, helloRows()[0].open(b).runPooled) })
	b.Run("Socket", benchmarkHelloSocket)
}

func benchmarkHello(b *testing.B, run func() bool) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if !run() {
			b.Fatal("wrong answer")
		}
	}
}

// benchmarkHelloSocket sends the request over loopback to a server of its own loop: one round trip at a time.
func benchmarkHelloSocket(b *testing.B) {
	srv := transport.Server{Loops: 1, Init: initBare(b)}
	require.NoError(b, srv.Listen(b.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(b.Context()) }()
	conn, err := net.Dial("tcp", srv.Addrs()[0].String())
	require.NoError(b, err)
	in, out := []byte(helloRequest), make([]byte, len(helloAnswer))
	benchmarkHello(b, func() bool {
		if _, err := conn.Write(in); err != nil {
			return false
		}
		_, err := io.ReadFull(conn, out)
		return err == nil && string(out) == helloAnswer
	})
	require.NoError(b, conn.Close())
	require.NoError(b, srv.Close())
	<-served
}
