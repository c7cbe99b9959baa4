package httpx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func treeOf(t *testing.T, patterns ...string) *routeTree {
	t.Helper()
	var routes []*route
	for _, text := range patterns {
		p, err := parsePattern(text)
		require.NoError(t, err)
		routes = append(routes, &route{pattern: p})
	}
	return newRouteTree(routes)
}

func TestRouteTreeTriesTheMoreSpecificFirst(t *testing.T) {
	tree := treeOf(t, "/{x}/{y}/c", "/a/{y}/d", "/a/b/{rest...}", "GET h/a/b/c")
	for request, want := range map[string]string{
		"/a/b/c":   "/a/b/{rest...}",
		"/a/x/c":   "/{x}/{y}/c",
		"/a/x/d":   "/a/{y}/d",
		"/a/b/d":   "/a/b/{rest...}",
		"/a/b/":    "/a/b/{rest...}",
		"/x/y/c":   "/{x}/{y}/c",
		"/a/b":     "",
		"/a/x/c/":  "",
		"/x/y/z":   "",
		"/":        "",
		"/a/%62/%": "/a/b/{rest...}",
	} {
		l := routing{path: []byte(request), escaped: strings.Contains(request, "%")}
		got := ""
		if r := tree.find(&l, MethodGet, nil); r != nil {
			got = r.pattern.text
		}
		require.Equal(t, want, got, request)
	}
	l := routing{path: []byte("/a/b/c")}
	require.Equal(t, "GET h/a/b/c", tree.find(&l, MethodHead, []byte("h")).pattern.text)
	require.Equal(t, "/a/b/{rest...}", tree.find(&l, MethodPut, []byte("h")).pattern.text)
}

func TestRouteTreeForgetsValuesOfWaysThatLedNowhere(t *testing.T) {
	tree := treeOf(t, "/{a}/x/{c}/y", "/{a}/{b}/z/{d}", "/{all...}")
	l := routing{path: []byte("/1/x/z/4")}
	r := tree.find(&l, MethodGet, nil)
	require.Equal(t, "/{a}/{b}/z/{d}", r.pattern.text)
	values := make([]string, l.values.n)
	for i := range values {
		s := l.values.at(i)
		values[i] = string(l.path[s.from:s.to])
	}
	require.Equal(t, []string{"1", "x", "4"}, values)
	l = routing{path: []byte("/1/x/z/4/5")}
	require.Equal(t, "/{all...}", tree.find(&l, MethodGet, nil).pattern.text)
	require.Equal(t, 1, l.values.n)
	require.Equal(t, routeSpan{1, 10}, l.values.at(0))
}

// A path can lead along every way of a tree, but along each only once.
func TestRouteTreeVisitsEachNodeOnce(t *testing.T) {
	var patterns []string
	for i := range 256 {
		var p strings.Builder
		for bit := range 8 {
			if i>>bit&1 == 0 {
				p.WriteString("/a")
			} else {
				fmt.Fprintf(&p, "/{v%d}", bit)
			}
		}
		patterns = append(patterns, p.String()+"/end"+fmt.Sprint(i))
	}
	tree := treeOf(t, patterns...)
	l := routing{path: []byte(strings.Repeat("/a", 8) + "/end255")}
	require.Equal(t, patterns[255], tree.find(&l, MethodGet, nil).pattern.text)
	l = routing{path: []byte(strings.Repeat("/a", 8) + "/nothing")}
	require.Nil(t, tree.find(&l, MethodGet, nil))
}
