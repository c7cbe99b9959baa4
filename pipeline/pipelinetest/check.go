package pipelinetest

import (
	"reflect"
	"slices"

	"github.com/penstock-go/penstock/pipeline"
)

// ware is one handler with the flow that it declares.
type ware struct {
	handler pipeline.Handler
	flow    pipeline.Flow
}

// misfit reports whether a type that a handler emits passes by handlers that declare what they read, or a type that it
// sends passes by handlers that declare what they take. Where nobody declares anything further on the test is meant to
// take the message, which Pipeline.Check can't know.
func misfit(p *pipeline.Pipeline) bool {
	names := p.Names()
	chain := make([]ware, 0, len(names))
	for _, name := range names {
		w := ware{handler: p.Get(name).Handler()}
		if f, ok := w.handler.(interface{ Flow() pipeline.Flow }); ok {
			w.flow = f.Flow()
		}
		chain = append(chain, w)
	}
	for i, w := range chain {
		emits := func(t reflect.Type) bool { return passesBy(t, chain[i+1:], reads) }
		sends := func(t reflect.Type) bool { return passesBy(t, chain[:i], writes) }
		if slices.ContainsFunc(w.flow.Emits, emits) || slices.ContainsFunc(w.flow.Sends, sends) {
			return true
		}
	}
	return false
}

// passesBy reports whether some of the handlers further on declare what they take, and none of them takes t.
func passesBy(t reflect.Type, further []ware, takes func(ware) (types []reflect.Type, any bool)) bool {
	declared := false
	for _, w := range further {
		types, any := takes(w)
		if any || slices.ContainsFunc(types, func(want reflect.Type) bool { return fits(t, want) }) {
			return false
		}
		declared = declared || len(types) > 0
	}
	return declared
}

// reads is what w reads; any: it reads and does not say what.
func reads(w ware) (types []reflect.Type, any bool) {
	_, ok := w.handler.(pipeline.ReadHandler)
	return w.flow.Reads, ok && len(w.flow.Reads) == 0
}

// writes is what w takes of outbound messages; any: it takes and does not say what.
func writes(w ware) (types []reflect.Type, any bool) {
	_, ok := w.handler.(pipeline.WriteHandler)
	return w.flow.Writes, ok && len(w.flow.Writes) == 0
}

func fits(t, want reflect.Type) bool {
	return t == want || t.Kind() == reflect.Interface || want.Kind() == reflect.Interface && t.Implements(want)
}
