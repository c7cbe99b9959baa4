package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestPieceGivesItsOctetsAway(t *testing.T) {
	leakCheck(t)
	p := NewPiece(TypeBinary, buffer.FromString("abc"), true, false)
	require.Equal(t, 3, p.Len())
	require.Equal(t, "piece of 3 B of a binary message (first true, last false)", p.String())
	b := p.take()
	require.Equal(t, "abc", string(b.Bytes()))
	b.Release()
	require.Nil(t, NewPiece(TypeText, nil, true, true).take())
}

func TestPieceThatOthersHoldGivesAView(t *testing.T) {
	leakCheck(t)
	p := NewPiece(TypeBinary, buffer.FromString("abc"), false, true)
	p.Retain()
	b := p.take()
	b.Skip(1)
	require.Equal(t, "bc", string(b.Bytes()))
	require.Equal(t, "abc", string(p.Data.Bytes()))
	b.Release()
	p.Release()
	require.PanicsWithValue(t, "websocket: piece released twice", func() {
		p := &Piece{}
		p.Release()
		p.Release()
	})
}
