package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// leakCheck fails when buffers of the shared pool are live at the end that were not at the beginning.
func leakCheck(t *testing.T) {
	t.Helper()
	before := buffer.SharedStats().Live
	t.Cleanup(func() { require.Equal(t, before, buffer.SharedStats().Live, "buffers are not released") })
}

func TestMessageGivesItsPayloadInOneRunAndInPieces(t *testing.T) {
	leakCheck(t)
	m := NewText("Hello")
	require.Equal(t, 1, m.Parts())
	require.Equal(t, "Hello", m.Text())
	m.AppendString(", ")
	m.AppendBytes([]byte("world"))
	require.Equal(t, 3, m.Parts())
	require.Equal(t, "world", string(m.Part(2)))
	require.Equal(t, 12, m.Len())
	require.Equal(t, "Hello, world", string(m.Bytes()))
	require.Equal(t, "Hello, world", m.Text())
	require.Equal(t, "> Hello, world", string(m.AppendTo([]byte("> "))))
	c := m.Composite()
	require.Equal(t, "text message of 12 B", m.String())
	m.Release()
	require.Equal(t, "Hello, world", string(c.Bytes()), "the rope has references of its own")
	c.Release()
}

func TestEmptyMessageHasNoParts(t *testing.T) {
	leakCheck(t)
	m := NewBinary(nil)
	m.AppendString("")
	m.AppendComposite(buffer.NewComposite())
	m.AppendSlice(buffer.Slice{})
	require.Zero(t, m.Parts())
	require.Empty(t, m.Bytes())
	require.Empty(t, m.Text())
	c := m.Composite()
	require.Zero(t, c.Len())
	c.Release()
	m.Release()
	var literal Message
	require.Zero(t, literal.Parts())
	literal.Release()
}

func TestMessageIsCountedAndMisuseIsFound(t *testing.T) {
	leakCheck(t)
	m := NewBinary([]byte("x"))
	m.Retain()
	m.Release()
	require.Equal(t, "x", m.Text())
	m.Release()
	require.PanicsWithValue(t, "websocket: message released twice", func() {
		m := &Message{}
		m.Release()
		m.Release()
	})
	require.PanicsWithValue(t, "websocket: message retained after its release", func() {
		m := &Message{}
		m.Release()
		m.Retain()
	})
}

func TestAppendingToAMessageLeavesOtherHoldersOfItsRopeAlone(t *testing.T) {
	leakCheck(t)
	rope := buffer.NewComposite()
	rope.Append(buffer.FromString("one "))
	rope.Append(buffer.FromString("two "))
	m := NewMessage(TypeText)
	rope.Retain()
	m.AppendComposite(rope)
	m.AppendString("three")
	require.Equal(t, "one two three", m.Text())
	require.Equal(t, "one two ", string(rope.Bytes()))
	m.AppendComposite(rope)
	require.Equal(t, "one two threeone two ", m.Text())
	m.Release()
}

func TestSlicesGoIntoAMessageByReference(t *testing.T) {
	leakCheck(t)
	root := buffer.FromString(strings.Repeat("0123456789", 100))
	at := &root.Bytes()[10]
	m := NewMessage(TypeBinary)
	m.AppendSlice(root.Slice(10, 500))
	root.Release()
	require.Same(t, at, &m.Part(0)[0])
	require.Equal(t, 500, m.Len())
	m.Release()
}

func TestPartsOfAMessageMoveOutAndItsEndIsCutOff(t *testing.T) {
	leakCheck(t)
	g := gather{msg: NewMessage(TypeBinary)}
	g.add(buffer.FromString("abc"))
	_, _ = g.Write([]byte("def"))
	m := g.take()
	require.Equal(t, 2, m.Parts())
	m.truncate(5)
	require.Equal(t, "abcde", m.Text())
	m.truncate(2)
	require.Equal(t, "ab", m.Text())
	parts := m.moveParts(nil)
	require.Len(t, parts, 1)
	for _, b := range parts {
		b.Release()
	}
	one := NewBinary([]byte("abcdef"))
	one.truncate(3)
	parts = one.moveParts(parts[:0])
	require.Equal(t, "abc", string(parts[0].Bytes()))
	parts[0].Release()
}
