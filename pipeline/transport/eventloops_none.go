//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package transport

import (
	"net"

	"github.com/penstock-go/penstock/pipeline"
)

// haveEventLoops says that there is no poller here: everything runs on goroutines.
const haveEventLoops = false

// eventLoops is never made here.
type eventLoops struct{}

func newEventLoops(int, loopSettings) (*eventLoops, error)            { return &eventLoops{}, nil }
func (*eventLoops) takeOver(net.Conn, *origin, *entrances, bool) bool { return false }
func (*eventLoops) listen(*listener, *reception) (func(), error)      { return nil, net.ErrClosed }
func (*eventLoops) loops() []*pipeline.Loop                           { return nil }
func (*eventLoops) close()                                            {}
