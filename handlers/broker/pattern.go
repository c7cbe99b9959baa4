package broker

import (
	"sync"
	"sync/atomic"
)

// patterns finds the wildcard subscriptions that a name matches, by a tree of segments. A segment is its text with the
// separator in front of it.
type patterns struct {
	mu    sync.RWMutex
	root  node
	count atomic.Int64 // consumers
}

type node struct {
	children map[string]*node
	here     members
}

// isPattern reports whether a name has wildcards. # and > are good at the end only.
func isPattern(name string) (wild bool, err error) {
	segments := 0
	for rest := name; rest != ""; {
		var s string
		s, rest = cutSegment(rest)
		segments++
		switch bare(s) {
		case "*":
			wild = true
		case "#", ">":
			if rest != "" {
				return false, ErrName
			}
			wild = true
		}
	}
	if wild && segments > MaxSegments {
		return false, ErrName
	}
	return wild, nil
}

// cutSegment splits the first segment from a name that is not empty.
func cutSegment(name string) (segment, rest string) {
	for i := 1; i < len(name); i++ {
		if isSeparator(name[i]) {
			return name[:i], name[i:]
		}
	}
	return name, ""
}

func bare(segment string) string {
	if isSeparator(segment[0]) {
		return segment[1:]
	}
	return segment
}

// wildSegments are the wildcards behind one separator: for one segment, for any number, for one or more.
type wildSegments struct{ one, any, some string }

func wildBehind(c byte) wildSegments {
	switch c {
	case '/':
		return wildSegments{"/*", "/#", "/>"}
	case '.':
		return wildSegments{".*", ".#", ".>"}
	}
	return wildSegments{"*", "#", ">"}
}

// match appends the consumers whose patterns match rest from n on.
func (n *node) match(rest string, list members) members {
	if rest == "" {
		list = append(list, n.here...)
		list = n.appendHere(list, "/#")
		return n.appendHere(list, ".#")
	}
	s, rest := cutSegment(rest)
	w := wildBehind(s[0])
	if s != w.one && s != w.any && s != w.some { // such a name is matched by the wildcards themselves
		if child := n.children[s]; child != nil {
			list = child.match(rest, list)
		}
	}
	if child := n.children[w.one]; child != nil {
		list = child.match(rest, list)
	}
	list = n.appendHere(list, w.any)
	return n.appendHere(list, w.some)
}

func (n *node) appendHere(list members, segment string) members {
	if child := n.children[segment]; child != nil {
		list = append(list, child.here...)
	}
	return list
}

// add puts c below n, where the rest of its pattern says.
func (n *node) add(rest string, c *Consumer) {
	for rest != "" {
		var s string
		s, rest = cutSegment(rest)
		child := n.children[s]
		if child == nil {
			child = new(node)
			if n.children == nil {
				n.children = make(map[string]*node)
			}
			n.children[s] = child
		}
		n = child
	}
	n.here.add(c)
}

// remove takes c out and reports whether n is empty.
func (n *node) remove(rest string, c *Consumer) bool {
	if rest == "" {
		n.here.remove(c)
	} else if s, rest := cutSegment(rest); n.children[s].remove(rest, c) {
		delete(n.children, s)
	}
	return len(n.here) == 0 && len(n.children) == 0
}

func (b *Broker) attachPattern(c *Consumer, pattern string, cfg ConsumerConfig) (*Consumer, error) {
	c.name = pattern
	c.subscribe(cfg)
	if err := b.reserve(); err != nil {
		return nil, err
	}
	b.patterns.mu.Lock()
	defer b.patterns.mu.Unlock()
	if b.closed.Load() { // Close has seen, or will see, all that were here before
		b.registry.count.Add(-1)
		return nil, ErrClosed
	}
	b.patterns.root.add(pattern, c)
	b.patterns.count.Add(1)
	return c, nil
}

// removePattern takes an ended wildcard subscription out. A second call does nothing.
func (b *Broker) removePattern(c *Consumer) {
	b.folded.mu.Lock()
	defer b.folded.mu.Unlock()
	b.patterns.mu.Lock()
	known := c.index >= 0
	if known {
		b.patterns.root.remove(c.name, c)
		b.patterns.count.Add(-1)
	}
	b.patterns.mu.Unlock()
	if !known {
		return
	}
	b.registry.count.Add(-1)
	c.queue.mu.Lock()
	b.folded.counts.add(c.queue.counts)
	c.queue.mu.Unlock()
}

// all returns a snapshot of the wildcard subscriptions.
func (p *patterns) all() []*Consumer {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.root.collect(nil)
}

func (n *node) collect(list members) members {
	list = append(list, n.here...)
	for _, child := range n.children {
		list = child.collect(list)
	}
	return list
}

// wildcards are the wildcard subscriptions that one message matches.
type wildcards struct{ list members }

var wildcardLists = sync.Pool{New: func() any { return new(wildcards) }}

// find returns the wildcard subscriptions that a name matches. The caller must put the result back.
func (p *patterns) find(name string) *wildcards {
	w := wildcardLists.Get().(*wildcards)
	p.mu.RLock()
	if isSeparator(name[0]) { // nothing stands in front of these, so they match whatever the name begins with
		w.list = p.root.appendHere(w.list, "#")
		w.list = p.root.appendHere(w.list, ">")
	}
	w.list = p.root.match(name, w.list)
	p.mu.RUnlock()
	return w
}

func (w *wildcards) put() {
	clear(w.list)
	w.list = w.list[:0]
	wildcardLists.Put(w)
}

func (w *wildcards) full() bool {
	for _, c := range w.list {
		if c.queue.full.Load() {
			return true
		}
	}
	return false
}

// give gives m to all of them. It adds to p and taken.
func (w *wildcards) give(m *Message, p *Pause, taken int) (*Pause, int) {
	for _, c := range w.list {
		m.Retain()
		took, over, ended := c.take(m)
		if took {
			taken++
		} else {
			m.Release()
		}
		if over {
			p = p.add(c.queue)
		}
		if ended {
			c.broker.removePattern(c)
		}
	}
	return p, taken
}
