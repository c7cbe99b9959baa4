package embedded

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/penstock-go/penstock/pipeline"
)

// tracked is a promise that NewPromise gave out and that has not completed.
type tracked struct {
	site string // "file.go:12 (pkg.Function)"
}

// NewPromise gives a pending promise that Finish reports, with the place of this call, if it has not completed by then.
func (c *Channel) NewPromise() *pipeline.Promise {
	p := c.ch.NewPromise()
	t := &tracked{site: callSite()}
	c.promises = append(c.promises, t)
	p.OnDone(func(error) {
		if i := slices.Index(c.promises, t); i >= 0 {
			c.promises = slices.Delete(c.promises, i, i+1)
		}
	})
	return p
}

// callSite is where this package, or the test harness on top of it, was called from.
func callSite() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !harness(f.Function) || !more {
			return fmt.Sprintf("%s:%d (%s)", base(f.File), f.Line, base(f.Function))
		}
	}
}

func harness(function string) bool {
	const root = "github.com/penstock-go/penstock/pipeline/"
	return strings.HasPrefix(function, root+"embedded.") && !strings.Contains(function, ".Test") ||
		strings.HasPrefix(function, root+"pipelinetest.") && !strings.Contains(function, ".Test")
}

// base cuts the folders off a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
