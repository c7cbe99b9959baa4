package server

import "github.com/penstock-go/penstock/stomp"

// Login is what a client says about itself in CONNECT. Its fields are read-only; Login, Host and Version stay valid, Passcode
// and Headers until the client has been answered.
type Login struct {
	Login    string        // the user's name, "" when there is none
	Passcode string        // cleared when the client has been answered
	Host     string        // the virtual host, "" when there is none
	Version  stomp.Version // that will be in force
	Headers  stomp.Headers // of CONNECT, all of them; nil when the client has been answered

	session *Session
	later   later
	refusal string
	refused bool
	beat    stomp.HeartBeat
}

// Accept lets the client in. Only the first answer counts. Safe for concurrent use.
func (l *Login) Accept() { l.answer("", false) }

// Refuse answers by ERROR with this reason, "" = "access refused", and closes. Only the first answer counts. Safe for
// concurrent use.
func (l *Login) Refuse(reason string) {
	if reason == "" {
		reason = "access refused"
	}
	l.answer(reason, true)
}

// Session is the session that the client asks for. Safe for concurrent use; its methods are for the event loop only.
func (l *Login) Session() *Session { return l.session }

func (l *Login) answer(refusal string, refused bool) {
	if l.later.answer(func() { l.refusal, l.refused = refusal, refused }) {
		_ = l.session.ctx.Channel().Post(l.session.answerLogin) // when the loop has ended nobody waits any more
	}
}
