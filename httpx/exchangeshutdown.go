package httpx

import "github.com/penstock-go/penstock/pipeline"

// OnShutdown has f called on the event loop, once, when the server begins to end (pipeline.ShutdownEvent) before the
// answer is complete, and at once when that is so already. The server waits for the answer, but not for ever: one that
// would go on for long, a stream of events, ends itself now. A later f replaces an earlier one. Call it on the event loop
// only.
func (x *Exchange) OnShutdown(f func()) {
	if x.handler.ending && !x.answer.ended {
		f()
		return
	}
	x.ending = f
}

// HandleEvent tells the exchanges when the server begins to end, and passes on.
func (h *ExchangeHandler) HandleEvent(ctx *pipeline.Context, event any) error {
	if _, ends := event.(pipeline.ShutdownEvent); ends {
		h.ending = true
		var told []*Exchange // those who are told may end, and others begin
		for x := h.first; x != nil; x = x.next {
			if x.ending != nil {
				told = append(told, x)
			}
		}
		for _, x := range told {
			h.tellEnding(x)
		}
	}
	ctx.FireEvent(event)
	return nil
}

func (h *ExchangeHandler) tellEnding(x *Exchange) {
	f := x.ending
	x.ending = nil
	if f == nil || x.answer.ended || x.answer.gone {
		return
	}
	x.enter()
	f()
	x.leave()
	h.settle(x)
}

var _ pipeline.EventHandler = (*ExchangeHandler)(nil)
