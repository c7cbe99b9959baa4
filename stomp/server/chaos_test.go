package server_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// chaos is a set of clients that do anything, most of it allowed, and break off anywhere.
type chaos struct {
	t       *testing.T
	r       *rand.Rand
	broker  broker.Broker
	cfg     server.Config
	clients []*chaoticClient
	later   []func(error) // of Config.Publish
	sent    int
	seen    map[string]bool // bodies that arrived at somebody
	queued  map[string]bool // bodies that a queue took and that are not dead, when Config.Publish is set
}

// chaoticClient is one connection.
type chaoticClient struct {
	ch      *pipelinetest.Channel
	version string
	in      *stomp.Decoder
	rest    *buffer.Buffer
	subs    map[string]bool
	acks    map[string][]string // by subscription
	txs     map[string]bool
}

func newChaos(t *testing.T, seed uint64) *chaos {
	t.Helper()
	c := &chaos{t: t, r: rand.New(rand.NewPCG(seed, 1)), seen: make(map[string]bool), queued: make(map[string]bool)}
	c.broker.MaxMessages, c.broker.MaxDeliveries = 60, 3
	c.broker.Dead = func(m *broker.Message) { delete(c.queued, key(m.Text())) }
	c.cfg = server.Config{Broker: &c.broker, MaxBacklog: 20, MaxUnanswered: 4, Policy: broker.Policy(c.r.IntN(4))}
	if c.r.IntN(2) == 0 {
		c.cfg.Publish = c.publish
	}
	return c
}

// publish answers at once, later, twice, or never.
func (c *chaos) publish(_ *server.Session, m *broker.Message, done func(error)) {
	text := ""
	if strings.HasPrefix(m.Destination, "/queue/") {
		text = key(m.Text())
	}
	_, err := c.broker.Publish(m)
	if err == nil && text != "" {
		c.queued[text] = true
	}
	switch c.r.IntN(40) {
	case 2:
		done(errors.New("not published"))
	case 3, 4, 5, 6, 7, 8:
		c.later = append(c.later, done)
	case 0: // never
	case 1:
		done(err)
		done(errors.New("twice"))
	default:
		done(err)
	}
}

func (c *chaos) open() *chaoticClient {
	k := &chaoticClient{
		ch: pipelinetest.New(c.t, &installer{c.cfg}), version: c.pick("1.0", "1.1", "1.2"),
		in: &stomp.Decoder{State: &stomp.State{}}, rest: buffer.FromString(""),
		subs: make(map[string]bool), acks: make(map[string][]string), txs: make(map[string]bool),
	}
	c.clients = append(c.clients, k)
	c.feed(k, "CONNECT\naccept-version:"+k.version+"\nhost:h\nheart-beat:"+c.pick("0,0", "1000,1000", "20000,0")+"\n\n\x00")
	return k
}

func (c *chaos) pick(from ...string) string { return from[c.r.IntN(len(from))] }

func (c *chaos) number(most int) string { return strconv.Itoa(c.r.IntN(most)) }

func (c *chaos) destination() string {
	return c.pick("/queue/a", "/queue/b", "/topic/a", "/topic/b", "/topic/*", "/topic/#", "/temp-queue/r", "/temp-topic/r")
}

// key is the first word of a body.
func key(body string) string { return strings.Fields(body)[0] }

// known picks one of what the client has, or now and then anything.
func known[V any](c *chaos, m map[string]V, otherwise string) string {
	if c.r.IntN(200) == 0 {
		return otherwise
	}
	names := slices.Sorted(maps.Keys(m))
	if len(names) == 0 {
		return ""
	}
	return names[c.r.IntN(len(names))]
}

// subscribe is SUBSCRIBE, or nothing when the client has that subscription.
func (c *chaos) subscribe(k *chaoticClient, receipt string) string {
	id := c.number(4)
	if k.subs[id] {
		return "\n"
	}
	k.subs[id] = true
	mode := c.pick("auto", "client", "client-individual", "auto", "client")
	if k.version == "1.0" && mode == "client-individual" {
		mode = "client"
	}
	return "SUBSCRIBE\nid:" + id + "\ndestination:" + c.destination() + "\nack:" + mode + "\nprefetch-count:" + c.number(5) + "\n" + receipt + "\n\x00"
}

// frame is anything that a client may send.
func (c *chaos) frame(k *chaoticClient) string {
	tx, receipt := "", ""
	if name := known(c, k.txs, "t9"); name != "" && c.r.IntN(3) == 0 {
		tx = "transaction:" + name + "\n"
	}
	if c.r.IntN(3) == 0 {
		receipt = "receipt:" + c.number(100) + "\n"
	}
	switch c.r.IntN(14) {
	case 0, 1:
		return c.subscribe(k, receipt)
	case 2:
		id := known(c, k.subs, "9")
		if id == "" {
			return "\n"
		}
		delete(k.subs, id)
		delete(k.acks, id)
		return "UNSUBSCRIBE\nid:" + id + "\n" + receipt + "\n\x00"
	case 3:
		name := "t" + c.number(2)
		if k.txs[name] {
			return "\n"
		}
		k.txs[name] = true
		return "BEGIN\ntransaction:" + name + "\n" + receipt + "\n\x00"
	case 4:
		name := known(c, k.txs, "t9")
		if name == "" {
			return "\n"
		}
		delete(k.txs, name)
		return c.pick("COMMIT", "ABORT") + "\ntransaction:" + name + "\n" + receipt + "\n\x00"
	case 5, 6, 7:
		acks := k.acks[known(c, k.acks, "9")]
		if len(acks) == 0 {
			return "\n"
		}
		verb := c.pick("ACK", "ACK", "ACK", "NACK")
		if k.version == "1.0" {
			verb = "ACK"
		}
		return verb + "\n" + acks[c.r.IntN(len(acks))] + tx + receipt + "\n\x00"
	case 8:
		if c.r.IntN(40) == 0 {
			return c.pick("DISCONNECT\n"+receipt+"\n\x00", "WHAT\n\n\x00", "SEND\n\n\x00", "\r\r", "SEND\ndestination:/queue/a\n")
		}
		return "\n\n"
	default:
		c.sent++
		body := fmt.Sprint("m", c.sent, " ") + strings.Repeat("x", c.r.IntN(3)*c.r.IntN(30_000))
		return "SEND\ndestination:" + c.destination() + "\nreply-to:" + c.pick("/temp-queue/r", "/queue/a", "/temp-queue/"+c.number(9)) +
			"\n" + tx + receipt + "\n" + body + "\x00"
	}
}

// feed lets a client send, and break off in the middle at times.
func (c *chaos) feed(k *chaoticClient, text string) {
	if k.ch.Channel().Closed() || k.ch.PeerEnded() {
		return
	}
	k.ch.FeedWhole(text)
}

// step does one thing.
func (c *chaos) step() {
	if len(c.clients) < 4 {
		c.open()
	}
	k := c.clients[c.r.IntN(len(c.clients))]
	switch c.r.IntN(30) {
	case 0:
		k.ch.Block()
	case 1, 2:
		k.ch.Unblock()
	case 3:
		k.ch.AcceptBytes(c.r.IntN(5_000))
	case 4:
		k.ch.AdvanceTime(time.Duration(c.r.IntN(3_000)) * time.Millisecond)
	case 5:
		if c.r.IntN(4) == 0 {
			c.end(k)
		}
	case 6:
		for _, done := range c.later {
			done(nil)
		}
		c.later = nil
	default:
		n := 1 + c.r.IntN(3)
		text := ""
		for range n {
			text += c.frame(k)
		}
		c.feed(k, text)
	}
	c.pump()
}

// end ends a connection in some way.
func (c *chaos) end(k *chaoticClient) {
	switch c.r.IntN(4) {
	case 0:
		k.ch.PeerClose()
	case 1:
		k.ch.ResetWriteAt(k.ch.Written() + c.r.IntN(2_000))
	case 2:
		k.ch.Pipeline().Close(pipeline.CloseDrain, nil)
	default:
		k.ch.PeerReset()
	}
}

// pump runs everybody until nothing more comes, and forgets who has gone.
func (c *chaos) pump() {
	for more := true; more; {
		more = false
		for i := 0; i < len(c.clients); i++ {
			k := c.clients[i]
			k.ch.RunPending()
			wire := k.ch.Wire()
			more = more || wire != "" || k.ch.PendingTasks() > 0
			c.receive(k, wire)
			if k.ch.Channel().Closed() {
				c.forget(i)
				i--
			}
		}
	}
}

func (c *chaos) forget(i int) {
	k := c.clients[i]
	for err := k.ch.CheckErr(); err != nil; err = k.ch.CheckErr() {
		require.NotContains(c.t, err.Error(), "panic")
	}
	k.rest.Release()
	k.in.Reset()
	c.clients = append(c.clients[:i], c.clients[i+1:]...)
}

func (c *chaos) receive(k *chaoticClient, wire string) {
	all := buffer.FromString(string(k.rest.Bytes()) + wire)
	k.rest.Release()
	k.rest = all
	for {
		m, ok, err := k.in.Decode(all)
		require.NoError(c.t, err)
		if !ok {
			return
		}
		f := m.(*stomp.Frame)
		if f.Command == stomp.CommandMessage {
			c.seen[key(f.Body.String())] = true
			if id := strings.Clone(f.Headers.Get("subscription")); k.subs[id] && (k.version != "1.2" || f.Headers.Get("ack") != "") {
				k.acks[id] = append(k.acks[id], ackOf(k.version, f))
			}
		}
		f.Release()
	}
}

// ackOf is what ACK has to say of a message.
func ackOf(version string, f *stomp.Frame) string {
	id, sub := strings.Clone(f.Headers.Get("message-id")), strings.Clone(f.Headers.Get("subscription"))
	if version == "1.2" {
		return "id:" + strings.Clone(f.Headers.Get("ack")) + "\n"
	}
	return "message-id:" + id + "\nsubscription:" + sub + "\n"
}

// finish ends everybody and looks at what is left.
func (c *chaos) finish() {
	for _, k := range c.clients {
		k.ch.PeerReset()
	}
	c.pump()
	for range 4 {
		for _, k := range c.clients {
			k.ch.AdvanceTime(time.Minute)
		}
		c.pump()
	}
	require.Empty(c.t, c.clients)
	s := c.broker.Stats()
	require.Zero(c.t, s.Consumers)
	require.Zero(c.t, s.Wildcards)
	require.Zero(c.t, s.Unsettled)
	require.LessOrEqual(c.t, s.Destinations, 2, "the queues")
	for _, queue := range []string{"/queue/a", "/queue/b"} {
		var got []*broker.Delivery
		last := uint64(0)
		consumer, err := c.broker.Attach(queue, broker.ConsumerConfig{Credit: 1000, Deliver: func(d *broker.Delivery) {
			require.Greater(c.t, d.Message.ID(), last, "in order")
			last = d.Message.ID()
			delete(c.queued, key(d.Message.Text()))
			got = append(got, d)
		}})
		require.NoError(c.t, err)
		for _, d := range got {
			d.Accept()
		}
		consumer.Close()
	}
	for body := range c.queued {
		require.True(c.t, c.seen[body], "%s is lost", body)
	}
	for _, done := range c.later {
		done(nil) // nobody is there
	}
	s = c.broker.Stats()
	require.Zero(c.t, s.Destinations)
	require.Zero(c.t, s.Messages)
	require.Zero(c.t, s.StoredBytes)
	c.broker.Close()
}

// closeBroker ends the broker under everybody.
func (c *chaos) closeBroker() {
	c.broker.Close()
	c.pump()
	for range 30 {
		c.step()
	}
	for _, k := range c.clients {
		k.ch.PeerReset()
	}
	c.pump()
	for range 4 {
		for _, k := range c.clients {
			k.ch.AdvanceTime(time.Minute)
		}
		c.pump()
	}
	require.Empty(c.t, c.clients)
	s := c.broker.Stats()
	s = broker.Stats{Destinations: s.Destinations, Wildcards: s.Wildcards, Consumers: s.Consumers, Messages: s.Messages, StoredBytes: s.StoredBytes}
	require.Zero(c.t, s)
}

func TestABrokerThatClosesUnderClientsLeavesNothingBehind(t *testing.T) {
	for seed := range uint64(chaosRuns) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			c := newChaos(t, seed)
			for range 100 {
				c.step()
			}
			c.closeBroker()
		})
	}
}

func TestClientsThatDoAnythingLeaveNothingBehind(t *testing.T) {
	for seed := range uint64(chaosRuns) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			c := newChaos(t, seed)
			for range 300 {
				c.step()
			}
			c.finish()
		})
	}
}

const chaosRuns = 15
