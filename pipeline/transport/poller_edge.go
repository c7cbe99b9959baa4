//go:build darwin || dragonfly || freebsd || netbsd || openbsd || (linux && edge)

package transport

// enter registers a new descriptor for every change of readiness, once and for all: on kqueue the library
// can't take the reading part of a registration back.
func (p *poller) enter(fd int) error { return p.lib.AddReadWrite(p.pads.of(fd, p.event), true) }
