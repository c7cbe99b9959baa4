//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd) && poll_opt

package transport

import "github.com/panjf2000/gnet/v2/pkg/netpoll"

// pads are what the system points to, one for each descriptor number. They are kept for as long as the
// poller, since an event of a closed descriptor may still be on its way.
type pads struct{ byFD []*netpoll.PollAttachment }

func (p *poller) attach(fd int) *netpoll.PollAttachment {
	for len(p.pads.byFD) <= fd {
		p.pads.byFD = append(p.pads.byFD, nil)
	}
	if p.pads.byFD[fd] == nil {
		p.pads.byFD[fd] = &netpoll.PollAttachment{FD: fd, Callback: p.event}
	}
	return p.pads.byFD[fd]
}

func (p *poller) polling() error { return p.lib.Polling() }
