package httpx

import "github.com/penstock-go/penstock/pipeline/buffer"

// Collect returns a call for Client.Start whose response is put together: f is called once, when it is complete or with
// what went wrong, and takes the response. A body of more than limit octets, 0 = 1 MiB, ends the call with
// ErrBodyTooLarge. Interim responses are dropped.
func Collect(limit int, f func(r *FullResponse, err error)) *Call {
	c := &struct {
		Call
		gathering
	}{gathering: gathering{limit: limit, f: f}}
	c.gather = &c.gathering
	return &c.Call
}

// gathering puts a response together.
type gathering struct {
	limit    int
	f        func(r *FullResponse, err error)
	response *FullResponse
	body     *buffer.Buffer // of more than one piece
}

func (g *gathering) head(r *Response) error {
	g.limit = orDefault(g.limit, DefaultMaxBytes)
	if r.Length > int64(g.limit) {
		r.Release()
		return ErrBodyTooLarge
	}
	g.response = NewFullResponse(0)
	r.moveTo(&g.response.Response)
	return nil
}

func (g *gathering) piece(c *Content) error {
	defer c.Release()
	n := c.Len()
	if g.body != nil {
		n += g.body.Len()
	}
	switch {
	case n > g.limit:
		return ErrBodyTooLarge
	case c.Last && g.body == nil:
		c.Data.Retain()
		g.response.SetBodySlice(c.Data)
	case g.body == nil:
		g.body = buffer.Get(c.Len())
	}
	if g.body != nil {
		g.body.Append(c.Bytes())
	}
	if c.Last {
		g.response.Trailer = c.Trailer
		g.response.Length = int64(n)
	}
	return nil
}

func (g *gathering) end(err error) {
	r, body := g.response, g.body
	g.response, g.body = nil, nil
	if body != nil {
		if err == nil {
			r.SetBodySlice(body.ReadSlice(body.Len()))
		}
		body.Release()
	}
	if err != nil && r != nil {
		r.Release()
		r = nil
	}
	g.f(r, err)
}
