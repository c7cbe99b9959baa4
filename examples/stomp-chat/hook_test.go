package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx/websocket"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/stomp"
)

// encoded is what the chat's hook makes of a frame.
func encoded(t *testing.T, m any) *websocket.Message {
	t.Helper()
	e := stomp.Encoder{State: &stomp.State{Version: stomp.Version12}, WrapFrame: new(chat).config(stomp.Version12).WrapFrame}
	var made []any
	require.NoError(t, e.EncodeMessage(m, func(msg any) { made = append(made, msg) }))
	require.Len(t, made, 1)
	message, ok := made[0].(*websocket.Message)
	require.True(t, ok, "%T", made[0])
	return message
}

func TestALargeBodyIsPartOfTheMessageByReference(t *testing.T) {
	before := buffer.SharedStats().Live
	body := buffer.FromString(strings.Repeat("x", maxBody))
	first := &body.Bytes()[0]
	f := stomp.NewFrame(stomp.CommandMessage, "content-type", "text/plain")
	f.Body.AppendBuffer(body)
	m := encoded(t, f)
	require.Equal(t, 3, m.Parts(), "head, body, NUL")
	require.Same(t, first, &m.Part(1)[0])
	require.Equal(t, "\x00", string(m.Part(2)))
	m.Release()

	tail, err := stomp.NewTail(stomp.Version12, f.Headers, &f.Body)
	require.NoError(t, err)
	for i := range uint64(3) { // three subscribers share the octets
		d := stomp.NewDelivery(tail)
		d.Subscription, d.MessageID = "1", stomp.ID{Number: i + 1}
		m := encoded(t, d)
		require.Equal(t, websocket.TypeText, m.Type)
		require.Contains(t, m.Text(), "\ncontent-length:1048576\n\nxxx")
		found := false
		for part := range m.Parts() {
			found = found || &m.Part(part)[0] == first
		}
		require.True(t, found, "the body was copied")
		m.Release()
		d.Release()
	}
	tail.Release()
	f.Release()
	require.Equal(t, before, buffer.SharedStats().Live)
}

func TestFramesWithoutATypeAreBinary(t *testing.T) {
	for _, command := range []stomp.Command{stomp.CommandConnected, stomp.CommandReceipt, stomp.CommandMessage} {
		f := stomp.NewFrame(command)
		m := encoded(t, f)
		require.Equal(t, websocket.TypeBinary, m.Type)
		m.Release()
		f.Release()
	}
}
