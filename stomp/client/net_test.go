package client_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/client"
)

const address = "broker:61613"

// script is a network with a server that the test plays, and a client that connects to it. Everything happens on the
// test's goroutine, in virtual time.
type script struct {
	*client.Client
	t      *testing.T
	net    *embedded.Network
	status []string
	wake   *pipeline.Loop
	log    strings.Builder
	alarms []*alarm
	delays []time.Duration
}

// alarm is a timer of Reconnect.After.
type alarm struct {
	at time.Time
	f  func()
}

func newScript(t *testing.T, c *client.Client) *script {
	t.Helper()
	s := &script{Client: c, t: t}
	s.net = embedded.NewNetwork(embedded.Config{Options: pipeline.Options{Logger: slog.New(slog.NewTextHandler(&s.log, nil))}})
	s.net.Listen(address, nil)
	s.net.Listen("wake-up", nil)
	ch, err := s.net.Dial(t.Context(), "wake-up", func(*pipeline.Channel) error { return nil })
	require.NoError(t, err)
	s.wake = ch.Loop()
	c.Address = address
	if c.Dial == nil {
		c.Dial = s.net.Dial
	}
	c.Reconnect.After = s.after
	if c.Reconnect.Random == nil {
		c.Reconnect.Random = func() float64 { return 0 }
	}
	if c.OnStatus == nil {
		c.OnStatus = func(st client.Status) { s.status = append(s.status, st.String()) }
	}
	t.Cleanup(func() {
		c.StartClose(nil)
		s.net.RunPending()
		s.advance(client.DefaultCloseTimeout)
		_, err := s.net.Finish()
		require.NoError(t, err)
	})
	return s
}

// after is Reconnect.After in the network's time.
func (s *script) after(d time.Duration, f func()) (stop func() bool) {
	a := &alarm{s.net.Now().Add(d), f}
	s.alarms = append(s.alarms, a)
	s.delays = append(s.delays, d)
	return func() bool {
		n := len(s.alarms)
		s.alarms = slices.DeleteFunc(s.alarms, func(o *alarm) bool { return o == a })
		return len(s.alarms) < n
	}
}

// ring runs the timers that are due.
func (s *script) ring() {
	for i := 0; i < len(s.alarms); i++ {
		if a := s.alarms[i]; !a.at.After(s.net.Now()) {
			s.alarms = slices.Delete(s.alarms, i, i+1)
			i = -1
			a.f()
		}
	}
}

// advance lets d pass.
func (s *script) advance(d time.Duration) {
	s.net.AdvanceTime(d)
	s.ring()
	s.net.RunPending()
}

// begin starts the client and dials.
func (s *script) begin() {
	s.t.Helper()
	require.NoError(s.t, s.Start())
	s.ring()
}

// elsewhere runs f on another goroutine, for calls that wait. The network looks again when it has returned.
func (s *script) elsewhere(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() {
		done <- f()
		_ = s.wake.Post(func() {})
	}()
	return done
}

// until runs the network until done.
func (s *script) until(done func() bool) {
	s.t.Helper()
	late := time.Now().Add(10 * time.Second)
	for ok := false; !ok; { // what other goroutines do need not post anything
		require.True(s.t, time.Now().Before(late), "it does not come to pass")
		soon, stop := context.WithTimeout(s.t.Context(), time.Millisecond)
		_ = s.net.RunUntil(soon, func() bool { // its error says that it was too soon
			ok = done()
			return ok
		})
		stop()
	}
}

// result waits for what elsewhere runs.
func (s *script) result(of <-chan error) error {
	s.t.Helper()
	s.until(func() bool { return len(of) > 0 })
	return <-of
}

// sends waits until the client has sent something over the newest connection.
func (s *script) sends() string {
	s.t.Helper()
	s.until(func() bool { return s.peer().Untaken() > 0 })
	return s.got()
}

// peer is the newest connection.
func (s *script) peer() *embedded.Channel {
	s.t.Helper()
	all := s.net.Dialed(address)
	require.NotEmpty(s.t, all, "nobody has dialed")
	return all[len(all)-1]
}

// got is what the client has sent over the newest connection since the last call, NUL as ^@.
func (s *script) got() string {
	s.t.Helper()
	s.net.RunPending()
	return strings.ReplaceAll(s.peer().WireString(), "\x00", "^@")
}

// says sends wire to the client, with ^@ for NUL.
func (s *script) says(wire string) {
	s.t.Helper()
	require.NoError(s.t, s.peer().FeedString(strings.ReplaceAll(wire, "^@", "\x00")))
	s.net.RunPending()
}

// login answers CONNECT.
func (s *script) login(version string, more ...string) {
	s.t.Helper()
	require.Contains(s.t, s.got(), "CONNECT\n")
	s.says("CONNECTED\nversion:" + version + "\n" + strings.Join(more, "\n") + "\n\n^@")
}

// connected is a script whose client is logged in.
func connected(t *testing.T, c *client.Client, version string) *script {
	t.Helper()
	s := newScript(t, c)
	s.begin()
	s.login(version)
	require.Equal(t, stomp.ParseVersion(version), s.Version())
	s.status = nil
	return s
}

// outcome is how something ended, told by a function.
type outcome struct {
	times int
	err   error
}

func (o *outcome) done(err error) { o.times, o.err = o.times+1, err }

func (o *outcome) require(t *testing.T, want error) {
	t.Helper()
	require.Equal(t, 1, o.times, "ended")
	if want == nil {
		require.NoError(t, o.err)
		return
	}
	require.ErrorIs(t, o.err, want)
}

// news makes a SEND frame.
func news(body string, namesAndValues ...string) *stomp.Frame {
	f := stomp.NewFrame(stomp.CommandSend, append([]string{stomp.HeaderDestination, "/queue/a"}, namesAndValues...)...)
	f.Body.AppendString(body)
	return f
}

var errRefused = errors.New("refused by the test")
