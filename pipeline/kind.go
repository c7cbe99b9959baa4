package pipeline

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// kind is what is known about one Go type of handler.
type kind struct {
	name       string // "codec.Line", as in error texts and generated names
	mask       mask
	comparable bool
	err        error // why values of this type can't be handlers
}

// kinds caches one entry per handler type for the life of the process; it only ever grows by types.
var kinds sync.Map // reflect.Type → *kind

// kindOf looks the type of h up.
func kindOf(h Handler) (*kind, error) {
	if h == nil {
		return nil, fmt.Errorf("pipeline: nil is not a handler: %w", ErrNotHandler)
	}
	t := reflect.TypeOf(h)
	if known, ok := kinds.Load(t); ok {
		k, _ := known.(*kind) // the map has nothing else
		return k, k.err
	}
	k := &kind{name: typeName(t), mask: maskOf(h), comparable: t.Comparable()}
	k.err = checkSignatures(t, k)
	kinds.Store(t, k)
	return k, k.err
}

// typeName is the type as written in Go, without the pointer star and without import paths.
func typeName(t reflect.Type) string {
	return withoutPaths(strings.TrimPrefix(t.String(), "*"))
}

// withoutPaths cuts "a/b/c.T" to "c.T", also inside type arguments.
func withoutPaths(s string) string {
	var out []byte
	word := 0 // where the current name starts in out
	for i := range len(s) {
		switch s[i] {
		case '/':
			out = out[:word]
		case '[', ']', '*', ',', ' ', '(', ')', '{', '}', ';':
			out = append(out, s[i])
			word = len(out)
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// checkSignatures refuses a method called Handle<Event> that does not have the event's signature: it
// would otherwise be skipped in silence.
func checkSignatures(t reflect.Type, k *kind) error {
	for _, e := range events {
		m, found := e.lookup(t)
		if found && k.mask&e.bit == 0 {
			return &SignatureError{Handler: k.name, Method: e.method, Got: signature(m.Type), Want: e.want}
		}
	}
	if k.mask == 0 {
		return fmt.Errorf("pipeline: %s implements no handler interface%s: %w", k.name, hint(t), ErrNotHandler)
	}
	return nil
}

// signature is a method's type as it is written in Go, without the receiver.
func signature(method reflect.Type) string {
	in := make([]string, 0, method.NumIn())
	for i := 1; i < method.NumIn(); i++ {
		in = append(in, strings.ReplaceAll(method.In(i).String(), "interface {}", "any"))
	}
	out := make([]string, 0, method.NumOut())
	for i := range method.NumOut() {
		out = append(out, method.Out(i).String())
	}
	return strings.TrimRight("func("+strings.Join(in, ", ")+") "+strings.Join(out, ", "), " ")
}

// hint says what was probably meant by a value that is no handler.
func hint(t reflect.Type) string {
	if t.Kind() == reflect.Func {
		return " (OnRead makes one of a function)"
	}
	if _, decodes := t.MethodByName("Decode"); decodes {
		return " (codec.NewDecoder runs a decoder)"
	}
	if t.Kind() != reflect.Pointer {
		for _, e := range events {
			if _, found := e.lookup(reflect.PointerTo(t)); found {
				return " (its pointer has handler methods)"
			}
		}
	}
	return ""
}

// event names one handler method. lookup has the name as a constant, so that the linker keeps only
// these methods and not every exported one of the program.
type event struct {
	bit    mask
	method string
	want   string
	lookup func(reflect.Type) (reflect.Method, bool)
}

const (
	plainSignature = "func(*pipeline.Context) error"
)

var events = [...]event{
	{maskRead, "HandleRead", "func(*pipeline.Context, any) error", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleRead") }},
	{maskReadComplete, "HandleReadComplete", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleReadComplete") }},
	{maskWrite, "HandleWrite", "func(*pipeline.Context, any, *pipeline.Promise) error", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleWrite") }},
	{maskFlush, "HandleFlush", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleFlush") }},
	{maskClose, "HandleClose", "func(*pipeline.Context, pipeline.CloseMode, *pipeline.Promise) error", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleClose") }},
	{maskReadRequest, "HandleReadRequest", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleReadRequest") }},
	{maskActive, "HandleActive", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleActive") }},
	{maskInactive, "HandleInactive", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleInactive") }},
	{maskEvent, "HandleEvent", "func(*pipeline.Context, any) error", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleEvent") }},
	{maskError, "HandleError", "func(*pipeline.Context, error) error", func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleError") }},
	{maskWritability, "HandleWritability", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleWritability") }},
	{maskReadClosed, "HandleReadClosed", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleReadClosed") }},
	{maskAdded, "HandleAdded", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleAdded") }},
	{maskRemoved, "HandleRemoved", plainSignature, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("HandleRemoved") }},
}
