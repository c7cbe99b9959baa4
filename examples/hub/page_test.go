package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/examples/stomp-chat/stompjs"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestThePageHasTheReportInItsPlace(t *testing.T) {
	require.Equal(t, 1, strings.Count(pageText, mark))
	text := page(report{Connections: []connection{{ID: "c1", Protocol: "HTTP", Since: time.Now()}}})
	require.NotContains(t, text, mark)
	top, rest, found := strings.Cut(text, `<main id="report">`)
	require.True(t, found)
	require.True(t, strings.HasPrefix(top, "<!doctype html>"))
	shown, _, found := strings.Cut(rest, "</main>")
	require.True(t, found)
	require.Contains(t, shown, "<td>c1<")
}

func TestThePageNeedsNobodyElse(t *testing.T) {
	require.Contains(t, pageText, `src="`+stompjs.Path+`"`)
	require.NotRegexp(t, `(src|href)="(https?:)?//`, pageText)
}

func TestTheReportIsNoWayToPutMarkupIntoThePage(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	text := render(report{
		Connections: []connection{{ID: evil, Remote: evil, Protocol: evil, Pipeline: evil}},
		Pools:       map[string]buffer.Stats{evil: {}},
	})
	require.NotContains(t, text, "<script")
	require.Equal(t, 5, strings.Count(text, "&lt;script&gt;alert(1)&lt;/script&gt;"))
}

func TestPoolsStandInTheOrderOfTheirNames(t *testing.T) {
	text := render(report{Pools: map[string]buffer.Stats{"b": {Live: 2}, "a": {Live: 1}, "c": {Live: 3}}})
	a, b, c := strings.Index(text, "<td>a<td>1"), strings.Index(text, "<td>b<td>2"), strings.Index(text, "<td>c<td>3")
	require.Positive(t, a)
	require.Less(t, a, b)
	require.Less(t, b, c)
}
