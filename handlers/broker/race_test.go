package broker

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// worker consumes on its own goroutine what Deliver queues.
type worker struct {
	mu    sync.Mutex
	came  *sync.Cond
	queue []*Delivery
	stop  bool
	ended error
}

func newWorker() *worker {
	w := new(worker)
	w.came = sync.NewCond(&w.mu)
	return w
}

func (w *worker) deliver(d *Delivery) {
	w.mu.Lock()
	w.queue = append(w.queue, d)
	w.mu.Unlock()
	w.came.Signal()
}

func (w *worker) closed(err error) {
	w.mu.Lock()
	w.ended = err
	w.mu.Unlock()
	w.came.Signal()
}

// next waits for a delivery; nil is the end.
func (w *worker) next() *Delivery {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.stop && w.ended == nil {
		w.came.Wait()
	}
	if len(w.queue) == 0 {
		return nil
	}
	d := w.queue[0]
	w.queue = w.queue[1:]
	return d
}

func (w *worker) end() {
	w.mu.Lock()
	w.stop = true
	w.mu.Unlock()
	w.came.Broadcast()
}

// order checks that first deliveries of each publisher come in its order.
type order map[string]int

func (o order) check(t *testing.T, text string) {
	t.Helper()
	publisher, number, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n <= o[publisher] {
		t.Errorf("%s after %d", text, o[publisher])
	}
	o[publisher] = n
}

// publishAll publishes n numbered messages and waits whenever it is told to.
func publishAll(t *testing.T, b *Broker, destination, name string, n int) {
	t.Helper()
	for i := range n {
		text := fmt.Sprint(name, " ", i+1)
		for {
			p, err := b.Publish(message(destination, text))
			if p != nil {
				resumed := make(chan struct{})
				p.OnResume(func() { close(resumed) })
				<-resumed
			}
			if err == nil {
				break
			}
			t.Errorf("publish: %v", err)
			return
		}
	}
}

// settled counts accepted messages and tells when all are.
type settled struct {
	mu    sync.Mutex
	times map[string]int
	left  int
	done  chan struct{}
}

func (s *settled) accept(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times[text]++
	if s.left--; s.left == 0 {
		close(s.done)
	}
}

// work consumes until it is stopped, settles as chance has it, and now and then goes away and comes back.
func (w *worker) work(t *testing.T, b *Broker, s *settled, random *rand.Rand) {
	t.Helper()
	for w.session(t, b, s, random) {
		w.mu.Lock()
		w.queue = nil
		w.mu.Unlock()
	}
}

func (w *worker) session(t *testing.T, b *Broker, s *settled, random *rand.Rand) (again bool) {
	t.Helper()
	c, err := b.Attach("/queue/work", ConsumerConfig{Deliver: w.deliver, Credit: 1 + random.IntN(20)})
	if err != nil {
		t.Errorf("attach: %v", err)
		return false
	}
	defer c.Close()
	for {
		d := w.next()
		if d == nil {
			return false
		}
		text := d.Message.Text()
		switch n := random.IntN(100); {
		case n < 70:
			if !d.AcceptAndGrant() {
				t.Error("not accepted")
			}
			s.accept(text)
		case n < 80:
			tx := b.Begin()
			if err := tx.Accept(d); err != nil {
				t.Errorf("accept: %v", err)
			}
			if _, err := tx.Commit(); err != nil {
				t.Errorf("commit: %v", err)
			}
			s.accept(text)
			c.Grant(1)
		case n < 90:
			d.Retry()
			c.Grant(1)
		case n < 97:
			d.Release()
			c.Grant(1)
		default:
			return true
		}
	}
}

func TestEveryQueueMessageIsAcceptedOnceWhateverConsumersDo(t *testing.T) {
	leakCheck(t)
	const publishers, each, consumers = 4, 1000, 4
	b := &Broker{MaxMessages: 200, MaxDeliveries: 1 << 20}
	s := &settled{times: map[string]int{}, left: publishers * each, done: make(chan struct{})}
	var senders, receivers sync.WaitGroup
	workers := make([]*worker, consumers)
	for i := range workers {
		workers[i] = newWorker()
		receivers.Go(func() { workers[i].work(t, b, s, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	for i := range publishers {
		senders.Go(func() { publishAll(t, b, "/queue/work", strconv.Itoa(i), each) })
	}
	senders.Wait()
	<-s.done
	for _, w := range workers {
		w.end()
	}
	receivers.Wait()
	require.Len(t, s.times, publishers*each)
	for text, times := range s.times {
		require.Equal(t, 1, times, text)
	}
	stats := b.Stats()
	require.Zero(t, stats.Messages+stats.Destinations+stats.Consumers+int(stats.StoredBytes))
	require.EqualValues(t, publishers*each, stats.Published)
	require.Equal(t, stats.Published, stats.Acknowledged)
	require.Equal(t, stats.Delivered-stats.Redelivered, stats.Published, "each message was new once")
}

func TestSubscribersThatComeAndGoSeeEachPublishersOrder(t *testing.T) {
	leakCheck(t)
	const publishers, each, consumers = 4, 1000, 6
	b := &Broker{MaxMessages: 100}
	var senders, receivers sync.WaitGroup
	names := []string{"/topic/a", "/topic/b", "/topic/*", "/topic/#"}
	done := make(chan struct{})
	for i := range consumers {
		receivers.Go(func() { subscribeAgainAndAgain(t, b, names[i%len(names)], done, uint64(i)) })
	}
	receivers.Go(func() { // statistics meanwhile, and temporary destinations that come and go
		for !isDone(done) {
			s := b.Stats()
			if s.Delivered < s.Acknowledged {
				t.Error("more accepted than delivered")
			}
			temporary, err := b.Temporary(KindTopic)
			if err != nil {
				t.Errorf("temporary: %v", err)
				return
			}
			temporary.Close()
		}
	})
	for i := range publishers {
		senders.Go(func() { publishAll(t, b, names[i%2], strconv.Itoa(i), each) })
	}
	senders.Wait()
	close(done)
	receivers.Wait()
	s := b.Stats()
	require.Zero(t, s.Messages+s.Destinations+s.Consumers+s.Wildcards+int(s.StoredBytes)+int(b.consumers.Load()))
	require.EqualValues(t, publishers*each, s.Published)
}

func isDone(done chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

func subscribeAgainAndAgain(t *testing.T, b *Broker, name string, done chan struct{}, id uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(2, id))
	policies := []Policy{PolicyDropOldest, PolicyDisconnect, PolicyDropOldest}
	for !isDone(done) {
		w := newWorker()
		seen := order{}
		c, err := b.Attach(name, ConsumerConfig{
			Deliver: w.deliver, Credit: 10, Policy: policies[random.IntN(3)], MaxMessages: 20, Closed: w.closed,
		})
		if err != nil {
			t.Errorf("attach: %v", err)
			return
		}
		go func() { <-done; w.end() }()
		for range random.IntN(200) {
			d := w.next()
			if d == nil {
				break
			}
			if !d.Redelivered {
				seen.check(t, d.Message.Text())
			}
			if random.IntN(20) == 0 {
				d.Retry()
				c.Grant(1)
				continue
			}
			d.AcceptAndGrant()
		}
		c.Close()
	}
}

func TestBrokerClosesUnderLoad(t *testing.T) {
	leakCheck(t)
	for round := range uint64(20) {
		var b Broker
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				for n := 0; ; n++ {
					name := []string{"/queue/a", "/topic/a"}[(n+i)%2]
					if _, err := b.Publish(message(name, "x")); err != nil {
						if !errors.Is(err, ErrFull) {
							return
						}
					}
				}
			})
		}
		for i := range 3 {
			all.Go(func() {
				random := rand.New(rand.NewPCG(round, uint64(i)))
				for {
					w := newWorker()
					name := []string{"/queue/a", "/topic/a", "/topic/*"}[i]
					c, err := b.Attach(name, ConsumerConfig{Deliver: w.deliver, Closed: w.closed, Credit: 5})
					if err != nil {
						return
					}
					for range random.IntN(50) {
						d := w.next()
						if d == nil {
							break
						}
						d.AcceptAndGrant()
					}
					c.Close()
				}
			})
		}
		for range 100 {
			b.Stats()
		}
		b.Close()
		all.Wait()
		s := b.Stats()
		require.Zero(t, s.Messages+s.Destinations+s.Consumers+s.Wildcards+int(s.StoredBytes)+int(b.consumers.Load()))
	}
}
