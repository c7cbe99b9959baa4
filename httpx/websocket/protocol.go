package websocket

import (
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// Protocol is a subprotocol that a server speaks. RFC 6455, 1.9.
type Protocol struct {
	// Name is that of Sec-WebSocket-Protocol, such as "v12.stomp". "" = for clients that ask for none, and for those
	// that ask only for others.
	Name string
	// Stream puts a Stream in front of the protocol's handlers, which then see bytes. false: they see *Message.
	Stream bool
	// Text makes text messages of what a Stream sends. false: binary.
	Text bool
	// Install adds the protocol's handlers right behind ctx (ctx.AddAfter), which is a place behind the WebSocket
	// handlers, for each connection anew. AgreementOf tells what was agreed on. An error closes the connection.
	Install func(ctx *pipeline.Context) error
}

// handlers are those of a connection with config c that carries p.
func (p *Protocol) handlers(c Config) []pipeline.Handler {
	if p.Stream {
		return c.Streaming(&Stream{Text: p.Text, Install: p.Install})
	}
	list := c.Handlers()
	if p.Install != nil {
		list = append(list, &berth{install: p.Install})
	}
	return list
}

// chooseProtocol is the first of those that the client asks for, in its order, which is among ours; else the one without
// a name; nil: none. RFC 6455, 4.2.2.
func chooseProtocol(h *httpx.Header, ours []Protocol) (*Protocol, error) {
	var chosen *Protocol
	for name, ok := range tokens(h.Values(fieldProtocol)) {
		if !ok {
			return nil, &httpx.Error{Status: 400, Reason: "bad " + fieldProtocol}
		}
		if chosen == nil {
			chosen = named(ours, name)
		}
	}
	if chosen == nil {
		chosen = named(ours, "")
	}
	return chosen, nil
}

func named(list []Protocol, name string) *Protocol {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
