package broker

import (
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// forms are the encodings of one message that its receivers share.
type forms struct {
	list atomic.Pointer[form]
	mu   sync.Mutex // held while one is made
	one  form       // the first needs no allocation
}

type form struct {
	key   any
	value buffer.Counted
	err   error
	next  *form
}

// Form returns the message in the form that key stands for, which build makes on the first call with this key: every
// subscriber of one protocol and version shares what was encoded once. The result is lent and lives as long as the message:
// whoever keeps it longer retains it. An error is kept like a form. Keys are compared by ==; a constant or a pointer
// costs no allocation. build must not call Form of the same message. Safe for concurrent use.
func (m *Message) Form(key any, build func(m *Message) (buffer.Counted, error)) (buffer.Counted, error) {
	f := m.forms.find(key)
	if f == nil {
		f = m.forms.add(key, m, build)
	}
	return f.value, f.err
}

func (s *forms) find(key any) *form {
	for f := s.list.Load(); f != nil; f = f.next {
		if f.key == key {
			return f
		}
	}
	return nil
}

func (s *forms) add(key any, m *Message, build func(*Message) (buffer.Counted, error)) *form {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.find(key); f != nil {
		return f
	}
	f := &s.one
	if f.key != nil {
		f = new(form)
	}
	value, err := build(m)
	*f = form{key: key, value: value, err: err, next: s.list.Load()}
	s.list.Store(f)
	return f
}

// reset releases all forms. Nobody uses the message any more.
func (s *forms) reset() {
	for f := s.list.Load(); f != nil; f = f.next {
		if f.value != nil {
			f.value.Release()
		}
	}
	s.list.Store(nil)
	s.one = form{}
}
