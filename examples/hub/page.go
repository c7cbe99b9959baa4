package main

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"
)

const pageTop = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Penstock hub</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:75rem}code{font-size:13px}
table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ccc}
#how{color:#777}</style>
<h1>Penstock hub</h1>
<p id="how">as of the request</p>
<main id="report">
`

// pageEnd replaces the report by each one that comes over the WebSocket.
const pageEnd = `</main>
<p><a href="/status.json">status.json</a></p>
<script>
const report = document.getElementById("report"), how = document.getElementById("how");
function connect() {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live");
  socket.onopen = () => how.textContent = "live over WebSocket";
  socket.onmessage = e => report.innerHTML = e.data;
  socket.onclose = () => { how.textContent = "connection lost, trying again"; setTimeout(connect, 1000) };
}
connect();
</script>
`

// page shows a report to a person.
func page(r report) string { return pageTop + render(r) + pageEnd }

// render is the part of the page that changes.
func render(r report) string {
	var b strings.Builder
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
	b.WriteString("</table>\n")
	return b.String()
}
