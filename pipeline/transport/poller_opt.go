//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd) && poll_opt

package transport

import "github.com/panjf2000/gnet/v2/pkg/netpoll"

// pads are what the system points to, one for each descriptor number. They are kept for as long as the
// poller, since an event of a closed descriptor may still be on its way.
type pads struct{ byFD []*netpoll.PollAttachment }

func (p *pads) of(fd int, call netpoll.PollEventHandler) *netpoll.PollAttachment {
	for len(p.byFD) <= fd {
		p.byFD = append(p.byFD, nil)
	}
	if p.byFD[fd] == nil {
		p.byFD[fd] = &netpoll.PollAttachment{FD: fd, Callback: call}
	}
	return p.byFD[fd]
}

func (p *poller) polling() error { return p.lib.Polling() }
