package server

import (
	"strings"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/stomp"
)

// answer is what a client gets for a frame that waits, or that came behind one that waits.
type answer struct {
	receipt string
	asked   bool
	left    int    // calls of Publish that are not done
	failed  error  // the first error among them
	then    func() // runs when all are done without error, before the receipt
	undo    func() // runs instead when it does not come to that; nil = nothing
	final   bool   // the session ends with this one
	frame   *stomp.Frame
	next    *answer
}

// answers are in the order of their frames.
type answers struct {
	head, tail *answer
	n          int
	deadline   *pipeline.Timer
	closes     []heldClose
}

// heldClose is a close that waits for the answers.
type heldClose struct {
	how     pipeline.CloseMode
	promise *pipeline.Promise
}

func (a *answers) push(one *answer) {
	if a.tail == nil {
		a.head = one
	} else {
		a.tail.next = one
	}
	a.tail = one
	a.n++
}

func (a *answers) pop() *answer {
	one := a.head
	if a.head = one.next; a.head == nil {
		a.tail = nil
	}
	a.n--
	return one
}

// forget lets go of what a holds, as it will not be given.
func (a *answer) forget() {
	if a.frame != nil {
		a.frame.Release()
	}
	if a.undo != nil {
		a.undo()
	}
}

// drop forgets everything: the channel is gone.
func (a *answers) drop() {
	a.deadline.Stop()
	for a.head != nil {
		a.pop().forget()
	}
	for _, c := range a.closes {
		if c.promise != nil {
			c.promise.Succeed()
		}
	}
	a.closes = nil
}

// processed answers f, which was processed. STOMP 1.2, "RECEIPT".
func (s *Session) processed(f *stomp.Frame) {
	id, asked := f.Headers.Lookup(stomp.HeaderReceipt)
	switch {
	case !asked:
	case s.answers.head == nil:
		s.write(stomp.NewFrame(stomp.CommandReceipt, stomp.HeaderReceiptID, id))
	default: // behind those that wait
		s.wait(&answer{receipt: strings.Clone(id), asked: true})
	}
}

// wait puts an answer behind the others, and stops reading when they are many.
func (s *Session) wait(a *answer) {
	s.answers.push(a)
	if s.answers.n >= s.cfg.MaxUnanswered {
		s.hold(holdAnswers)
	}
}

// advance gives the answers that are ready, in order.
func (s *Session) advance() {
	for s.answers.head != nil && s.answers.head.left == 0 {
		a := s.answers.pop()
		switch {
		case a.final:
			s.leave(a.frame)
			return
		case a.failed != nil:
			s.giveUp(a)
			return
		case a.then != nil:
			a.then()
		}
		if a.asked && s.phase != phaseGone {
			s.write(stomp.NewFrame(stomp.CommandReceipt, stomp.HeaderReceiptID, a.receipt))
		}
	}
	if s.answers.n < s.cfg.MaxUnanswered {
		s.letGo(holdAnswers)
	}
}

// giveUp ends the session at a frame that failed late; what came behind it is not answered.
func (s *Session) giveUp(a *answer) {
	a.forget()
	for s.answers.head != nil {
		s.answers.pop().forget()
	}
	s.phase = phaseOpen // an earlier end is overtaken
	s.fail(a.receipt, a.asked, a.failed.Error())
}
