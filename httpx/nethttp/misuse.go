package nethttp

import (
	"log/slog"
	"path"
	"runtime"
	"strconv"
	"strings"
)

func (c *call) logger() *slog.Logger { return c.bridge.logger(c.x.Channel()) }

// misuse reports what a handler did wrong, and where.
func (c *call) misuse(what string) {
	c.logger().Warn("nethttp: "+what, "channel", c.x.Channel().ID(), "at", caller())
}

// caller is the first function on the stack that is neither here nor in net/http.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		if !more || !inside(frame.Function) {
			return frame.Function + " (" + path.Base(frame.File) + ":" + strconv.Itoa(frame.Line) + ")"
		}
	}
}

func inside(function string) bool {
	return strings.HasPrefix(function, "net/http.") ||
		strings.HasPrefix(function, "github.com/penstock-go/penstock/httpx/nethttp.(*response)") ||
		strings.HasPrefix(function, "github.com/penstock-go/penstock/httpx/nethttp.write[")
}
