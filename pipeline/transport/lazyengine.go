package transport

import (
	"sync"

	"github.com/penstock-go/penstock/pipeline"
)

// lazyEngine is what Client and Conns have in common: an engine that the first use starts, its channels, and
// the end of both. Safe for concurrent use.
type lazyEngine struct {
	mu     sync.Mutex
	engine *engine // nil before the first use
	opts   pipeline.Options
	group  pipeline.Group
	closed bool
}

// use gives the engine, and starts it with these settings at the first call. pipeline.ErrLoopClosed: it was
// closed. pipeline.ErrOnLoop: the caller runs on one of its loops and must not wait.
func (l *lazyEngine) use(loops int, goroutines bool, opts pipeline.Options, s loopSettings) (*engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, pipeline.ErrLoopClosed
	case l.engine == nil:
		l.opts = opts.WithDefaults()
		if l.opts.Logger == nil {
			l.opts.Logger = s.logger
		}
		s.group = &l.group
		e, err := newEngine(loops, goroutines, s)
		if err != nil {
			return nil, err
		}
		l.engine = e
	case l.engine.onLoop():
		return nil, pipeline.ErrOnLoop
	}
	return l.engine, nil
}

// close closes all channels at once and returns when all goroutines have ended; on one of the event loops it
// does not wait for that.
func (l *lazyEngine) close() {
	l.mu.Lock()
	l.closed = true
	e := l.engine
	l.mu.Unlock()
	if e != nil {
		e.close()
	}
}
