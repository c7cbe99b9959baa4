package stomp_test

import (
	"fmt"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// A server's codec reads a client's frames and answers one of them. The CONNECTED frame switches both directions to
// STOMP 1.2.
func Example() {
	state := new(stomp.State)
	decoder := &stomp.Decoder{State: state}
	encoder := &stomp.Encoder{State: state}

	in := buffer.FromString("CONNECT\naccept-version:1.1,1.2\n\n\x00" + "SEND\ndestination:/queue/a\\cb\n\nhello\x00")
	defer in.Release()
	for {
		m, ok, err := decoder.Decode(in)
		if err != nil || !ok {
			break
		}
		frame := m.(*stomp.Frame)
		fmt.Printf("%s %v %q\n", frame.Command, frame.Headers, frame.Body.String())
		if frame.Command == stomp.CommandConnect {
			version := stomp.HighestVersion(frame.Headers.Get(stomp.HeaderAcceptVersion))
			write(encoder, stomp.NewFrame(stomp.CommandConnected, stomp.HeaderVersion, version.String()))
		}
		frame.Release()
	}
	// Output:
	// CONNECT [{accept-version 1.1,1.2}] ""
	// "CONNECTED\nversion:1.2\n\n\x00"
	// SEND [{destination /queue/a:b}] "hello"
}

// write does what codec's handler does with a frame: encode, release, send on.
func write(encoder *stomp.Encoder, frame *stomp.Frame) {
	var out buffer.Writer
	out.Reset(nil, encoder.Size(frame))
	if err := encoder.Encode(&out, frame); err != nil {
		fmt.Println(err)
	}
	frame.Release()
	msg := out.Take().(*buffer.Buffer)
	fmt.Printf("%q\n", msg.Bytes())
	msg.Release()
}

func ExampleNegotiateHeartBeat() {
	client, _ := stomp.ParseHeartBeat("10000,5000")
	server, _ := stomp.ParseHeartBeat("20000,8000")
	fmt.Println(stomp.NegotiateHeartBeat(client, server))
	// Output: 10s 20s
}

// A message is encoded once for all of its subscribers; each delivery adds the few headers of its own.
func ExampleTail() {
	send := stomp.NewFrame(stomp.CommandSend, stomp.HeaderDestination, "/topic/news", "color", "a:b", stomp.HeaderReceipt, "77")
	defer send.Release()
	send.Body.AppendString("hello")
	tail, err := stomp.NewTail(stomp.Version12, send.Headers, &send.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tail.Release()
	e := &stomp.Encoder{State: &stomp.State{Version: stomp.Version12}}
	for i := range uint64(2) {
		d := stomp.NewDelivery(tail)
		d.Subscription, d.MessageID = "sub-0", stomp.ID{Text: "m-", Number: 41 + i}
		var out buffer.Writer
		out.Reset(nil, e.Size(d))
		if err := e.Encode(&out, d); err != nil {
			fmt.Println(err)
			return
		}
		d.Release()
		octets := out.Take().(*buffer.Buffer)
		fmt.Printf("%q\n", octets.Bytes())
		octets.Release()
	}
	// Output:
	// "MESSAGE\nsubscription:sub-0\nmessage-id:m-41\ndestination:/topic/news\ncolor:a\\cb\ncontent-length:5\n\nhello\x00"
	// "MESSAGE\nsubscription:sub-0\nmessage-id:m-42\ndestination:/topic/news\ncolor:a\\cb\ncontent-length:5\n\nhello\x00"
}
