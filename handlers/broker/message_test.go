package broker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMessageKeepsPropertiesInOrder(t *testing.T) {
	leakCheck(t)
	name := []byte("first")
	m := NewMessage("/queue/a")
	m.AppendProperty(string(name), "1")
	m.AppendProperty("", strings.Repeat("long", 200))
	m.AppendProperty("first", "2")
	require.Equal(t, "1", m.Property("first"), "the first of its name")
	require.Empty(t, m.Property("none"))
	_, ok := m.LookupProperty("none")
	require.False(t, ok)
	require.Equal(t, []Property{{"first", "1"}, {"", strings.Repeat("long", 200)}, {"first", "2"}}, m.Properties)
	require.Equal(t, 8+6+800+6, m.Size())
	m.Release()
}

func TestMessageHoldsItsBodyByReference(t *testing.T) {
	leakCheck(t)
	read := buffer.FromString(strings.Repeat("a", 1000))
	m := NewMessage("/queue/a")
	require.Zero(t, m.Parts())
	require.Empty(t, m.Text())
	m.AppendSlice(buffer.Slice{})
	m.AppendBytes(nil)
	m.AppendString("")
	m.AppendSlice(read.Slice(0, 500))
	m.AppendSlice(read.Slice(500, 500))
	m.AppendBytes([]byte("b"))
	m.AppendString("c")
	require.Equal(t, 4, m.Parts())
	require.Same(t, &read.Bytes()[0], &m.Part(0).Bytes()[0])
	require.Equal(t, 1002, m.Len())
	require.Equal(t, strings.Repeat("a", 1000)+"bc", m.Text())
	read.Release()
	m.Release()
}

func TestCompactCopiesSlicesThatWouldPinALargeBuffer(t *testing.T) {
	leakCheck(t)
	read := buffer.Get(64 << 10)
	read.Append(make([]byte, 60_000))
	m := NewMessage("/queue/a")
	m.AppendCompact(read.Slice(0, 1000))
	m.AppendCompact(read.Slice(1000, 50_000))
	require.NotSame(t, &read.Bytes()[0], &m.Part(0).Bytes()[0])
	require.LessOrEqual(t, m.Part(0).Pinned(), 2048)
	require.Same(t, &read.Bytes()[1000], &m.Part(1).Bytes()[0])
	read.Release()
	m.Release()
}

func TestCloneIsIndependentAndSharesTheBody(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	m := message("/queue/a", strings.Repeat("x", 300))
	m.AppendProperty("k", "v")
	m.Retain()
	_, err := b.Publish(m)
	require.NoError(t, err)
	require.EqualValues(t, 1, m.ID())
	c := m.Clone("/queue/b")
	require.Same(t, &m.Part(0).Bytes()[0], &c.Part(0).Bytes()[0])
	m.Release()
	require.Equal(t, []Property{{"k", "v"}}, c.Properties)
	require.Equal(t, "/queue/b", c.Destination)
	require.Zero(t, c.ID())
	c.AppendString("more")
	c.Release()
}

func TestMessageIsPublishedOnce(t *testing.T) {
	leakCheck(t)
	var b Broker
	defer b.Close()
	m := message("/queue/a", "x")
	m.Retain()
	_, err := b.Publish(m)
	require.NoError(t, err)
	_, err = b.Publish(m)
	require.ErrorIs(t, err, ErrPublished)
}

func TestMessageMisusePanics(t *testing.T) {
	m := NewMessage("a")
	m.Release()
	if !buffer.Debug { // the message may be in its next life
		m = &Message{}
	}
	require.PanicsWithValue(t, "broker: message retained after its release", m.Retain)
	m = &Message{}
	require.PanicsWithValue(t, "broker: message released twice", m.Release)
}

func TestMessageDescribesItselfWithoutItsBody(t *testing.T) {
	m := message("/queue/a\n", "secret")
	defer m.Release()
	require.Equal(t, `message 0 for "/queue/a\n" (0 properties, 6 B)`, m.String())
}

func TestReusedMessageStartsEmpty(t *testing.T) {
	leakCheck(t)
	for range 100 {
		m := NewMessage("/queue/a")
		require.Empty(t, m.Properties)
		require.Zero(t, m.Len())
		require.Zero(t, m.ID())
		for range maxParts + 1 {
			m.AppendProperty("name", strings.Repeat("v", 200))
			m.AppendString("part")
		}
		m.Release()
	}
}
