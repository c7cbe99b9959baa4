package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireDense checks the invariant of a Header under construction against what it should hold.
func requireDense(t require.TestingT, h *Header, model [][2]string) {
	var wire strings.Builder
	var present fieldSet
	for _, p := range model {
		wire.WriteString(p[0] + ": " + p[1] + "\r\n")
		present |= nameOf(p[0]).bit()
	}
	require.Equal(t, wire.String(), string(h.wire))
	require.Equal(t, wire.String(), string(h.appendWire(nil, 0)))
	require.Equal(t, len(model), h.Len())
	require.Equal(t, present, h.present)
	for i, p := range model {
		name, value := h.At(i)
		require.Equal(t, p[0], string(name))
		require.Equal(t, p[1], string(value))
	}
}

func TestDroppedFieldsAreNotWritten(t *testing.T) {
	for name, h := range map[string]*Header{
		"built":   headerOf(t, "A", "1", "Content-Length", "5", "Transfer-Encoding", "chunked", "B", "2"),
		"decoded": viewOf(t, "A:1\r\nContent-Length:5\r\nTransfer-Encoding: chunked\r\nB: 2 \r\n\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "A: 1\r\nB: 2\r\n", string(h.appendWire(nil, framingFields)))
			all := h.appendWire(nil, 0)
			require.Equal(t, "A: 1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nB: 2\r\n", string(all))
			require.GreaterOrEqual(t, h.wireBytes(), len(all))
		})
	}
}

func TestHiddenLinesAreNotShown(t *testing.T) {
	const wire = "A:1\r\nHost:2\r\nHost:3\r\nC:4\r\nHost:5\r\n\r\n"
	h := viewOf(t, wire)
	h.hide(fieldHost, true)
	require.Equal(t, [][2]string{{"A", "1"}, {"Host", "2"}, {"C", "4"}}, pairs(h))
	require.True(t, h.present.has(fieldHost))
	h = viewOf(t, wire)
	h.hide(fieldHost, false)
	require.Equal(t, [][2]string{{"A", "1"}, {"C", "4"}}, pairs(h))
	require.False(t, h.present.has(fieldHost))
}

func TestLargeHeadersAreNotKeptForReuse(t *testing.T) {
	h := headerOf(t, "A", strings.Repeat("x", keptWireBytes))
	for range keptFields + 1 {
		require.NoError(t, h.Add("B", ""))
	}
	h.recycle()
	require.Zero(t, cap(h.wire))
	require.Zero(t, cap(h.fields))
	h = headerOf(t, "A", "1")
	h.recycle()
	require.NotZero(t, cap(h.wire))
	require.NotZero(t, cap(h.fields))
}
