package httpx

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// clientModel does anything with a client in any order, and checks what must hold in any case: a call ends once and
// behind everything else, its pieces are those of its own response, and nothing is left of the pool in the end.
type clientModel struct {
	t       *rapid.T
	net     *embedded.Network
	client  *Client
	ctx     *pipeline.Context
	calls   []*modelCall
	served  map[*embedded.Channel]string // what is left to send of a response, by connection
	counter int
}

type modelCall struct {
	Call
	id          string
	stream      bool
	head, ended int
	body        strings.Builder
	last        bool
	err         error
}

type modelPlace struct{ ctx *pipeline.Context }

func (p *modelPlace) HandleAdded(ctx *pipeline.Context) error {
	p.ctx = ctx
	return nil
}

func newClientModel(t *rapid.T) *clientModel {
	m := &clientModel{t: t, net: embedded.NewNetwork(embedded.Config{}), served: map[*embedded.Channel]string{}}
	m.net.Listen("place:1", nil)
	m.net.Listen("h:80", nil)
	place := &modelPlace{}
	_, err := m.net.Dial(context.Background(), "place:1", func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(place) })
	require.NoError(t, err)
	m.ctx = place.ctx
	m.client = &Client{MaxConnsPerHost: 3, MaxWaiting: 4, MaxIdlePerHost: 2}
	m.client.Dial = m.net.Dial
	return m
}

// settle runs the network until no dial is under way. The client counts a dial as done on the goroutine of the dial, at
// a moment that posts nothing: so the network looks again soon.
func (m *clientModel) settle() {
	late := time.Now().Add(10 * time.Second)
	for done := false; !done; {
		require.True(m.t, time.Now().Before(late), "a dial does not end")
		soon, stop := context.WithTimeout(context.Background(), time.Millisecond)
		_ = m.net.RunUntil(soon, func() bool { // its error says that it was too soon
			done = m.dialed()
			return done
		})
		stop()
	}
	m.net.RunPending()
}

// dialed reports whether no dial is under way.
func (m *clientModel) dialed() bool {
	m.client.pool.mu.Lock()
	defer m.client.pool.mu.Unlock()
	for _, h := range m.client.pool.hosts {
		if h.dialing > 0 {
			return false
		}
	}
	return true
}

func (m *clientModel) start() {
	m.counter++
	c := &modelCall{id: strings.Repeat("i", m.counter%7+1), stream: rapid.Bool().Draw(m.t, "stream")}
	c.OnResponse = func(r *Response) error {
		r.Release()
		c.head++
		require.Zero(m.t, c.ended)
		return nil
	}
	c.OnContent = func(p *Content) error {
		require.False(m.t, c.last)
		require.Equal(m.t, 1, c.head)
		c.body.Write(p.Bytes())
		c.last = p.Last
		p.Release()
		return nil
	}
	c.OnEnd = func(err error) {
		c.ended++
		c.err = err
	}
	var err error
	if c.stream {
		r := NewRequest(MethodPut, "http://h/"+c.id)
		r.Length = LengthChunked
		err = m.client.Stream(m.ctx, r, &c.Call)
	} else {
		err = m.client.Start(m.ctx, NewFullRequest(MethodGet, "http://h/"+c.id), &c.Call)
	}
	require.Zero(m.t, c.ended+c.head, "nothing inside Start")
	if err != nil {
		require.ErrorIs(m.t, err, ErrBusy)
		return
	}
	m.calls = append(m.calls, c)
}

// conn picks a connection that is open.
func (m *clientModel) conn() *embedded.Channel {
	var open []*embedded.Channel
	for _, conn := range m.net.Dialed("h:80") {
		if !conn.Closed() {
			open = append(open, conn)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[rapid.IntRange(0, len(open)-1).Draw(m.t, "conn")]
}

// call picks a call that has not ended.
func (m *clientModel) call() *modelCall {
	var live []*modelCall
	for _, c := range m.calls {
		if c.ended == 0 {
			live = append(live, c)
		}
	}
	if len(live) == 0 {
		return nil
	}
	return live[rapid.IntRange(0, len(live)-1).Draw(m.t, "call")]
}

// answer sends a part of the response that the request on conn asks for: its own id.
func (m *clientModel) answer(conn *embedded.Channel) {
	wire := conn.WireString()
	left := m.served[conn]
	if at := strings.Index(wire, " /"); at >= 0 {
		id, _, _ := strings.Cut(wire[at+2:], " ")
		left = rapid.SampledFrom([]string{
			"HTTP/1.1 200 OK\r\nContent-Length: " + string(rune('0'+len(id))) + "\r\n\r\n" + id,
			"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ni\r\n" +
				string(rune('0'+len(id)-1)) + "\r\n" + id[1:] + "\r\n0\r\n\r\n",
			"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + string(rune('0'+len(id))) + "\r\n\r\n" + id,
		}).Draw(m.t, "form")
		if len(id) == 1 {
			left = strings.Replace(left, "0\r\n\r\n0\r\n\r\n", "0\r\n\r\n", 1)
		}
	}
	n := rapid.IntRange(0, len(left)).Draw(m.t, "octets")
	m.served[conn] = left[n:]
	require.NoError(m.t, conn.FeedString(left[:n]))
}

func (m *clientModel) step() {
	conn, call := m.conn(), m.call()
	action := rapid.IntRange(0, 11).Draw(m.t, "action")
	switch {
	case action <= 2:
		m.start()
	case action <= 5 && conn != nil:
		m.answer(conn)
	case action == 6 && conn != nil:
		conn.PeerClose()
	case action == 7 && conn != nil:
		conn.PeerReset()
	case action == 8 && call != nil:
		call.Cancel(errModel)
	case action == 9 && call != nil:
		call.PauseBody()
	case action == 10 && call != nil:
		call.ResumeBody()
	case action == 11 && call != nil && call.stream:
		err := call.WriteBytes([]byte("body"))
		if err == nil && rapid.Bool().Draw(m.t, "last") {
			err = call.End()
		}
		if err != nil {
			require.ErrorIs(m.t, err, ErrBodyEnded)
		}
	default:
		m.net.AdvanceTime(time.Duration(rapid.IntRange(0, 40).Draw(m.t, "seconds")) * time.Second)
	}
	if rapid.Bool().Draw(m.t, "settle") {
		m.settle()
	}
}

var errModel = errors.New("cancelled by the model")

// check is what must hold in the end.
func (m *clientModel) check() {
	m.settle()
	require.NoError(m.t, m.client.Close())
	m.settle()
	for _, c := range m.calls {
		c.ResumeBody()
	}
	m.settle()
	for _, c := range m.calls {
		require.Equal(m.t, 1, c.ended, "%s", c.id)
		require.Equal(m.t, c.err == nil, c.last, "%s: %v", c.id, c.err)
		require.True(m.t, strings.HasPrefix(c.id, c.body.String()), "%s got %s", c.id, c.body.String())
		if c.err == nil {
			require.Equal(m.t, c.id, c.body.String())
		}
	}
	require.Empty(m.t, m.client.pool.hosts)
	require.Empty(m.t, m.client.pool.conns)
	require.Zero(m.t, m.client.pool.idle.n)
	_, err := m.net.Finish()
	require.NoError(m.t, err)
}

func TestClientHoldsWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newClientModel(rt)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			m.step()
		}
		m.check()
	})
}
