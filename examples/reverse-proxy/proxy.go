package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// proxy passes requests on to one backend.
type proxy struct {
	backend string
	client  httpx.Client
}

// relay is a request on its way to the backend, and its answer on the way back. All of it runs on the loop of the client's
// connection; each side says when it has enough, and the other is not read until that is over.
type relay struct {
	httpx.Call
	x           *httpx.Exchange
	asked, over bool // the client has been asked for the body; the backend has nothing more to say
}

func (p *proxy) handle(ctx *pipeline.Context, x *httpx.Exchange) error {
	if x.Request.Method == httpx.MethodConnect {
		return x.RespondText(501, "this is no proxy for CONNECT\n")
	}
	req, err := forwarded(x)
	if err != nil {
		return err
	}
	r := &relay{x: x}
	r.Address = p.backend
	r.OnInterim = func(h *httpx.Response) { _ = x.Interim(h) } // a client that has left needs none
	r.OnResponse, r.OnContent, r.OnEnd, r.OnWritable = r.begin, r.pass, r.end, r.body
	if err := p.client.Stream(ctx, req, &r.Call); err != nil {
		return &httpx.Error{Status: 503, Reason: err.Error()}
	}
	x.OnGone(r.Cancel)
	x.OnWritable(r.ResumeBody)
	if r.Writable() { // else it has none, or waits for the backend's 100 (Continue)
		r.body()
	}
	return nil
}

// forwarded is the request as the backend gets it. RFC 9110, 7.6; RFC 7239.
func forwarded(x *httpx.Exchange) (*httpx.Request, error) {
	in, target, client := x.Request, "*", "unknown"
	if path := in.Path(); path != nil {
		target = string(path)
	}
	if query := in.RawQuery(); query != nil {
		target += "?" + string(query)
	}
	if host, _, err := net.SplitHostPort(fmt.Sprint(x.Channel().RemoteAddr())); err == nil {
		client = host
	}
	node, host := client, string(in.Host())
	if strings.Contains(client, ":") {
		node = "[" + client + "]"
	}
	out := httpx.NewRequest(in.Method, target)
	out.Length = in.Length
	h := &out.Header
	h.AddEndToEnd(&in.Header)
	if !in.ExpectContinue {
		h.Del("Expect")
	}
	err := errors.Join(
		h.Set("Host", host), h.Add("Via", in.Version.String()[len("HTTP/"):]+" penstock"),
		h.Add("X-Forwarded-For", client), h.Set("X-Forwarded-Host", host), h.Set("X-Forwarded-Proto", "http"),
		h.Add("Forwarded", fmt.Sprintf("for=%q;host=%q;proto=http", node, host)),
	)
	if err != nil {
		out.Release()
	}
	return out, err
}

// body asks the client for the body, or for more of it.
func (r *relay) body() {
	if r.asked {
		r.x.ResumeBody()
		return
	}
	r.asked = true
	_ = r.x.OnBody(func(c *httpx.Content) error { // nobody else asks
		err := r.Write(c)
		if !r.over && !r.Writable() {
			r.x.PauseBody()
		}
		return err
	})
}

// begin passes the head of the answer on.
func (r *relay) begin(in *httpx.Response) error {
	defer in.Release()
	out := httpx.NewResponse(in.Status)
	out.Reason = in.Reason
	out.Header.AddEndToEnd(&in.Header)
	if err := out.Header.Add("Via", "1.1 penstock"); err != nil {
		out.Release()
		return err
	}
	return r.x.Begin(out)
}

// pass passes a piece of the answer on.
func (r *relay) pass(c *httpx.Content) error {
	err := r.x.Write(c)
	if !r.x.Writable() {
		r.PauseBody()
	}
	return err
}

func (r *relay) end(err error) {
	r.over = true
	var late *httpx.TimeoutError
	switch {
	case err == nil:
		r.x.ResumeBody() // what is left of the request is dropped
	case r.x.Responded():
		_ = r.x.Abort() // the client must learn that the answer is not complete
	case errors.As(err, &late):
		_ = r.x.RespondText(504, "the backend takes too long\n")
	default:
		_ = r.x.RespondText(502, "the backend does not answer\n")
	}
}
