//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd) && !poll_opt

package transport

import "github.com/panjf2000/gnet/v2/pkg/netpoll"

// pads is empty: the system keeps descriptor numbers.
type pads struct{}

func (pads) of(fd int, _ netpoll.PollEventHandler) *netpoll.PollAttachment {
	return &netpoll.PollAttachment{FD: fd}
}

func (p *poller) polling() error { return p.lib.Polling(p.event) }
