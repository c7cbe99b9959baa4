package httpx

// exchange is what an answer must know about its request, as bits.
type exchange uint8

const (
	exchangeHead      exchange = 1 << iota // HEAD: the answer has no body
	exchangeConnect                        // CONNECT: 2xx opens a tunnel
	exchangeUpgrade                        // asks for another protocol
	exchangeOld                            // HTTP/1.0: no chunks, no interim responses
	exchangeKeepAlive                      // the client can take another response
)

func (e exchange) has(bit exchange) bool { return e&bit != 0 }

// exchangeOf returns what an answer to r must know.
func exchangeOf(r *Request) exchange {
	var e exchange
	if r.Method == MethodHead {
		e |= exchangeHead
	}
	if r.Method == MethodConnect {
		e |= exchangeConnect
	}
	if r.Upgrade {
		e |= exchangeUpgrade
	}
	if r.Version < Version11 {
		e |= exchangeOld
	}
	if r.KeepAlive {
		e |= exchangeKeepAlive
	}
	return e
}

// State is what the two directions of one connection share: the requests that wait for an answer, in order, what of the
// outbound message is under way, and whether the connection goes on. Give the same State to decoder and encoder; the zero
// value is a new connection. Do not copy it. Call its methods on the event loop only.
type State struct {
	first   [8]exchange
	ring    []exchange // a power of two long
	head, n int

	asked    bool // the newest request asks for another protocol and waits for its answer
	switched bool // that was granted: what follows is not HTTP
	closing  bool // the last response has begun; on a client also: the last request
	partial  bool // the newest request has not come whole
	stopped  bool // no further request is decoded, answers go on
	last     bool // the newest request is the last one
	winding  bool // the next request is the last one
	oldPeer  bool // a server answered with HTTP/1.0
	withheld int  // octets of answers that handlers in between hold back
	served   int  // requests decoded so far
	most     int  // how many there may be, 0 = any number

	hold   bool   // what follows the newest request is not decoded
	onHeld func() // says that something does

	sent outgoing
}

// Pending returns how many requests wait for a final response.
func (s *State) Pending() int { return s.n }

// ahead returns how many requests are answered before the one that is incomplete or could not be read.
func (s *State) ahead() int {
	if s.partial && s.n > 0 {
		return s.n - 1
	}
	return s.n
}

// Closing reports whether the last response of the connection has begun: no further request is decoded. On a client's
// connection it reports that no further request can be encoded.
func (s *State) Closing() bool { return s.closing }

// Finished reports, on a server, whether the last response has been encoded completely: flush, then close. RFC 9112, 9.6.
func (s *State) Finished() bool { return s.closing && !s.sent.open }

// Switched reports whether the connection has left HTTP by 101 or by 2xx to CONNECT: the rest of the input belongs to
// the next protocol.
func (s *State) Switched() bool { return s.switched }

// push notes a request; the caller has checked the limit.
func (s *State) push(e exchange) {
	if s.n == len(s.ring) {
		s.grow()
	}
	s.ring[(s.head+s.n)&(len(s.ring)-1)] = e
	s.n++
	s.asked = s.asked || e.has(exchangeUpgrade)
}

func (s *State) grow() {
	if s.ring == nil {
		s.ring = s.first[:]
		return
	}
	ring := make([]exchange, 2*len(s.ring))
	for i := range s.n {
		ring[i] = s.ring[(s.head+i)&(len(s.ring)-1)]
	}
	s.ring, s.head = ring, 0
}

// peek returns the request that the next response answers. When none waits the response is one that nobody asked for,
// like 408, or the answer to what could not be read: the connection ends with it.
func (s *State) peek() exchange {
	if s.n == 0 {
		return 0
	}
	return s.ring[s.head]
}

// pop takes the request off that a final response answers.
func (s *State) pop() {
	if s.n == 0 {
		return
	}
	s.asked = s.asked && !s.ring[s.head].has(exchangeUpgrade)
	s.head = (s.head + 1) & (len(s.ring) - 1)
	s.n--
}
