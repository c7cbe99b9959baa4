package nethttp

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	undecided = 2 << 10 // octets that are kept back until it is known whether they are all
	bufferful = 4 << 10 // octets that are kept back before they go to the loop
)

// errOver is what writing behind the return of the handler gives.
var errOver = errors.New("nethttp: the handler has returned")

// response is the http.ResponseWriter. Its lock lets handlers write from several goroutines, and late ones come to no
// harm; the order of their writes is theirs.
type response struct {
	c           *call
	keep        bool // the client can take another answer
	asksToLeave bool // for another protocol

	mu       sync.Mutex
	header   http.Header
	status   int // 0 = not given yet
	over     bool
	duplex   bool
	hijacked bool

	head    headFields
	decided bool            // how the body is sent
	opening *httpx.Response // head that goes with the first piece
	buf     *buffer.Buffer  // octets that are kept back
	length  int64           // announced, -1 = not
	written int64
	failed  error // of a write; nothing is sent any more
}

var (
	_ http.ResponseWriter = (*response)(nil)
	_ http.Flusher        = (*response)(nil)
	_ http.Hijacker       = (*response)(nil)
	_ io.StringWriter     = (*response)(nil)
	_ io.ReaderFrom       = (*response)(nil)
)

func (r *response) begin(c *call) { r.c, r.header, r.length = c, make(http.Header), -1 }

// Header returns the fields of the answer. What is changed behind WriteHeader counts for trailers only.
func (r *response) Header() http.Header { return r.header }

// WriteHeader gives the status of the answer; 1xx but 101 is sent at once, in front of the final one. A second final
// status is logged and ignored.
func (r *response) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hijacked:
		r.c.misuse("WriteHeader on a hijacked connection")
	case r.over:
		r.c.misuse("WriteHeader behind the handler")
	case r.status != 0:
		r.c.misuse("superfluous WriteHeader")
	default:
		r.writeHeader(status)
	}
}

func (r *response) writeHeader(status int) {
	if status < 100 || status > 999 {
		panic("nethttp: invalid WriteHeader code " + strconv.Itoa(status)) //nolint:forbidigo // misuse by the handler, whose goroutine it ends, as in net/http
	}
	if status < 200 && status != http.StatusSwitchingProtocols {
		r.interim(status)
		return
	}
	r.status = status
	r.head.take(r.header)
	switch n, ok := parseLength(r.header); {
	case !ok:
		r.c.misuse("invalid Content-Length")
	case !r.head.coded:
		r.length = n
	case n >= 0:
		r.c.misuse("both Content-Length and Transfer-Encoding")
	}
}

// parseLength reads the Content-Length of h, -1 when there is none.
func parseLength(h http.Header) (n int64, ok bool) {
	v := h["Content-Length"]
	if len(v) == 0 || v[0] == "" {
		return -1, true
	}
	n, err := strconv.ParseInt(v[0], 10, 64)
	if err != nil || n < 0 {
		return -1, false
	}
	return n, true
}

func (r *response) interim(status int) {
	m := httpx.NewResponse(status)
	addFields(&m.Header, r.header, func(name string) bool {
		return name == "Content-Length" || name == "Transfer-Encoding"
	})
	_ = r.c.push(0, m) // the final answer tells whether the client is there
}

// bodyAllowed reports whether an answer with that status may have a body. RFC 9112, 6.3.
func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// leaves reports whether the answer leaves HTTP. RFC 9110, 7.8 and 9.3.6.
func (r *response) leaves() bool {
	return r.asksToLeave && (r.status == http.StatusSwitchingProtocols ||
		r.status/100 == 2 && r.c.req.Method == http.MethodConnect)
}

// Write gives octets of the body, and the status 200 when there is none yet. Safe for concurrent use, as the other
// methods are.
func (r *response) Write(p []byte) (int, error) { return write(r, p) }

// WriteString is Write.
func (r *response) WriteString(s string) (int, error) { return write(r, s) }

func write[T []byte | string](r *response, data T) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.writing(len(data)); err != nil || len(data) == 0 {
		return 0, err
	}
	return add(r, data)
}

// writing prepares for n octets of the body.
func (r *response) writing(n int) error {
	switch {
	case r.hijacked:
		if n > 0 {
			r.c.misuse("Write on a hijacked connection")
		}
		return http.ErrHijacked
	case r.over:
		return errOver
	case r.status == 0:
		r.writeHeader(http.StatusOK)
	}
	switch {
	case n == 0:
		return nil
	case !bodyAllowed(r.status) || r.leaves():
		return http.ErrBodyNotAllowed
	}
	r.written += int64(n)
	if r.length >= 0 && r.written > r.length {
		return http.ErrContentLength
	}
	return r.failed
}

// add puts data behind what is kept back, and sends what is too much for that.
func add[T []byte | string](r *response, data T) (int, error) {
	all := len(data)
	if !r.decided {
		if r.kept()+len(data) <= undecided {
			fill(r, data)
			return all, nil
		}
		first := min(len(data), undecided-r.kept())
		fill(r, data[:first])
		data = data[first:]
		r.open(false)
	}
	if r.c.req.Method == http.MethodHead {
		r.dropKept()
		return all, nil
	}
	for len(data) > 0 {
		n := min(len(data), bufferful-r.kept())
		if r.kept() == 0 {
			n = min(len(data), largest) // much at a time travels in large pieces
		}
		fill(r, data[:n])
		data = data[n:]
		if r.kept() >= bufferful {
			if err := r.send(nil); err != nil {
				return all - len(data) - n, err
			}
		}
	}
	return all, nil
}

// fill copies data behind what is kept back.
func fill[T []byte | string](r *response, data T) {
	if len(data) == 0 {
		return
	}
	if r.buf == nil {
		r.buf = buffer.Get(max(len(data), undecided))
	}
	r.buf.Commit(copy(r.buf.Reserve(len(data)), data))
}

func (r *response) kept() int {
	if r.buf == nil {
		return 0
	}
	return r.buf.Len()
}

func (r *response) dropKept() {
	if r.buf != nil {
		r.buf.Release()
		r.buf = nil
	}
}

// takeKept returns what is kept back, and keeps nothing any more.
func (r *response) takeKept() buffer.Slice {
	if r.buf == nil {
		return buffer.Slice{}
	}
	s := r.buf.ReadSlice(r.buf.Len())
	r.dropKept()
	return s
}
