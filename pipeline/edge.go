package pipeline

import (
	"reflect"
	"runtime"
	"strings"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// OnRead makes a handler of a function for inbound messages of type T, a pointer type. f takes the
// message like HandleRead does; other messages pass untouched. f runs on the event loop.
func OnRead[T any](f func(ctx *Context, msg T) error) Handler { return &readEdge[T]{f: f} }

// OnLend is OnRead for functions that only look at the message: one reference is released after f, also
// when f fails.
func OnLend[T any](f func(ctx *Context, msg T) error) Handler { return &lendEdge[T]{f: f} }

// OnWrite makes a handler of a function for outbound messages of type T. f takes msg and p like
// HandleWrite does; other messages pass untouched. f runs on the event loop.
func OnWrite[T any](f func(ctx *Context, msg T, p *Promise) error) Handler {
	return &writeEdge[T]{f: f}
}

type readEdge[T any] struct {
	f func(*Context, T) error
}

// HandleRead calls the function for its type of message.
func (e *readEdge[T]) HandleRead(ctx *Context, msg any) error {
	m, ok := msg.(T)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	return e.f(ctx, m)
}

// Flow says what the edge reads.
func (e *readEdge[T]) Flow() Flow { return Flow{Reads: []reflect.Type{reflect.TypeFor[T]()}} }

// String names the function.
func (e *readEdge[T]) String() string { return functionName(e.f) }

type lendEdge[T any] struct {
	f func(*Context, T) error
}

// HandleRead calls the function for its type of message and releases the message afterwards.
func (e *lendEdge[T]) HandleRead(ctx *Context, msg any) error {
	m, ok := msg.(T)
	if !ok {
		ctx.FireRead(msg)
		return nil
	}
	defer buffer.Release(msg)
	return e.f(ctx, m)
}

// Flow says what the edge reads.
func (e *lendEdge[T]) Flow() Flow { return Flow{Reads: []reflect.Type{reflect.TypeFor[T]()}} }

// String names the function.
func (e *lendEdge[T]) String() string { return functionName(e.f) }

type writeEdge[T any] struct {
	f func(*Context, T, *Promise) error
}

// HandleWrite calls the function for its type of message.
func (e *writeEdge[T]) HandleWrite(ctx *Context, msg any, p *Promise) error {
	m, ok := msg.(T)
	if !ok {
		return ctx.Forward(msg, p)
	}
	return e.f(ctx, m, p)
}

// Flow says what the edge takes.
func (e *writeEdge[T]) Flow() Flow { return Flow{Writes: []reflect.Type{reflect.TypeFor[T]()}} }

// String names the function.
func (e *writeEdge[T]) String() string { return functionName(e.f) }

// functionName is "main.(*Board).quote" for a method value and "main.serve.func1" for a literal.
func functionName(f any) string {
	fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer())
	if fn == nil {
		return "function"
	}
	return withoutPaths(strings.TrimSuffix(fn.Name(), "-fm"))
}
