package server

import (
	"slices"
	"strings"

	"github.com/penstock-go/penstock/handlers"
	"github.com/penstock-go/penstock/stomp"
)

// maxBlank is how many line ends may come before CONNECT. Many make the socket's reads large, and what was read behind
// CONNECT waits for Authenticate.
const maxBlank = 1 << 10

// connect looks at what a client asks for and asks Authenticate. STOMP 1.2, "Connecting" and "Protocol Negotiation".
func (s *Session) connect(f *stomp.Frame) {
	if s.decoder.EOLs() > maxBlank {
		s.refuse(f, "too many line ends before "+string(f.Command))
		return
	}
	version := s.negotiate(f)
	if version == stomp.VersionUnknown {
		list := s.versions()
		s.fail("", false, "supported versions are "+list, stomp.HeaderVersion, list)
		return
	}
	beat, err := stomp.ParseHeartBeat(f.Headers.Get(stomp.HeaderHeartBeat))
	if err != nil && f.Headers.Get(stomp.HeaderHeartBeat) != "" {
		s.refuse(f, "heart-beat is not two numbers")
		return
	}
	host, hasHost := f.Headers.Lookup(stomp.HeaderHost)
	if !hasHost && s.cfg.Strict && version > stomp.Version10 {
		s.refuse(f, "CONNECT without host")
		return
	}
	if s.cfg.Hosts != nil {
		if err := s.cfg.Hosts(host); err != nil {
			s.refuse(f, err.Error())
			return
		}
	}
	s.login = &Login{Version: version, session: s, beat: beat}
	s.phase = phaseLogin
	if s.cfg.Authenticate == nil {
		s.login.Login, s.login.Host = f.Headers.Get(stomp.HeaderLogin), host
		s.answerLogin()
		return
	}
	s.authenticate(f)
}

// authenticate asks the hook and, when it has not answered at once, reads nothing until it does.
func (s *Session) authenticate(f *stomp.Frame) {
	l := s.login
	l.Headers = f.Headers.Own()
	l.Login, l.Passcode = l.Headers.Get(stomp.HeaderLogin), l.Headers.Get(stomp.HeaderPasscode)
	l.Host = l.Headers.Get(stomp.HeaderHost)
	s.hold(holdLogin)
	s.cfg.Authenticate(s.ctx, l)
	if l.later.hookReturned() {
		s.answerLogin()
	}
}

// answerLogin lets the client in or not.
func (s *Session) answerLogin() {
	if s.phase != phaseLogin {
		return
	}
	l := s.login
	s.login = nil
	s.letGo(holdLogin)
	if l.refused {
		s.fail("", false, l.refusal)
		return
	}
	s.user, s.host = strings.Clone(l.Login), strings.Clone(l.Host) // not with all of CONNECT behind them
	l.Passcode, l.Headers = "", nil
	s.phase = phaseOpen
	s.decoder.Limits = s.cfg.Limits
	handlers.Ready(s.ctx.Channel())
	s.write(stomp.NewFrame(stomp.CommandConnected,
		stomp.HeaderVersion, l.Version.String(),
		stomp.HeaderServer, s.cfg.Name,
		stomp.HeaderSession, s.ctx.Channel().ID(),
		stomp.HeaderHeartBeat, s.cfg.HeartBeat.String()))
	s.startPulse(l.beat)
}

// negotiate picks the highest version that both sides allow.
func (s *Session) negotiate(f *stomp.Frame) stomp.Version {
	accept, ok := f.Headers.Lookup(stomp.HeaderAcceptVersion)
	if !ok {
		accept = stomp.Version10.String()
	}
	if len(s.cfg.Versions) == 0 {
		return stomp.HighestVersion(accept)
	}
	highest := stomp.VersionUnknown
	for one := range strings.SplitSeq(accept, ",") {
		if v := stomp.HighestVersion(one); slices.Contains(s.cfg.Versions, v) {
			highest = max(highest, v)
		}
	}
	return highest
}

// versions lists what may be negotiated, lowest first.
func (s *Session) versions() string {
	var list []string
	for v := stomp.Version10; v <= stomp.Version12; v++ {
		if len(s.cfg.Versions) == 0 || slices.Contains(s.cfg.Versions, v) {
			list = append(list, v.String())
		}
	}
	return strings.Join(list, ",")
}
