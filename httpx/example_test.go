package httpx_test

import (
	"fmt"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// A server that answers one request, on a connection in memory. The Init of a transport.Server is the same.
func Example() {
	ch, err := embedded.NewInit(embedded.Config{}, httpx.Init(httpx.ServerConfig{
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			return x.RespondText(200, "hello "+string(x.Request.Path())+"\n")
		},
		NoDate: true, // for an output that is always the same
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ch.FeedString("GET /world HTTP/1.1\r\nHost: example.com\r\n\r\n"); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%q\n", ch.AppendWire(nil))
	// Output:
	// "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nhello /world\n"
}

// A server's codec without a network: octets in, messages out, and back.
func ExampleRequestDecoder() {
	state := new(httpx.State)
	decoder := httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)
	encoder := httpx.NewResponseEncoder(state)

	in := buffer.FromString("GET /greeting HTTP/1.1\r\nHost: example.com\r\n\r\n")
	defer in.Release()
	for in.Len() > 0 {
		m, ok, err := decoder.Decode(in)
		if err != nil || !ok {
			fmt.Println(ok, err)
			return
		}
		if r, ok := m.(*httpx.Request); ok {
			fmt.Printf("%s %s for %s\n", r.Method, r.Target(), r.Host())
		}
		buffer.Release(m)
	}

	answer := httpx.NewFullResponse(200)
	defer answer.Release()
	answer.SetBodyString("hello\n")
	var out buffer.Writer
	out.Reset(nil, encoder.Size(answer))
	if err := encoder.Encode(&out, answer); err != nil {
		fmt.Println(err)
		return
	}
	octets := out.Take().(*buffer.Buffer)
	defer octets.Release()
	fmt.Printf("%q\n", octets.Bytes())
	// Output:
	// GET /greeting for example.com
	// "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n"
}

// A client's codec: the encoder tells the decoder what each response answers.
func ExampleRequestEncoder() {
	state := new(httpx.State)
	encoder := httpx.NewRequestEncoder(state)
	decoder := httpx.NewResponseDecoder(httpx.DecoderConfig{}, state)

	request := httpx.NewFullRequest(httpx.MethodHead, "http://example.com/greeting")
	defer request.Release()
	var out buffer.Writer
	out.Reset(nil, encoder.Size(request))
	if err := encoder.Encode(&out, request); err != nil {
		fmt.Println(err)
		return
	}
	octets := out.Take().(*buffer.Buffer)
	defer octets.Release()
	fmt.Printf("%q\n", octets.Bytes())

	in := buffer.FromString("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")
	defer in.Release()
	m, _, err := decoder.Decode(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := m.(*httpx.Response)
	defer r.Release()
	fmt.Println(r.Status, r.Length, state.Pending())
	// Output:
	// "HEAD http://example.com/greeting HTTP/1.1\r\nHost: example.com\r\n\r\n"
	// 200 0 0
}

// examplePage is an answer that handlers of the program know more about.
type examplePage struct {
	httpx.FullResponse
	Template string
}

// A response type of your own is written like a FullResponse.
func ExampleWholeResponse() {
	answer := &examplePage{Template: "greeting"}
	answer.Status = 200
	answer.SetBodyString("hello " + answer.Template)
	defer answer.Release()

	encoder := httpx.NewResponseEncoder(nil)
	var out buffer.Writer
	out.Reset(nil, encoder.Size(answer))
	if err := encoder.Encode(&out, answer); err != nil {
		fmt.Println(err)
		return
	}
	octets := out.Take().(*buffer.Buffer)
	defer octets.Release()
	fmt.Printf("%q\n", octets.Bytes())
	// Output:
	// "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nhello greeting"
}
