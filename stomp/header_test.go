package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadersGiveTheFirstOfRepeatedEntries(t *testing.T) {
	h := Headers{{"foo", "World"}, {"bar", ""}, {"foo", "Hello"}}
	require.Equal(t, "World", h.Get("foo"))
	require.Equal(t, []string{"World", "Hello"}, h.Values("foo"))
	value, ok := h.Lookup("bar")
	require.True(t, ok)
	require.Empty(t, value)
	value, ok = h.Lookup("baz")
	require.False(t, ok)
	require.Empty(t, value)
	require.Empty(t, h.Get("baz"))
	require.Nil(t, h.Values("baz"))
	require.Empty(t, Headers(nil).Get("foo"))
}

func TestHeadersAreCaseSensitive(t *testing.T) {
	h := Headers{{"Destination", "/a"}, {"destination", "/b"}}
	require.Equal(t, "/b", h.Get("destination"))
	require.Equal(t, "/a", h.Get("Destination"))
	require.Empty(t, h.Get("DESTINATION"))
}

func TestHeadersAddKeepsTheFirstValue(t *testing.T) {
	var h Headers
	h.Add("a", "1")
	h.Add("a", "2")
	require.Equal(t, Headers{{"a", "1"}, {"a", "2"}}, h)
	require.Equal(t, "1", h.Get("a"))
}

func TestHeadersSetLeavesOneEntry(t *testing.T) {
	h := Headers{{"a", "1"}, {"b", "2"}, {"a", "3"}, {"c", "4"}, {"a", "5"}}
	h.Set("a", "x")
	require.Equal(t, Headers{{"a", "x"}, {"b", "2"}, {"c", "4"}}, h)
	h.Set("d", "y")
	require.Equal(t, Headers{{"a", "x"}, {"b", "2"}, {"c", "4"}, {"d", "y"}}, h)
}

func TestHeadersDelRemovesEveryEntry(t *testing.T) {
	h := Headers{{"a", "1"}, {"b", "2"}, {"a", "3"}}
	h.Del("a")
	h.Del("nobody")
	require.Equal(t, Headers{{"b", "2"}}, h)
}

func TestHeadersCloneIsIndependent(t *testing.T) {
	h := Headers{{"a", "1"}}
	c := h.Clone()
	c.Set("a", "2")
	c.Add("b", "3")
	require.Equal(t, Headers{{"a", "1"}}, h)
}
