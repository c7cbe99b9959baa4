package websocket

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorsSayTheCodeAndUnwrap(t *testing.T) {
	require.EqualError(t, refuse(CodeProtocol, "reserved opcode"), "websocket: 1002 reserved opcode")
	err := truncated()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.EqualError(t, err, "websocket: 1006 connection ended inside a message: unexpected EOF")
	require.ErrorIs(t, ErrCloseSent, net.ErrClosed)
	require.NotErrorIs(t, ErrCloseSent, io.EOF)
	require.EqualError(t, ErrCloseSent, "websocket: Close frame sent")
}
