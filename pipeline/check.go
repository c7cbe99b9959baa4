package pipeline

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Flow says which types of messages a handler turns into which. Handlers may declare it by a method
// `Flow() Flow`; Check and String use it. A handler without one is taken to accept and pass everything.
type Flow struct {
	Reads  []reflect.Type // inbound types it takes
	Emits  []reflect.Type // inbound types it fires
	Writes []reflect.Type // outbound types it takes
	Sends  []reflect.Type // outbound types it forwards
}

type flower interface{ Flow() Flow }

func (c *Context) flow() (Flow, bool) {
	if f, ok := c.handler.(flower); ok {
		return f.Flow(), true
	}
	return Flow{}, false
}

// Check reports mismatches between what handlers declare: a type that a decoder emits and nobody behind
// it reads, and a type that an encoder sends and nobody in front of it takes. transport.Server calls it for its first
// channel, after Init, and pipelinetest for each. Handlers that declare nothing and read (or write) are taken to fit.
func (p *Pipeline) Check() error {
	var errs []error
	for c := p.head.next; c != &p.tail; c = c.next {
		f, ok := c.flow()
		if !ok {
			continue
		}
		for _, t := range f.Emits {
			if !c.someoneReads(t) {
				errs = append(errs, fmt.Errorf("pipeline: %s emits %s, nobody reads it", c.label(), t))
			}
		}
		for _, t := range f.Sends {
			if !c.someoneTakes(t) {
				errs = append(errs, fmt.Errorf("pipeline: %s sends %s, nobody encodes it", c.label(), t))
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Context) someoneReads(t reflect.Type) bool {
	for n := c.next; n != &c.ch.pipe.tail; n = n.next {
		if n.kind.mask&maskRead == 0 {
			continue
		}
		f, declared := n.flow()
		if !declared || fits(t, f.Reads) {
			return true
		}
	}
	return false
}

func (c *Context) someoneTakes(t reflect.Type) bool {
	for n := c.prev; n != &c.ch.pipe.head; n = n.prev {
		if n.kind.mask&maskWrite == 0 {
			continue
		}
		f, declared := n.flow()
		if !declared || fits(t, f.Writes) {
			return true
		}
	}
	return t == bufferType || t == compositeType || t == fileRegionType
}

var (
	bufferType    = reflect.TypeFor[*buffer.Buffer]()
	compositeType = reflect.TypeFor[*buffer.Composite]()

	fileRegionType = reflect.TypeFor[*FileRegion]()
)

func fits(t reflect.Type, wanted []reflect.Type) bool {
	for _, w := range wanted {
		if t == w || t.Kind() == reflect.Interface || w.Kind() == reflect.Interface && t.Implements(w) {
			return true
		}
	}
	return false
}

// label is what a handler calls itself: its String method when it declares a flow, else its type.
func (c *Context) label() string {
	if s, ok := c.handler.(fmt.Stringer); ok {
		if _, declared := c.flow(); declared {
			return s.String()
		}
	}
	return c.kind.name
}

// String prints the chain from the socket inwards, with the types that handlers emit between them:
//
//	bytes → main.QuoteCodec → *main.Quote → main.QuoteCodec → main.(*Board).quote
func (p *Pipeline) String() string {
	var b strings.Builder
	b.WriteString("bytes")
	for c := p.head.next; c != &p.tail; c = c.next {
		b.WriteString(" → ")
		b.WriteString(c.label())
		f, _ := c.flow()
		for i, t := range f.Emits {
			b.WriteString([]string{" → ", " | "}[min(i, 1)])
			b.WriteString(withoutPaths(t.String()))
		}
	}
	return b.String()
}

// messageName is a message's type for errors and logs; never its content.
func messageName(msg any) string {
	if msg == nil {
		return "nil"
	}
	return withoutPaths(reflect.TypeOf(msg).String())
}
