package server_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

const hello = "CONNECT\naccept-version:1.2\nhost:h\nlogin:me\npasscode:secret\nx:y\n\n\x00"

func TestAuthenticateSeesWhatTheClientSays(t *testing.T) {
	p := newPeers(t)
	asked := 0
	p.cfg.Authenticate = func(ctx *pipeline.Context, l *server.Login) {
		asked++
		require.Same(t, p.conn("A").Channel(), ctx.Channel())
		require.Equal(t, "me", l.Login)
		require.Equal(t, "secret", l.Passcode)
		require.Equal(t, "h", l.Host)
		require.Equal(t, stomp.Version12, l.Version)
		require.Equal(t, "y", l.Headers.Get("x"))
		require.Same(t, ctx.Channel(), l.Session().Channel())
		l.Accept()
		l.Refuse("too late")
	}
	p.conn("A")
	p.send("A", hello)
	require.Equal(t, []string{"CONNECTED"}, p.got("A"))
	require.Equal(t, 1, asked)
	require.Equal(t, "me", p.session("A").Login())
}

func TestAuthenticateRefuses(t *testing.T) {
	for reason, want := range map[string]string{"": "access refused", "not you": "not you", "two\nlines": "two"} {
		p := newPeers(t)
		p.cfg.Authenticate = func(_ *pipeline.Context, l *server.Login) { l.Refuse(reason) }
		p.send("A", hello+"SEND\ndestination:/queue/a\n\nx\x00")
		f := p.refused("A", want)
		require.NotContains(t, f.Headers.Get("message"), "\n", "fits for every version")
		require.Zero(t, p.broker.Stats().Published)
	}
}

// laterLogin keeps the login of a client that waits.
func laterLogin(p *peers) *server.Login {
	p.t.Helper()
	var login *server.Login
	p.cfg.Authenticate = func(_ *pipeline.Context, l *server.Login) { login = l }
	p.send("A", hello+"SEND\ndestination:/queue/a\nreceipt:r\n\nx\x00")
	require.NotNil(p.t, login)
	require.Empty(p.t, p.got("A"), "nobody answers before Authenticate does")
	require.False(p.t, p.conn("A").Channel().AutoRead())
	require.Zero(p.t, p.broker.Stats().Published)
	return login
}

func TestAuthenticateMayAnswerLaterFromAnyGoroutine(t *testing.T) {
	p := newPeers(t)
	login := laterLogin(p)
	done := make(chan struct{})
	go func() {
		defer close(done)
		login.Accept()
		login.Accept()
	}()
	<-done
	p.pump()
	require.Equal(t, []string{"CONNECTED", "RECEIPT r"}, p.got("A"))
	require.True(t, p.conn("A").Channel().AutoRead())
	require.Equal(t, uint64(1), p.broker.Stats().Published)
	require.Empty(t, login.Passcode, "nobody needs it any more")
	require.Nil(t, login.Headers)
}

func TestAuthenticateMayRefuseLater(t *testing.T) {
	p := newPeers(t)
	login := laterLogin(p)
	login.Refuse("")
	p.pump()
	p.refused("A", "access refused")
	require.Zero(t, p.broker.Stats().Published)
}

func TestTheDeadlineRunsWhileAuthenticateThinks(t *testing.T) {
	p := newPeers(t)
	login := laterLogin(p)
	p.advance("A", handlers.DefaultReadyWithin)
	p.refused("A", "login was not decided in time")
	login.Accept()
	p.pump()
	require.Empty(t, p.got("A"))
}

func TestAnAnswerForAClientThatHasLeftIsNothing(t *testing.T) {
	p := newPeers(t)
	login := laterLogin(p)
	p.reset("A")
	require.True(t, p.closed("A"))
	login.Accept()
	p.pump()
	require.Empty(t, p.got("A"))
}

func TestLimitsAreTighterBeforeLogin(t *testing.T) {
	for name, frame := range map[string]struct{ text, reason string }{
		"line":    {"CONNECT\nx:" + strings.Repeat("y", server.DefaultLoginLine) + "\n\n\x00", "line-too-long"},
		"headers": {"CONNECT\n" + strings.Repeat("a:b\n", server.DefaultLoginHeaders+1) + "\n\x00", "too-many-headers"},
		"head":    {"CONNECT\n" + strings.Repeat("x:"+strings.Repeat("y", 2000)+"\n", 9) + "\n\x00", "head-too-large"},
		"body":    {"CONNECT\ncontent-length:1025\n\n" + strings.Repeat("x", 1025) + "\x00", "body-too-large"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeers(t)
			p.send("A", frame.text)
			p.refused("A", frame.reason)
		})
	}
	p := newPeers(t)
	p.connect("A", "1.2")
	p.send("A", "SEND\ndestination:/topic/a\nreceipt:r\n"+strings.Repeat("a:b\n", 90)+"\n"+strings.Repeat("x", 100_000)+"\x00")
	require.Equal(t, []string{"RECEIPT r"}, p.got("A"))
}

// A peer that sends headers without end is cut off before it takes more memory than it may.
func TestAFloodBeforeLoginIsCutOff(t *testing.T) {
	p := newPeers(t)
	ch := p.conn("A")
	fed := 0
	ch.FeedWhole("CONNECT\n")
	for ; ch.Channel().IsOpen() && fed < 1<<20; fed += 4096 {
		ch.FeedWhole(strings.Repeat("a:b\n", 1024))
	}
	require.LessOrEqual(t, fed, 64<<10)
	p.pump()
	p.refused("A", "too-many-headers")
}
