//go:build load

package server_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// What is known of a message, as bits.
const (
	confirmed = 1 << iota // its receipt has come
	doubtful              // the connection was lost before its receipt
	never                 // it was not sent, or in a transaction that was aborted or lost
	seen                  // it was delivered
	fresh                 // it was delivered without the mark of a redelivery
)

// mixLedger knows each message that was sent to a queue, and what has become of it.
type mixLedger struct {
	mu       sync.Mutex
	accounts map[string]*account
	faults   []string
	counts   map[string]int
}

// account is the messages of one sender's connection, numbered from 0.
type account struct {
	name   string
	notes  []byte
	groups [][2]int       // transactions whose end is doubtful: from, and up to
	latest map[string]int // by subscriber: the highest number that came fresh
}

func newMixLedger() *mixLedger {
	return &mixLedger{accounts: make(map[string]*account), counts: make(map[string]int)}
}

func (l *mixLedger) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrong(format, args...)
}

// wrong is fault for those who have the lock.
func (l *mixLedger) wrong(format string, args ...any) {
	if l.counts["faults"]++; len(l.faults) < 20 {
		l.faults = append(l.faults, fmt.Sprintf(format, args...))
	}
}

func (l *mixLedger) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[what]++
}

func (l *mixLedger) open(name string) *account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &account{name: name, latest: make(map[string]int)}
	l.accounts[name] = a
	return a
}

// next returns the number of a new message and its body, which has size octets more.
func (l *mixLedger) next(a *account, size int) (number int, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	number = len(a.notes)
	a.notes = append(a.notes, 0)
	return number, fmt.Sprintf("%s %d %s", a.name, number, strings.Repeat("x", size))
}

// note adds what is known of messages.
func (l *mixLedger) note(a *account, from, to int, what byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := from; i < to; i++ {
		a.notes[i] |= what
	}
}

// group notes a transaction that happened as a whole or not at all.
func (l *mixLedger) group(a *account, from, to int) {
	l.note(a, from, to, doubtful)
	l.mu.Lock()
	defer l.mu.Unlock()
	a.groups = append(a.groups, [2]int{from, to})
}

// deliver notes that a message came to a subscriber. Of a queue's messages at most one delivery is not marked. Those that are
// not come to each subscriber in the order of their sender.
func (l *mixLedger) deliver(subscriber, body string, redelivered, queue bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fields := strings.SplitN(body, " ", 3)
	a := l.accounts[fields[0]]
	if a == nil || len(fields) != 3 {
		l.wrong("%s got what nobody sent: %.40q", subscriber, body)
		return
	}
	number, err := strconv.Atoi(fields[1])
	if err != nil || number >= len(a.notes) {
		l.wrong("%s got what nobody sent: %.40q", subscriber, body)
		return
	}
	note := &a.notes[number]
	*note |= seen
	if l.counts["deliveries"]++; redelivered {
		l.counts["redeliveries"]++
		return
	}
	if queue && *note&fresh != 0 {
		l.wrong("%s got %s %d again without a mark", subscriber, a.name, number)
	}
	*note |= fresh
	if latest, ok := a.latest[subscriber]; ok && latest >= number {
		l.wrong("%s got %s %d behind %d", subscriber, a.name, number, latest)
	}
	a.latest[subscriber] = number
}

// missing counts the messages to queues that are confirmed and were not seen yet.
func (l *mixLedger) missing() (n int) {
	l.each(func(_ *account, _ int, note byte) {
		if note&confirmed != 0 && note&seen == 0 {
			n++
		}
	})
	return n
}

// each calls f for all messages to queues; topics promise nothing.
func (l *mixLedger) each(f func(a *account, number int, note byte)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.accounts {
		if strings.HasPrefix(a.name, "topic") {
			continue
		}
		for number, note := range a.notes {
			f(a, number, note)
		}
	}
}

// settle judges everything at the end, and returns how many messages to queues have which notes.
func (l *mixLedger) settle() (all, kept, unsure, came int) {
	l.each(func(a *account, number int, note byte) {
		all++
		if note&confirmed != 0 {
			kept++
		}
		if note&doubtful != 0 {
			unsure++
		}
		if note&seen != 0 {
			came++
		}
		switch {
		case note&confirmed != 0 && note&seen == 0:
			l.wrong("%s %d is confirmed and lost", a.name, number)
		case note&never != 0 && note&seen != 0:
			l.wrong("%s %d was never sent and came", a.name, number)
		case note&(confirmed|doubtful|never) == 0:
			l.wrong("nobody knows what has become of %s %d", a.name, number)
		}
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.accounts {
		for _, g := range a.groups {
			first := a.notes[g[0]] & seen
			for i := g[0]; i < g[1]; i++ {
				if a.notes[i]&seen != first {
					l.wrong("%s %d to %d: a part of the transaction came", a.name, g[0], g[1])
					break
				}
			}
		}
	}
	return all, kept, unsure, came
}
