package websocket_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// serve runs a server of u on a free port for the length of the test and gives its address.
func serve(t *testing.T, u *websocket.Upgrader) string {
	t.Helper()
	s := &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: u.Handle}), Loops: 2}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s.Addrs()[0].String()
}

// mailbox collects what a client gets.
type mailbox struct {
	messages chan *websocket.Message
	closed   chan websocket.CloseEvent
}

func newMailbox() *mailbox {
	return &mailbox{messages: make(chan *websocket.Message, 10_000), closed: make(chan websocket.CloseEvent, 1)}
}

// HandleRead keeps messages for the test.
func (b *mailbox) HandleRead(_ *pipeline.Context, msg any) error {
	b.messages <- msg.(*websocket.Message)
	return nil
}

// HandleEvent keeps the CloseEvent for the test.
func (b *mailbox) HandleEvent(_ *pipeline.Context, event any) error {
	if e, ok := event.(websocket.CloseEvent); ok {
		b.closed <- e
	}
	return nil
}

func (b *mailbox) next() ([]byte, error) {
	select {
	case m := <-b.messages:
		defer m.Release()
		return bytes.Clone(m.Bytes()), nil
	case e := <-b.closed:
		return nil, fmt.Errorf("closed: %+v", e)
	case <-time.After(20 * time.Second):
		return nil, errors.New("nothing came")
	}
}

func (b *mailbox) end() (websocket.CloseEvent, error) {
	select {
	case e := <-b.closed:
		return e, nil
	case <-time.After(20 * time.Second):
		return websocket.CloseEvent{}, errors.New("not closed")
	}
}

// dial connects to url and gives the channel and what comes of it.
func dial(t *testing.T, d *websocket.Dialer, url string) (*pipeline.Channel, *mailbox) {
	t.Helper()
	client := &transport.Client{Loops: 1}
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	d.Plain, d.Messages = client.Dial, true
	box := newMailbox()
	ch, err := d.Dial(t.Context(), url, func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(box) })
	require.NoError(t, err)
	return ch, box
}

// payloads are texts of many sizes, as large as some and as compressible.
func payloads() (list [][]byte) {
	for _, n := range []int{0, 1, 125, 126, 127, 1000, 65535, 65536, 300_000, 1 << 20} {
		p := make([]byte, n)
		for i := range p {
			p[i] = "penstock "[i%9] ^ byte(i>>12&7)
		}
		list = append(list, p)
	}
	return list
}

func TestEchoOverTCP(t *testing.T) {
	for name, deflate := range map[string]*websocket.Deflate{
		"plain": nil, "alone": {MinBytes: 1, Cap: raised}, "takeover": {ServerTakeover: true, ClientTakeover: true, MinBytes: 1, Cap: raised},
		"small windows": {ServerTakeover: true, ClientTakeover: true, ServerWindowBits: 9, ClientWindowBits: 9, MinBytes: 1, Cap: raised},
	} {
		t.Run(name, func(t *testing.T) {
			u := upgrader()
			u.Deflate = deflate
			addr := serve(t, u)
			var wg sync.WaitGroup
			for range 4 {
				ch, box := dial(t, &websocket.Dialer{Deflate: deflate, Protocols: []string{"echo"}}, "ws://"+addr+"/")
				wg.Go(func() {
					if err := converse(t.Context(), ch, box); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
	}
}

// converse sends all payloads and compares what comes back, then closes.
func converse(parent context.Context, ch *pipeline.Channel, box *mailbox) error {
	for _, p := range payloads() {
		if err := ch.Write(parent, websocket.NewBinary(p)); err != nil {
			return err
		}
		got, err := box.next()
		if err != nil {
			return err
		}
		if !bytes.Equal(p, got) {
			return fmt.Errorf("%d octets came back as %d others", len(p), len(got))
		}
	}
	if err := ch.Send(&websocket.Close{Code: 4000}, nil); err != nil {
		return err
	}
	e, err := box.end()
	if err == nil && e != (websocket.CloseEvent{Code: 4000, Clean: true}) {
		err = fmt.Errorf("%+v", e)
	}
	return err
}

func TestManyGoroutinesBroadcastToManyConnections(t *testing.T) {
	const clients, rounds = 8, 50
	var group pipeline.Group
	u := &websocket.Upgrader{
		Protocols: []websocket.Protocol{{Install: func(ctx *pipeline.Context) error {
			group.Add(ctx.Channel())
			return nil
		}}},
		Deflate: &websocket.Deflate{ServerTakeover: true, ClientTakeover: true, MinBytes: 1},
	}
	addr := serve(t, u)
	var boxes []*mailbox
	for i := range clients {
		d := &websocket.Dialer{}
		if i%2 == 0 {
			d.Deflate = u.Deflate
		}
		_, box := dial(t, d, "ws://"+addr+"/")
		boxes = append(boxes, box)
	}
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := range rounds {
				m := websocket.NewText(fmt.Sprintf("message %d of %d, message %d of %d", i, g, i, g))
				if i%3 == 0 {
					for _, ch := range group.Channels() {
						m.Retain()
						_ = ch.Send(m, nil) // shared, compressed for each
					}
					m.Release()
					continue
				}
				p, err := websocket.Prepare(m)
				if err != nil {
					t.Error(err)
					return
				}
				group.Broadcast(p)
			}
		})
	}
	wg.Wait()
	for _, box := range boxes {
		next := [2]int{}
		for range 2 * rounds {
			p, err := box.next()
			require.NoError(t, err)
			var i, g int
			_, err = fmt.Sscanf(string(p), "message %d of %d,", &i, &g)
			require.NoError(t, err)
			require.Equal(t, next[g], i, "each sender's messages keep their order")
			next[g]++
		}
	}
	group.CloseAll(pipeline.CloseDrain)
	for _, box := range boxes {
		e, err := box.end()
		require.NoError(t, err)
		require.Equal(t, websocket.CloseEvent{Code: websocket.CodeNormal, Remote: true, Clean: true}, e)
	}
}

func TestAServerThatStopsSaysSo(t *testing.T) {
	u := upgrader()
	s := &transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: u.Handle}), Loops: 1}
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	_, box := dial(t, &websocket.Dialer{}, "ws://"+s.Addrs()[0].String()+"/")
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, <-served)
	e, err := box.end()
	require.NoError(t, err)
	require.Equal(t, websocket.CloseEvent{Code: websocket.CodeGoingAway, Remote: true, Clean: true}, e)
}

// raised lets texts that repeat themselves through.
var raised = codec.Cap{MaxRatio: 10_000}
