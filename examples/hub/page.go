package main

import (
	_ "embed"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"time"
)

// pageText has a mark where the report belongs.
//
//go:embed page.html
var pageText string

const mark = "<!-- report -->"

// page shows a report to a person.
func page(r report) string { return strings.Replace(pageText, mark, render(r), 1) }

// render is the part of the page that changes.
func render(r report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<p>Up for %s. %d connections open, %d accepted. %d messages published, %d delivered, %d destinations.</p>\n",
		time.Duration(r.UptimeSeconds*float64(time.Second)).Round(time.Second), len(r.Connections), r.Server.Accepted,
		r.Broker.Published, r.Broker.Delivered, r.Broker.Destinations)
	b.WriteString("<h2>Destinations</h2><table><tr><th>name<th>kind<th>consumers<th>backlog<th>bytes<th>unsettled<th>delivered<th>dropped\n")
	for _, d := range r.Destinations {
		fmt.Fprintf(&b, "<tr><td>%s<td>%s<td>%d<td>%d<td>%d<td>%d<td>%d<td>%d\n", html.EscapeString(d.Name), d.Kind, d.Consumers,
			d.Messages-d.Unsettled, d.Bytes, d.Unsettled, d.Delivered, d.Dropped+d.Dead)
	}
	b.WriteString("</table><h2>Connections</h2><table><tr><th>id<th>peer<th>protocol<th>age<th>pipeline\n")
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
