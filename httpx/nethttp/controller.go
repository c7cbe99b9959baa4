package nethttp

import "time"

// SetReadDeadline ends the reading of the body at that time, with os.ErrDeadlineExceeded; the zero time takes the
// deadline away. It is for http.ResponseController, and holds for this request only. Safe for concurrent use.
func (r *response) SetReadDeadline(at time.Time) error {
	r.c.setDeadline(&r.c.readBy, at)
	return nil
}

// SetWriteDeadline is SetReadDeadline for the answer: what cannot be sent until then fails, and the connection is closed.
// Safe for concurrent use.
func (r *response) SetWriteDeadline(at time.Time) error {
	r.c.setDeadline(&r.c.writeBy, at)
	return nil
}

// EnableFullDuplex keeps the body readable behind the begin of the answer. Otherwise up to 256 KiB of it are dropped in
// front of the answer, and the connection closes behind it when there is more. Safe for concurrent use.
func (r *response) EnableFullDuplex() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.duplex = true
	return nil
}
