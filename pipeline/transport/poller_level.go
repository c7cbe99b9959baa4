//go:build linux && !edge

package transport

// watch is what a connection's descriptor is registered for.
type watch uint8

const (
	watchRead      watch = iota // while there is something to read
	watchReadWrite              // and while there is room to write
	watchWrite                  // while there is room to write
	watchReset                  // only an error or the end of both directions
)

// enter registers a new descriptor for reading.
func (p *poller) enter(fd int) error { return p.lib.AddRead(p.pads.of(fd, p.event), false) }

// change registers fd for something else. Readiness that exists already is reported anew.
//
// The library can't modify a registration to one without reading, so it is taken out and put in again.
// watchReset is an edge-triggered registration for writing, without which a reset would not be reported;
// it begins with one report of a writable socket.
func (p *poller) change(fd int, from, to watch) error {
	switch {
	case from == watchRead && to == watchReadWrite:
		return p.lib.ModReadWrite(p.pads.of(fd, p.event), false)
	case from == watchReadWrite && to == watchRead:
		return p.lib.ModRead(p.pads.of(fd, p.event), false)
	}
	if err := p.lib.Delete(fd); err != nil {
		return err
	}
	switch to {
	case watchRead:
		return p.lib.AddRead(p.pads.of(fd, p.event), false)
	case watchReadWrite:
		return p.lib.AddReadWrite(p.pads.of(fd, p.event), false)
	case watchWrite:
		return p.lib.AddWrite(p.pads.of(fd, p.event), false)
	default:
		return p.lib.AddWrite(p.pads.of(fd, p.event), true)
	}
}
