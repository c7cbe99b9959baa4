package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp"
)

// fanSubscribers is how many deliveries there are of each message.
const fanSubscribers = 1000

// fanSizes are the body lengths.
var fanSizes = []int{0, 100, 1000, 10_000}

// fan is a message that goes to many subscribers, each behind one of the channels in turn. Without channels it is only
// encoded, and nobody copies the body; the peer of an embedded channel copies, as the kernel would.
type fan struct {
	channels []*embedded.Channel
	encoder  *stomp.Encoder
	pool     *buffer.Pool
	out      buffer.Writer
	headers  stomp.Headers
	body     stomp.Body
	octets   int // of all deliveries together, 0 = not known yet
}

func openFan(channels, size int) (*fan, error) {
	f := &fan{encoder: ourEncoder(0), pool: buffer.NewPool(buffer.PoolConfig{}), headers: stomp.Headers{
		{Name: "destination", Value: "/topic/chat"}, {Name: "content-type", Value: "application/octet-stream"}, {Name: "timestamp", Value: stompTime},
	}}
	f.body.AppendString(strings.Repeat("x", size))
	for range channels {
		ch, err := embedded.New(embedded.Config{}, codec.NewEncoder[any](ourEncoder(0)))
		if err != nil {
			return nil, err
		}
		f.channels = append(f.channels, ch)
	}
	return f, nil
}

// send publishes the message: its shared part is encoded once, and each channel's peer gets its deliveries.
func (f *fan) send() error {
	tail, err := stomp.NewTail(stomp.Version12, f.headers, &f.body)
	if err != nil {
		return err
	}
	defer tail.Release()
	octets, err := f.write(tail)
	if err == nil && (octets == 0 || f.octets != 0 && octets != f.octets) {
		err = fmt.Errorf("%d octets were delivered, not %d", octets, f.octets)
	}
	f.octets = octets
	return err
}

// write sends a delivery to each subscriber and returns how many octets they were.
func (f *fan) write(tail *stomp.Tail) (octets int, err error) {
	if len(f.channels) == 0 {
		for i := range fanSubscribers {
			n, err := f.encode(newDelivery(tail, i))
			if err != nil {
				return 0, err
			}
			octets += n
		}
		return octets, nil
	}
	each := fanSubscribers / len(f.channels)
	for c, ch := range f.channels {
		for i := range each {
			if err := ch.Pipeline().Write(newDelivery(tail, c*each+i)); err != nil {
				return 0, err
			}
		}
		ch.RunPending()
		octets += ch.DiscardWire()
	}
	return octets, nil
}

func newDelivery(tail *stomp.Tail, i int) *stomp.Delivery {
	n := uint64(i + 1) //nolint:gosec // a thousand at most
	d := stomp.NewDelivery(tail)
	d.Subscription, d.MessageID, d.Ack = "sub-0", stomp.ID{Text: "m-", Number: n}, stomp.ID{Number: n}
	return d
}

// encode writes d to a buffer, or to one that has the body by reference, and drops that.
func (f *fan) encode(d *stomp.Delivery) (int, error) {
	defer d.Release()
	f.out.Reset(f.pool, f.encoder.Size(d))
	if err := f.encoder.Encode(&f.out, d); err != nil {
		return 0, err
	}
	n := 0
	switch m := f.out.Take().(type) {
	case *buffer.Buffer:
		n = m.Len()
		f.pool.Put(m)
	case *buffer.Composite:
		n = m.Len()
		m.MoveTo(f.put)
		m.Release()
	}
	return n, nil
}

// put gives back a part, as a channel does when it is written.
func (f *fan) put(p *buffer.Buffer, _ []byte) { f.pool.Put(p) }

func (f *fan) close() error {
	f.body.Reset()
	for _, ch := range f.channels {
		if _, err := ch.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// fanRound is what one delivery cost in one round.
type fanRound struct{ ns, allocs, octets float64 }

// measure sends for about d.
func (f *fan) measure(d time.Duration) (fanRound, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began, n := time.Now(), 0
	for n == 0 || time.Since(began) < d {
		if err := f.send(); err != nil {
			return fanRound{}, err
		}
		n++
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	each := float64(n * fanSubscribers)
	return fanRound{
		float64(took) / each, float64(after.Mallocs-before.Mallocs) / each, float64(after.TotalAlloc-before.TotalAlloc) / each,
	}, nil
}

// compareFanOut prints what it costs to send one message to a thousand subscribers on embedded channels.
func compareFanOut(s settings) error {
	fmt.Printf("1 message to %d subscribers, %d rounds of %v: median (min … max)\n", fanSubscribers, s.rounds, s.seconds)
	for _, channels := range []int{0, 1, fanSubscribers} {
		fans := make([]*fan, len(fanSizes))
		for i, size := range fanSizes {
			f, err := openFan(channels, size)
			if err != nil {
				return err
			}
			for range 20 { // until the channels' own memory has grown
				if err := f.send(); err != nil {
					return err
				}
			}
			fans[i] = f
		}
		if err := measureFans(s, channels, fans); err != nil {
			return err
		}
	}
	return nil
}

func measureFans(s settings, channels int, fans []*fan) error {
	rounds := make([][]fanRound, len(fans))
	for round := range s.rounds {
		for i := range fans {
			if round%2 == 1 {
				i = len(fans) - 1 - i
			}
			r, err := fans[i].measure(s.seconds)
			if err != nil {
				return err
			}
			rounds[i] = append(rounds[i], r)
		}
	}
	for i, f := range fans {
		var ns, rates, allocs, octets []float64
		for _, r := range rounds[i] {
			ns, rates = append(ns, r.ns), append(rates, 1e9/r.ns)
			allocs, octets = append(allocs, r.allocs), append(octets, r.octets)
		}
		way := fmt.Sprintf("%d embedded channels", channels)
		if channels == 0 {
			way = "encoder alone"
		}
		fmt.Printf("  %-22s body %5d B: deliveries/s %s  ns each %s\n%37s allocs each %s (aim 0)  B allocated each %s\n",
			way, fanSizes[i], spread(rates), spread(ns), "", spread(allocs), spread(octets))
		if err := f.close(); err != nil {
			return err
		}
	}
	return nil
}
