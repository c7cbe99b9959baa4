package httpx

import "github.com/penstock-go/penstock/pipeline"

// Alone lets no further request of the connection begin before the answer to this one is complete. What the client sends
// meanwhile stays as it came, and stops the reading of the connection; Hijack finds it. It is for code that serves
// requests one by one, as RFC 9112, 9.3.2, asks for methods that are not safe. Call it on the event loop only, before the
// HandlerFunc returns. It needs the Server handler of Install in the pipeline and does nothing without.
func (x *Exchange) Alone() {
	h := x.handler
	s := h.findServer()
	if s == nil || x.answer.gone || x.answer.left || x != h.last {
		return
	}
	h.alone = x
	s.state.hold = true
}

// behind says that octets wait behind an exchange that is alone.
func (h *ExchangeHandler) behind() {
	h.held = true
	h.regulate()
}

// accompany lets requests begin again when x, whose answer is complete, was alone.
func (h *ExchangeHandler) accompany(x *Exchange) {
	if h.alone == x {
		h.alone = nil
		h.server.state.hold = false
	}
}

// wake goes on with what has waited behind an exchange that was alone.
func (h *ExchangeHandler) wake() {
	if h.held && h.alone == nil {
		h.held = false
		h.regulate()
		h.server.decoder.Wake()
	}
}

func (h *ExchangeHandler) findServer() *Server {
	if h.server == nil {
		h.server, _ = pipeline.Find[*Server](h.ctx.Pipeline())
		if h.server != nil {
			h.server.state.onHeld = h.behind
		}
	}
	return h.server
}
