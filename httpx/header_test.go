package httpx

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func headerOf(tb testing.TB, list ...string) *Header {
	tb.Helper()
	h := new(Header)
	for i := 0; i < len(list); i += 2 {
		require.NoError(tb, h.Add(list[i], list[i+1]))
	}
	return h
}

// viewOf is a Header as a decoder makes it.
func viewOf(tb testing.TB, wire string) *Header {
	tb.Helper()
	h := new(Header)
	var l lines
	config := DecoderConfig{Limits: Limits{}.filled()}
	done, err := l.fields([]byte(wire), h, &config)
	require.NoError(tb, err)
	require.True(tb, done)
	h.wire, h.view = []byte(wire), true
	return h
}

func TestHeaderFindsNamesInAnyCaseAndKeepsOrder(t *testing.T) {
	h := headerOf(t, "X-A", "1", "x-a", "2", "X-B", "", "X-a", "3")
	require.Equal(t, "1", string(h.Get("x-A")))
	var values []string
	for v := range h.Values("X-A") {
		values = append(values, string(v))
	}
	require.Equal(t, []string{"1", "2", "3"}, values)
	require.Equal(t, 4, h.Len())
	name, value := h.At(1)
	require.Equal(t, "x-a 2", string(name)+" "+string(value))
	require.True(t, h.Has("x-b"))
	require.False(t, h.Has("x-c"))
}

func TestHeaderTellsAnEmptyValueFromNone(t *testing.T) {
	h := headerOf(t, "X-B", "")
	require.NotNil(t, h.Get("X-B"))
	require.Empty(t, h.Get("X-B"))
	require.Nil(t, h.Get("X-C"))
	require.NotNil(t, viewOf(t, "X-B: \r\n\r\n").Get("x-b"))
}

func TestHeaderLoopsCanStop(t *testing.T) {
	h := headerOf(t, "a", "1", "a", "2")
	n := 0
	for range h.Values("a") {
		n++
		break
	}
	for range h.All() {
		n++
		break
	}
	require.Equal(t, 2, n)
}

func TestHeaderLooksForTokensInEveryLine(t *testing.T) {
	h := headerOf(t, "Connection", "x-foo, Keep-Alive", "Connection", "close")
	require.True(t, h.HasToken("connection", "keep-alive"))
	require.True(t, h.HasToken("connection", "CLOSE"))
	require.False(t, h.HasToken("connection", "keep"))
	require.False(t, h.HasToken("upgrade", "close"))
}

func TestEverySetterRefusesWhatWouldInject(t *testing.T) {
	for name, set := range map[string]func(h *Header, name, value string) error{
		"Add":      (*Header).Add,
		"AddBytes": func(h *Header, name, value string) error { return h.AddBytes(name, []byte(value)) },
		"Set":      (*Header).Set,
		"Set over": func(h *Header, name, value string) error {
			if err := h.Add(name, "old"); err != nil {
				return err
			}
			return h.Set(name, value)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for c := range 256 {
				h := headerOf(t, "A", "1")
				before := string(h.appendWire(nil, 0))
				err := set(h, "X-"+string([]byte{byte(c)}), "v")
				require.Equal(t, specToken(byte(c)), err == nil, "%q in a name", c)
				if err != nil {
					require.Equal(t, before, string(h.appendWire(nil, 0)))
				}
				h = new(Header)
				err = set(h, "X", "v"+string([]byte{byte(c)})+"w")
				require.Equal(t, specValue(byte(c)), err == nil, "%q in a value", c)
				var refused *Error
				require.True(t, err == nil || errors.As(err, &refused) && refused.Status == 0)
			}
			require.Error(t, set(new(Header), "", "v"))
			require.Error(t, set(new(Header), strings.Repeat("n", maxNameBytes+1), "v"))
		})
	}
}

func TestSetReplacesInPlace(t *testing.T) {
	h := headerOf(t, "A", "1", "B", "2", "a", "3", "C", "4")
	require.NoError(t, h.Set("a", "longer than it was"))
	require.Equal(t, "A: longer than it was\r\nB: 2\r\nC: 4\r\n", string(h.appendWire(nil, 0)))
	require.NoError(t, h.Set("A", ""))
	require.NoError(t, h.Set("D", " 5 "))
	require.Equal(t, "A: \r\nB: 2\r\nC: 4\r\nD: 5\r\n", string(h.appendWire(nil, 0)))
}

func TestNumbersAreDecimal(t *testing.T) {
	h := new(Header)
	require.NoError(t, h.AddInt("Content-Length", 1234567890123))
	require.Equal(t, "1234567890123", string(h.Get("content-length")))
	require.True(t, h.present.has(fieldContentLength))
}

func TestDelRemovesEveryLineOfTheName(t *testing.T) {
	h := headerOf(t, "A", "1", "Host", "x", "a", "3")
	require.Equal(t, 2, h.Del("a"))
	require.Equal(t, 0, h.Del("a"))
	require.True(t, h.present.has(fieldHost))
	require.Equal(t, 1, h.Del("host"))
	require.False(t, h.present.has(fieldHost))
	require.Zero(t, h.Len())
	require.Empty(t, h.appendWire(nil, 0))
}

func TestDecodedHeaderIsCopiedBeforeItChanges(t *testing.T) {
	const wire = "Host:  a \r\nX-A:b\r\n\r\n"
	for name, change := range map[string]func(h *Header) error{
		"Add": func(h *Header) error { return h.Add("New", "1") },
		"Set": func(h *Header) error { return h.Set("x-a", "c") },
		"Del": func(h *Header) error { h.Del("x-a"); return nil },
		"AddAll": func(h *Header) error {
			h.AddAll(headerOf(t, "New", "1"))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := viewOf(t, wire)
			shown := h.wire
			require.NoError(t, change(h))
			require.Equal(t, wire, string(shown), "the read buffer was written to")
			require.Equal(t, "a", string(h.Get("host")))
			require.False(t, h.view)
		})
	}
}

func TestAddAllTakesDecodedAndBuiltHeaders(t *testing.T) {
	h := headerOf(t, "A", "1")
	h.AddAll(headerOf(t, "Connection", "close"))
	h.AddAll(viewOf(t, "Host:  a \r\nX-A:b\r\n\r\n"))
	require.Equal(t, "A: 1\r\nConnection: close\r\nHost: a\r\nX-A: b\r\n", string(h.appendWire(nil, 0)))
	require.Equal(t, "close", string(h.Get("connection")))
	require.Equal(t, "b", string(h.Get("x-a")))
	require.True(t, h.present.has(fieldConnection))
	require.True(t, h.present.has(fieldHost))
}

func TestResetKeepsMemoryButNotForeignMemory(t *testing.T) {
	h := viewOf(t, "Host: a\r\n\r\n")
	h.Reset()
	require.Zero(t, h.Len())
	require.Zero(t, cap(h.wire))
	require.NoError(t, h.Add("A", "1"))
	h.Reset()
	require.NotZero(t, cap(h.wire))
	require.Zero(t, h.present)
}

// TestHeaderBehavesLikeAListOfPairs runs random calls against the obvious implementation.
func TestHeaderBehavesLikeAListOfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"A", "a", "B", "Host", "host", "Content-Length", "X-Long-Name"})
		value := rapid.StringMatching(`[a-z]{0,20}`)
		h := new(Header)
		var model [][2]string
		for range rapid.IntRange(0, 30).Draw(t, "calls") {
			n, v := name.Draw(t, "name"), value.Draw(t, "value")
			switch rapid.IntRange(0, 3).Draw(t, "call") {
			case 0:
				require.NoError(t, h.Add(n, v))
				model = append(model, [2]string{n, v})
			case 1:
				require.NoError(t, h.Set(n, v))
				model = modelSet(model, n, v)
			case 2:
				h.Del(n)
				model = slices.DeleteFunc(model, func(p [2]string) bool { return strings.EqualFold(p[0], n) })
			case 3:
				var o Header
				require.NoError(t, o.Add(n, v))
				h.AddAll(&o)
				model = append(model, [2]string{n, v})
			}
		}
		requireDense(t, h, model)
	})
}

func modelSet(model [][2]string, name, value string) [][2]string {
	var set [][2]string
	done := false
	for _, p := range model {
		switch {
		case !strings.EqualFold(p[0], name):
			set = append(set, p)
		case !done:
			set = append(set, [2]string{p[0], value})
			done = true
		}
	}
	if !done {
		set = append(set, [2]string{name, value})
	}
	return set
}
