package embedded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestCore51TypedTakeNamesBothTypesAndLeavesTheMessage(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.NoError(t, ch.WriteInbound(&other{}))
	require.NoError(t, ch.WriteOutbound(&other{}))

	_, err := embedded.In[*note](ch)
	require.EqualError(t, err, "embedded: next inbound message is *embedded_test.other, want *embedded_test.note")
	_, err = embedded.Out[*note](ch)
	require.EqualError(t, err, "embedded: next outbound message is *embedded_test.other, want *embedded_test.note")
	var mismatch *embedded.TypeError
	require.ErrorAs(t, err, &mismatch)
	require.Equal(t, "*embedded_test.note", mismatch.Want.String())

	in, err := embedded.In[*other](ch)
	require.NoError(t, err)
	require.Equal(t, &other{}, in)
	out, err := embedded.Out[*other](ch)
	require.NoError(t, err)
	require.Equal(t, &other{}, out)
}

func TestTakingFromAnEmptyQueueIsAnError(t *testing.T) {
	ch := open(t, embedded.Config{})
	_, err := embedded.In[*note](ch)
	require.ErrorIs(t, err, embedded.ErrEmpty)
	require.ErrorContains(t, err, "*embedded_test.note")
	_, err = embedded.Out[*note](ch)
	require.ErrorIs(t, err, embedded.ErrEmpty)
	require.Nil(t, ch.ReadInbound())
	require.Nil(t, ch.ReadOutbound())
}

func TestTakesOfAnInterfaceFitWhateverImplementsIt(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.NoError(t, ch.WriteInbound(&note{"x"}))
	m, err := embedded.In[any](ch)
	require.NoError(t, err)
	require.Equal(t, &note{"x"}, m)
}

func TestOutboundMessagesAndBytesComeInTheOrderOfWriting(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.NoError(t, ch.WriteOutbound(buffer.FromString("ab"), &note{"1"}, buffer.FromString("cd"), &note{"2"}))
	require.NoError(t, ch.WriteOutbound(buffer.FromString("ef")))

	first, err := embedded.Out[*buffer.Buffer](ch)
	require.NoError(t, err)
	require.Equal(t, "ab", string(first.Bytes()))
	first.Release()
	require.Equal(t, &note{"1"}, ch.ReadOutbound())
	_, err = embedded.Out[*note](ch)
	require.ErrorContains(t, err, "is *buffer.Buffer, want *embedded_test.note")
	second := ch.ReadOutbound().(*buffer.Buffer)
	require.Equal(t, "cd", string(second.Bytes()))
	second.Release()
	require.Equal(t, &note{"2"}, ch.ReadOutbound())
	require.Equal(t, "ef", ch.WireString())
	require.Nil(t, ch.ReadOutbound())
}

func TestMessagesCanBeTakenBeforeTheBytesInFrontAreSent(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.AcceptBytes(1)
	require.NoError(t, ch.WriteOutbound(buffer.FromString("ab"), &note{"1"}))
	require.Equal(t, 1, ch.DiscardWire())
	require.Equal(t, &note{"1"}, ch.ReadOutbound())
	ch.Unblock()
	require.Equal(t, "b", ch.WireString())
}

func TestUserEventsThatNobodyTookAreKept(t *testing.T) {
	ch := open(t, embedded.Config{})
	ch.Pipeline().FireEvent("idle")
	ch.Pipeline().FireEvent("again")
	require.Equal(t, []any{"idle", "again"}, ch.Events())
	require.Empty(t, ch.Events())
}
