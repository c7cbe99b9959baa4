package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func allCommands() []Command {
	return []Command{
		CommandConnect, CommandStomp, CommandConnected, CommandSend, CommandSubscribe, CommandUnsubscribe, CommandAck,
		CommandNack, CommandBegin, CommandCommit, CommandAbort, CommandDisconnect, CommandMessage, CommandReceipt, CommandError,
	}
}

func TestCommandsAreKnownAndCaseSensitive(t *testing.T) {
	for _, c := range allCommands() {
		require.True(t, c.Known(), c)
		require.Equal(t, c, commandOf([]byte(c)))
		lower := strings.ToLower(string(c))
		require.False(t, Command(lower).Known(), lower)
		require.Empty(t, commandOf([]byte(lower)))
	}
	for _, c := range []Command{"", "INVALID", "SEND ", " SEND", "SENDX"} {
		require.False(t, c.Known(), c)
		require.Empty(t, commandOf([]byte(c)))
	}
}

func TestCommandsDecodeByName(t *testing.T) {
	for _, c := range allCommands() {
		g := decodeAll(t, &Decoder{}, [][]byte{[]byte(string(c) + "\n\n\x00")})
		require.Equal(t, []plainFrame{{c, Headers{}, ""}}, g.Frames)
	}
	for _, c := range []string{"INVALID", "disconnect"} {
		require.Equal(t, ErrUnknownCommand, decodeAll(t, &Decoder{}, [][]byte{[]byte(c + "\n\n\x00")}).Err)
	}
}

func TestOnlyHandshakeCommandsTravelBeforeTheVersion(t *testing.T) {
	handshake := map[Command]bool{CommandConnect: true, CommandStomp: true, CommandConnected: true}
	bodies := map[Command]bool{CommandSend: true, CommandMessage: true, CommandError: true}
	for _, c := range allCommands() {
		require.Equal(t, handshake[c], c.Handshake(), c)
		require.Equal(t, bodies[c], c.Body(), c)
	}
}
