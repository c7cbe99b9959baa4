package client

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// conn is one connection of a Client, and the handler behind its codec.
type conn struct {
	pipeline.Unshared
	client   *Client
	state    stomp.State
	sendTask func()

	// Guarded by the client's mutex.
	channel      *pipeline.Channel
	ctx          *pipeline.Context // set once, read on the loop without the mutex
	version      stomp.Version
	up           bool
	doomed       bool  // it must not come up any more
	dying        bool  // it closes: nothing more is sent
	returned     bool  // the DialFunc has, and with success
	removed      bool  // from its pipeline
	gone         error // why it is lost
	outbox       requests
	flying       requests            // given to the encoder, and not written or not confirmed
	receipts     map[string]*request // those of both lists that have one, by id
	posted       bool                // sendAll will run
	transactions int

	// Of the loop:
	cause           error // why it closes
	since           time.Time
	beats           heartBeats
	login, farewell *pipeline.Timer
	confirmed       bool // the server has answered DISCONNECT
}

var (
	_ pipeline.AddedHandler        = (*conn)(nil)
	_ pipeline.ActiveHandler       = (*conn)(nil)
	_ pipeline.ReadHandler         = (*conn)(nil)
	_ pipeline.ReadCompleteHandler = (*conn)(nil)
	_ pipeline.ErrorHandler        = (*conn)(nil)
	_ pipeline.InactiveHandler     = (*conn)(nil)
	_ pipeline.RemovedHandler      = (*conn)(nil)
)

func newConn(c *Client) *conn {
	n := &conn{client: c, receipts: make(map[string]*request)}
	n.sendTask = n.sendAll
	return n
}

// install fills the pipeline of a connection.
func (n *conn) install(ch *pipeline.Channel) error {
	c := n.client
	return ch.Pipeline().AddLast(
		codec.NewDecoder[any](&stomp.Decoder{State: &n.state, Limits: c.Limits, Strict: c.Strict}),
		codec.NewMessageEncoder[any](&stomp.Encoder{State: &n.state, WrapFrame: c.WrapFrame, WrapEOL: c.WrapEOL}),
		n)
}

// HandleAdded remembers where the connection is.
func (n *conn) HandleAdded(ctx *pipeline.Context) error {
	n.client.mu.Lock()
	defer n.client.mu.Unlock()
	n.ctx = ctx
	if n.channel == nil { // else it is there, and nobody writes it any more
		n.channel = ctx.Channel()
	}
	return nil
}

// HandleActive logs in. STOMP 1.2, "CONNECT or STOMP Frame".
func (n *conn) HandleActive(ctx *pipeline.Context) error {
	ctx.FireActive()
	ctx.SetReadWhileUnwritable(true) // what is unsent is bounded, and a server may wait for us to read
	c := n.client
	within := orDefault(c.ConnectTimeout, DefaultConnectTimeout)
	n.login = ctx.After(within, func() { n.fail(&TimeoutError{What: "answer to CONNECT", After: within}) })
	return ctx.Write(c.connectFrame())
}

// connectFrame makes the first frame.
func (c *Client) connectFrame() *stomp.Frame {
	offers := slices.Clone(c.Versions)
	if len(offers) == 0 {
		offers = []stomp.Version{stomp.Version10, stomp.Version11, stomp.Version12}
	}
	slices.Sort(offers)
	texts := make([]string, len(offers))
	for i, v := range offers {
		texts[i] = v.String()
	}
	f := stomp.NewFrame(stomp.CommandConnect, stomp.HeaderAcceptVersion, strings.Join(texts, ","), stomp.HeaderHost, c.host())
	if c.Login != "" || c.Passcode != "" {
		f.Headers.Add(stomp.HeaderLogin, c.Login)
		f.Headers.Add(stomp.HeaderPasscode, c.Passcode)
	}
	if h := c.heartBeat(); h != (stomp.HeartBeat{}) {
		f.Headers.Add(stomp.HeaderHeartBeat, h.String())
	}
	f.Headers = append(f.Headers, c.Headers...)
	return f
}

// HandleRead takes the frames of the server.
func (n *conn) HandleRead(ctx *pipeline.Context, msg any) error {
	f, ok := msg.(*stomp.Frame)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	if f.Command == stomp.CommandMessage && n.since != (time.Time{}) {
		n.message(ctx, f)
		return nil
	}
	defer f.Release()
	switch {
	case n.cause != nil: // it closes
		return nil
	case f.Command == stomp.CommandError:
		return n.refused(f)
	case n.since == (time.Time{}) && f.Command == stomp.CommandConnected:
		return n.connected(ctx, f)
	case n.since != (time.Time{}) && f.Command == stomp.CommandReceipt:
		n.receipt(f)
		return nil
	}
	return fmt.Errorf("%w: %q was not expected", ErrProtocol, f.Command[:min(len(f.Command), maxQuoted)])
}

// connected takes CONNECTED. STOMP 1.2, "CONNECTED Frame".
func (n *conn) connected(ctx *pipeline.Context, f *stomp.Frame) error {
	c := n.client
	text, found := f.Headers.Lookup(stomp.HeaderVersion)
	if !found {
		text = stomp.Version10.String()
	}
	version := stomp.ParseVersion(text)
	if version == stomp.VersionUnknown || len(c.Versions) > 0 && !slices.Contains(c.Versions, version) {
		return fmt.Errorf("%w: the server chose %q", ErrVersion, text[:min(len(text), maxQuoted)])
	}
	theirs, err := stomp.HeartBeat{}, error(nil)
	if value, found := f.Headers.Lookup(stomp.HeaderHeartBeat); found {
		if theirs, err = stomp.ParseHeartBeat(value); err != nil {
			return err
		}
	}
	n.login.Stop()
	n.since = ctx.Loop().Now()
	s := Status{
		State: StateConnected, Version: version,
		Server: strings.Clone(f.Headers.Get(stomp.HeaderServer)), Session: strings.Clone(f.Headers.Get(stomp.HeaderSession)),
	}
	s.ToServer, s.FromServer = stomp.NegotiateHeartBeat(c.heartBeat(), theirs)
	n.startBeats(s.ToServer, s.FromServer)
	c.up(n, s)
	return nil
}

// receipt takes RECEIPT.
func (n *conn) receipt(f *stomp.Frame) {
	c := n.client
	c.mu.Lock()
	var e ending
	if r := n.receipts[f.Headers.Get(stomp.HeaderReceiptID)]; r != nil {
		e = c.finish(r, nil)
	} else {
		c.stats.UnknownReceipts++
	}
	c.mu.Unlock()
	e.tell()
}

// refused takes ERROR: the frame that it names ends with it, the connection does, too.
func (n *conn) refused(f *stomp.Frame) error {
	err := serverError(f)
	c := n.client
	c.mu.Lock()
	var e ending
	if r := n.receipts[err.Receipt]; r != nil && err.Receipt != "" {
		e = c.finish(r, err)
	}
	c.mu.Unlock()
	e.tell()
	n.dies(err)
	n.ctx.Close()
	return nil
}

// fail closes the connection because of err.
func (n *conn) fail(err error) {
	n.dies(err)
	n.ctx.CloseWith(pipeline.CloseNow, nil)
}

// dies remembers why the connection closes.
func (n *conn) dies(err error) {
	if n.cause == nil {
		n.cause = err
	}
	n.client.mu.Lock()
	defer n.client.mu.Unlock()
	n.dying = true
}

// HandleError closes the connection.
func (n *conn) HandleError(_ *pipeline.Context, err error) error {
	var bad *stomp.Error
	var ours *codec.EncodeError
	if errors.As(err, &bad) && !errors.As(err, &ours) {
		err = fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	n.fail(err)
	return nil
}

// HandleInactive says that the connection is lost.
func (n *conn) HandleInactive(ctx *pipeline.Context) error {
	n.over(ctx)
	ctx.FireInactive()
	return nil
}

// HandleRemoved does the same for a connection that never was active, and for one that somebody takes the handler from.
func (n *conn) HandleRemoved(ctx *pipeline.Context) error {
	n.client.mu.Lock()
	n.removed = true
	returned := n.returned // else the error of the DialFunc tells more
	n.client.mu.Unlock()
	if returned {
		ctx.Channel().CloseWith(pipeline.CloseNow, nil)
		n.over(ctx)
	}
	return nil
}

// over stops everything that belongs to the connection.
func (n *conn) over(ctx *pipeline.Context) {
	n.stopBeats()
	n.login.Stop()
	n.farewell.Stop()
	err := n.cause
	if err == nil {
		err = n.channel.Cause()
	}
	_, most := n.client.Reconnect.bounds()
	lasted := n.since != (time.Time{}) && ctx.Loop().Now().Sub(n.since) >= most
	n.client.lost(n, err, lasted)
}

// newID makes an identifier that this client has not used. The client is locked.
func (c *Client) newID(prefix string) string {
	c.ids++
	return prefix + strconv.FormatUint(c.ids, 10)
}
