package stomp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

const subscribers = 1000

// fanOut publishes one message to a thousand subscribers whose deliveries go through the pipeline of one channel.
func fanOut(ch *embedded.Channel, headers Headers, body *Body) error {
	tail, err := NewTail(Version12, headers, body)
	if err != nil {
		return err
	}
	defer tail.Release()
	for i := range uint64(subscribers) {
		d := NewDelivery(tail)
		d.Subscription, d.MessageID, d.Ack = "sub-0", ID{Text: "m-", Number: i + 1}, ID{Number: i + 1}
		if err := ch.Pipeline().Write(d); err != nil {
			return err
		}
	}
	ch.RunPending()
	return nil
}

// fanOutChannel returns a channel whose pipeline ends in an encoder for 1.2.
func fanOutChannel(tb testing.TB, e *Encoder) *embedded.Channel {
	tb.Helper()
	var h pipeline.Handler = codec.NewEncoder[any](e)
	if e.WrapFrame != nil {
		h = codec.NewMessageEncoder[any](e)
	}
	ch, err := embedded.New(embedded.Config{}, h)
	require.NoError(tb, err)
	return ch
}

func TestFanOutReachesEverySubscriber(t *testing.T) {
	for _, size := range []int{0, 100, 10_000} {
		for _, hooked := range []bool{false, true} {
			e := encoder12()
			if hooked {
				e.WrapFrame = func(_ *Frame, encoded any) (any, error) { return encoded, nil }
			}
			ch := fanOutChannel(t, e)
			body := bodyOf(strings.Repeat("x", size))
			require.NoError(t, fanOut(ch, shared(), body))
			got := decodeAll(t, &Decoder{State: &State{Version: Version12}}, [][]byte{ch.Wire()})
			require.Empty(t, got.Err)
			require.Len(t, got.Frames, subscribers)
			for i, f := range got.Frames {
				require.Equal(t, fmt.Sprint(i+1), f.Headers.Get(HeaderAck))
				require.Len(t, f.Body, size)
			}
			body.Reset()
			left, err := ch.Finish()
			require.NoError(t, err)
			require.Empty(t, left)
		}
	}
}

// BenchmarkStompFanOut publishes one message to a thousand subscribers per op, from Tail to the octets that the peer has
// taken; the peer is memory, and copies them.
func BenchmarkStompFanOut(b *testing.B) {
	for _, size := range []int{0, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			ch := fanOutChannel(b, encoder12())
			body := bodyOf(strings.Repeat("x", size))
			headers := Headers{{HeaderDestination, "/topic/chat"}, {HeaderContentType, "application/octet-stream"}, {"timestamp", fixedTime}}
			run := func() {
				if err := fanOut(ch, headers, body); err != nil {
					b.Fatal(err)
				}
				ch.DiscardWire()
			}
			for range 10 { // until the channel's own memory, and the peer's, has grown
				run()
			}
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(subscribers)*float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/subscribers, "ns/delivery")
			body.Reset()
			if _, err := ch.Finish(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkStompDelivery is the encoder's part of a fan-out: one op makes one delivery, encodes it and drops it where it
// would have been sent.
func BenchmarkStompDelivery(b *testing.B) {
	for _, size := range bodySizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			headers := Headers{{HeaderDestination, "/topic/chat"}, {HeaderContentType, "application/octet-stream"}, {"timestamp", fixedTime}}
			tail := tailOf(b, Version12, headers, strings.Repeat("x", size))
			defer tail.Release()
			e := encoder12()
			pool := buffer.NewPool(buffer.PoolConfig{})
			sent := func(p *buffer.Buffer, _ []byte) { pool.Put(p) }
			var out buffer.Writer
			b.ReportAllocs()
			for i := uint64(1); b.Loop(); i++ {
				d := NewDelivery(tail)
				d.Subscription, d.MessageID, d.Ack = "sub-0", ID{Text: "m-", Number: i}, ID{Number: i}
				out.Reset(pool, e.Size(d))
				if err := e.Encode(&out, d); err != nil {
					b.Fatal(err)
				}
				d.Release()
				switch m := out.Take().(type) {
				case *buffer.Buffer:
					pool.Put(m)
				case *buffer.Composite:
					m.MoveTo(sent)
					m.Release()
				}
			}
		})
	}
}
