package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp/server"
)

// maxName is the longest name of a member, in octets.
const maxName = 160

// authenticate lets everybody in who says a name.
func authenticate(_ *pipeline.Context, l *server.Login) {
	switch name := strings.TrimSpace(l.Login); {
	case name == "":
		l.Refuse("say your name as the login")
	case len(name) > maxName:
		l.Refuse("your name is too long")
	default:
		l.Accept()
	}
}

var errNoRoom = errors.New("rooms are called /topic/chat.NAME, with letters, digits, _ and -")

// authorize allows rooms, one at a time: no wildcards, which would hear all of them.
func authorize(_ *server.Session, _ server.Op, destination string) error {
	name, ok := strings.CutPrefix(destination, "/topic/chat.")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return errNoRoom
	}
	return nil
}

// publish says who speaks, whatever the message says itself.
func (c *chat) publish(s *server.Session, m *broker.Message, done func(error)) {
	m.Properties = slices.DeleteFunc(m.Properties, func(p broker.Property) bool { return p.Name == "from" })
	m.AppendProperty("from", strings.TrimSpace(s.Login()))
	_, err := c.broker.Publish(m) // nobody asks for a pause: who is slow misses something
	done(err)
}
