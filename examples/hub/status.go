package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/transport"
	stompserver "github.com/penstock-go/penstock/stomp/server"
)

// report is the hub's state as /status.json gives it.
type report struct {
	UptimeSeconds float64                 `json:"uptime_seconds"`
	Server        transport.Stats         `json:"server"`
	Seen          map[string]int          `json:"seen"`
	Topics        stompserver.TopicStats  `json:"topics"`
	Pools         map[string]buffer.Stats `json:"pools"`
	Connections   []connection            `json:"connections"`
}

func (h *hub) report() report {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := report{
		UptimeSeconds: time.Since(h.started).Seconds(),
		Server:        h.server.Stats(),
		Topics:        h.topics.Stats(),
		Seen:          maps.Clone(h.seen),
		Pools:         map[string]buffer.Stats{"shared": buffer.SharedStats()},
		Connections:   []connection{},
	}
	for ch, c := range h.conns {
		r.Connections = append(r.Connections, *c)
		r.Pools[ch.Loop().Name()] = ch.Loop().Pool().Stats()
	}
	slices.SortFunc(r.Connections, func(a, b connection) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	return r
}

// status answers a request for the page or for its JSON. Bodies of requests pass by unread.
func (h *hub) status(ctx *pipeline.Context, r *httpx.Request) error {
	defer r.Release()
	target, _, _ := strings.Cut(string(r.Target()), "?")
	if r.Method != httpx.MethodGet && r.Method != httpx.MethodHead {
		return reply(ctx, 405, "text/plain; charset=utf-8", "GET and HEAD only\n")
	}
	switch target {
	case "/":
		return reply(ctx, 200, "text/html; charset=utf-8", page(h.report()))
	case "/status.json":
		body, err := json.MarshalIndent(h.report(), "", "  ")
		if err != nil {
			return err
		}
		return reply(ctx, 200, "application/json", string(body)+"\n")
	}
	return reply(ctx, 404, "text/plain; charset=utf-8", "try / or /status.json\n")
}

func reply(ctx *pipeline.Context, status int, contentType, body string) error {
	answer := httpx.NewFullResponse(status)
	answer.SetBodyString(body)
	err := errors.Join(answer.Header.Add("content-type", contentType), answer.Header.Add("cache-control", "no-store"))
	if status == 405 {
		err = errors.Join(err, answer.Header.Add("allow", "GET, HEAD"))
	}
	if err != nil {
		answer.Release()
		return err
	}
	return ctx.Write(answer)
}

const pageTop = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Penstock hub</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:75rem}code{font-size:13px}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ccc}</style>
<h1>Penstock hub</h1>
`

// page shows a report to a person. It reloads itself.
func page(r report) string {
	var b strings.Builder
	b.WriteString(pageTop)
	fmt.Fprintf(&b, "<p>Up for %s. %d connections open, %d accepted. %d messages published, %d delivered, %d topics.</p>\n",
		time.Duration(r.UptimeSeconds*float64(time.Second)).Round(time.Second), len(r.Connections), r.Server.Accepted,
		r.Topics.Published, r.Topics.Delivered, r.Topics.Topics)
	b.WriteString("<h2>Connections</h2><table><tr><th>id<th>peer<th>protocol<th>age<th>pipeline\n")
	for _, c := range r.Connections {
		fmt.Fprintf(&b, "<tr><td>%s<td>%s<td>%s<td>%s<td><code>%s</code>\n", html.EscapeString(c.ID), html.EscapeString(c.Remote),
			html.EscapeString(c.Protocol), time.Since(c.Since).Round(time.Second), html.EscapeString(c.Pipeline))
	}
	b.WriteString("</table><h2>Buffer pools</h2><table><tr><th>pool<th>live<th>held bytes<th>gets<th>hits\n")
	for _, name := range slices.Sorted(maps.Keys(r.Pools)) {
		p := r.Pools[name]
		fmt.Fprintf(&b, "<tr><td>%s<td>%d<td>%d<td>%d<td>%d\n", html.EscapeString(name), p.Live, p.HeldBytes, p.Gets, p.Hits)
	}
	b.WriteString("</table><p><a href=\"/status.json\">status.json</a></p>\n")
	return b.String()
}
