package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestGatherHoldsAtMostAboutTwiceWhatHasCome(t *testing.T) {
	leakCheck(t)
	pool := buffer.NewPool(buffer.PoolConfig{})
	g := gather{alloc: pool, msg: NewMessage(TypeBinary)}
	held := 0
	for i := range 200_000 {
		before := g.tail
		b := g.reserve(1, 4<<20)
		if b != before {
			held += b.Cap()
		}
		b.AppendByte(byte(i))
		if held > 2*(i+1)+2*minTail+maxTail/8 {
			require.Failf(t, "too much memory", "%d for %d", held, i+1)
		}
	}
	require.Equal(t, 200_000, g.len())
	m := g.take()
	p := m.Bytes()
	for i := range p {
		if p[i] != byte(i) {
			require.Failf(t, "wrong octet", "%d", i)
		}
	}
	m.Release()
	require.Zero(t, pool.Live())
}

func TestGatherTakesExactlyWhatIsThereAtOnce(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{})
	g := gather{alloc: pool, msg: NewMessage(TypeBinary)}
	require.Equal(t, 128, g.reserve(100, 100).Cap())
	g.drop()
	require.Nil(t, g.msg)
	g.drop()
	require.Zero(t, pool.Live())
}
