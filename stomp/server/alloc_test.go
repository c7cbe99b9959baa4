//go:build !race && !bufdebug

package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp/server"
)

// swallow stands for the socket: it takes what was encoded.
type swallow struct{ frames int }

func (s *swallow) HandleWrite(_ *pipeline.Context, msg any, p *pipeline.Promise) error {
	s.frames++
	buffer.Release(msg)
	if p != nil {
		p.Succeed()
	}
	return nil
}

// subscribers are sessions in one loop each that listen to /topic/a.
func subscribers(t testing.TB, b *broker.Broker, n int, ack string) (list []*pipelinetest.Channel, s *swallow) {
	t.Helper()
	s = &swallow{}
	for range n {
		ch := pipelinetest.New(t, s, &installer{server.Config{Broker: b}})
		ch.FeedWhole("CONNECT\naccept-version:1.2\nhost:h\n\n\x00SUBSCRIBE\ndestination:/topic/a\nid:1\nack:" + ack + "\n\n\x00")
		list = append(list, ch)
	}
	return list, s
}

func publish(t testing.TB, b *broker.Broker, body *buffer.Buffer) {
	t.Helper()
	m := broker.NewMessage("/topic/a")
	m.AppendProperty("content-type", "text/plain")
	m.AppendSlice(body.Slice(0, body.Len()))
	if _, err := b.Publish(m); err != nil {
		t.Error(err)
	}
}

func TestADeliveryAllocatesNothing(t *testing.T) {
	for _, size := range []int{10, 1000, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			b := &broker.Broker{}
			const n = 100
			list, s := subscribers(t, b, n, "auto")
			body := buffer.FromString(strings.Repeat("x", size))
			defer body.Release()
			one := func() {
				publish(t, b, body)
				for _, ch := range list {
					ch.RunPending()
				}
			}
			one()
			before := s.frames
			got := testing.AllocsPerRun(100, one)
			require.Equal(t, before+101*n, s.frames)
			require.Less(t, got, 0.1*n, "for %d subscribers", n)
			require.Equal(t, uint64(102*n), b.Stats().Acknowledged)
		})
	}
}

func TestASendAllocatesLittle(t *testing.T) {
	b := &broker.Broker{}
	ch := pipelinetest.New(t, &swallow{}, &installer{server.Config{Broker: b}})
	ch.FeedWhole("CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	frame := "SEND\ndestination:/topic/a\ncontent-type:text/plain\nreceipt:r\n\nhello\x00"
	one := func() { ch.FeedWhole(frame) }
	one()
	require.LessOrEqual(t, testing.AllocsPerRun(100, one), 4.0, "with what the test itself takes")
}

func TestAnAckAllocatesNothing(t *testing.T) {
	b := &broker.Broker{}
	list, _ := subscribers(t, b, 1, "client")
	body := buffer.FromString("x")
	defer body.Release()
	tag := 0
	frames := make([]string, 300)
	for i := range frames {
		frames[i] = fmt.Sprintf("ACK\nid:1-%d\n\n\x00", i+1)
	}
	one := func() {
		publish(t, b, body)
		list[0].RunPending()
		list[0].FeedWhole(frames[tag])
		tag++
	}
	one()
	require.LessOrEqual(t, testing.AllocsPerRun(100, one), 3.0, "with what the test itself takes")
	require.Equal(t, uint64(102), b.Stats().Acknowledged)
}

func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			br := &broker.Broker{}
			list, s := subscribers(b, br, n, "auto")
			body := buffer.FromString(strings.Repeat("x", 1024))
			defer body.Release()
			b.ReportAllocs()
			for b.Loop() {
				publish(b, br, body)
				for _, ch := range list {
					ch.RunPending()
				}
			}
			b.ReportMetric(float64(s.frames)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
