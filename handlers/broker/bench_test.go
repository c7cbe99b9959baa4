package broker

import (
	"fmt"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// chain is a consumer's side that keeps deliveries in a list of their own links.
type chain struct{ head *Delivery }

func (c *chain) deliver(d *Delivery) { d.Next, c.head = c.head, d }

func (c *chain) acceptAll() {
	d := c.head
	c.head = nil // what is granted may come at once
	for d != nil {
		next := d.Next
		d.AcceptAndGrant()
		d = next
	}
}

func attachChains(b *testing.B, broker *Broker, destination string, n int) []chain {
	b.Helper()
	all := make([]chain, n)
	for i := range all {
		c, err := broker.Attach(destination, ConsumerConfig{Deliver: all[i].deliver, Credit: 256})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(c.Close)
	}
	return all
}

func benchBody(b *testing.B) buffer.Slice {
	b.Helper()
	whole := buffer.FromBytes(make([]byte, 1000))
	body := whole.Slice(0, 1000)
	whole.Release()
	b.Cleanup(body.Release)
	return body
}

// send reports whether a message with that body was published.
func send(broker *Broker, destination string, body buffer.Slice) bool {
	m := NewMessage(destination)
	m.AppendProperty("content-type", "application/octet-stream")
	body.Retain()
	m.AppendSlice(body)
	_, err := broker.Publish(m)
	return err == nil
}

// BenchmarkTopic is one message to all subscribers, accepted by each.
func BenchmarkTopic(b *testing.B) {
	for _, n := range []int{0, 1, 10, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var broker Broker
			all := attachChains(b, &broker, "/topic/a", n)
			body := benchBody(b)
			b.ReportAllocs()
			for b.Loop() {
				if !send(&broker, "/topic/a", body) {
					b.Fatal("refused")
				}
				for i := range all {
					all[i].acceptAll()
				}
			}
			if n > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/delivery")
			}
		})
	}
}

// BenchmarkWildcard is one message to a subscriber by name and one by pattern.
func BenchmarkWildcard(b *testing.B) {
	var broker Broker
	named, wild := attachChains(b, &broker, "/topic/a.b", 1), attachChains(b, &broker, "/topic/a.*", 1)
	body := benchBody(b)
	b.ReportAllocs()
	for b.Loop() {
		if !send(&broker, "/topic/a.b", body) {
			b.Fatal("refused")
		}
		named[0].acceptAll()
		wild[0].acceptAll()
	}
}

// BenchmarkQueue is one message through a queue, accepted.
func BenchmarkQueue(b *testing.B) {
	var broker Broker
	all := attachChains(b, &broker, "/queue/a", 1)
	body := benchBody(b)
	b.ReportAllocs()
	for b.Loop() {
		if !send(&broker, "/queue/a", body) {
			b.Fatal("refused")
		}
		all[0].acceptAll()
	}
}

// BenchmarkQueueBacklog is the same with 1,000 messages in between.
func BenchmarkQueueBacklog(b *testing.B) {
	var broker Broker
	in := new(chain)
	c, err := broker.Attach("/queue/a", ConsumerConfig{Deliver: in.deliver})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	body := benchBody(b)
	for range 1000 {
		if !send(&broker, "/queue/a", body) {
			b.Fatal("refused")
		}
	}
	c.Grant(1)
	b.ReportAllocs()
	for b.Loop() {
		if !send(&broker, "/queue/a", body) {
			b.Fatal("refused")
		}
		in.acceptAll()
	}
}

// BenchmarkManyDestinations shows what the registry costs when publishers meet there.
func BenchmarkManyDestinations(b *testing.B) {
	var broker Broker
	names := make([]string, 1024)
	for i := range names {
		names[i] = fmt.Sprintf("/queue/orders.%d", i)
		c, err := broker.Attach(names[i], ConsumerConfig{Deliver: func(*Delivery) {}})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if broker.registry.find(names[i%len(names)]) == nil {
				b.Error("not found")
			}
		}
	})
}

// BenchmarkForm is what a subscriber pays for an encoding that is there.
func BenchmarkForm(b *testing.B) {
	type key int
	m := NewMessage("/topic/a")
	defer m.Release()
	build := func(*Message) (buffer.Counted, error) { return buffer.FromString("x"), nil }
	for b.Loop() {
		if _, err := m.Form(key(12), build); err != nil {
			b.Fatal(err)
		}
	}
}
