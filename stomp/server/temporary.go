package server

import (
	"errors"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
)

// The names of temporary destinations begin like this.
const (
	temporaryQueue = "/temp-queue/"
	temporaryTopic = "/temp-topic/"
)

var errTemporaries = errors.New("too many temporary destinations")

// resolve returns the broker's name for a destination, and for a temporary one of this session the proof of that. A name of
// the session's own comes into being by its first use. The result is valid as long as destination, or longer.
func (s *Session) resolve(destination string) (name string, t *broker.Temporary, err error) {
	kind := broker.KindQueue
	local, ok := strings.CutPrefix(destination, temporaryQueue)
	if !ok {
		if local, ok = strings.CutPrefix(destination, temporaryTopic); !ok {
			return destination, nil, nil
		}
		kind = broker.KindTopic
	}
	if isUnguessable(local) {
		return destination, s.own(destination), nil
	}
	if t = s.temps[destination]; t != nil {
		return t.Name(), t, nil
	}
	if len(s.temps) >= s.cfg.MaxTemporaries {
		return "", nil, errTemporaries
	}
	if t, err = s.cfg.Broker.Temporary(kind); err != nil {
		return "", nil, err
	}
	if s.temps == nil {
		s.temps = make(map[string]*broker.Temporary)
	}
	s.temps[strings.Clone(destination)] = t
	return t.Name(), t, nil
}

// own finds a temporary destination of the session by the broker's name.
func (s *Session) own(name string) *broker.Temporary {
	for _, t := range s.temps {
		if t.Name() == name {
			return t
		}
	}
	return nil
}

// isUnguessable reports whether the broker could have made a name that ends like this.
func isUnguessable(local string) bool {
	return len(local) == 32 && strings.Trim(local, "0123456789abcdef") == ""
}
