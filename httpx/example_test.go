package httpx_test

import (
	"fmt"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// A server's codec without a network: octets in, messages out, and back.
func Example() {
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
