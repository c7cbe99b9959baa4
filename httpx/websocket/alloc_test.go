//go:build !race && !bufdebug

package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// echoer is a decoder and an encoder as their drivers run them, with a loop's own pool.
type echoer struct {
	d    *Decoder
	e    *Encoder
	pool *buffer.Pool
	out  buffer.Writer
	wire []byte
}

func newEchoer(d *Decoder, e *Encoder, wire []byte) *echoer {
	pool := buffer.NewPool(buffer.PoolConfig{Name: "test"})
	d.UseAllocator(pool)
	e.UseAllocator(pool)
	return &echoer{d: d, e: e, pool: pool, wire: wire}
}

// run decodes the wire and encodes what comes out.
func (c *echoer) run() {
	in := c.pool.Get(len(c.wire))
	in.Append(c.wire)
	for {
		m, ok, err := c.d.Decode(in)
		if err != nil {
			panic(err)
		}
		if !ok {
			break
		}
		c.out.Reset(c.pool, c.e.Size(m))
		if err := c.e.Encode(&c.out, m); err != nil {
			panic(err)
		}
		buffer.Release(c.out.Take())
		buffer.Release(m)
	}
	c.pool.Put(in)
}

func TestEchoAllocatesNothing(t *testing.T) {
	for name, payload := range map[string]string{
		"small": "Hello", "medium": strings.Repeat("κόσμε", 30), "large": strings.Repeat("x", 5000), "very large": strings.Repeat("x", 200_000),
	} {
		for mode, stream := range map[string]bool{"message": false, "piece": true} {
			t.Run(name+" "+mode, func(t *testing.T) {
				c := newEchoer(&Decoder{Stream: stream}, new(Encoder), frame(0x81, payload))
				require.Zero(t, testing.AllocsPerRun(200, c.run))
				require.Zero(t, c.pool.Live())
			})
		}
	}
	c := newEchoer(new(Decoder), new(Encoder), append(frame(0x89, "ping"), frame(0x8a, "pong")...))
	require.Zero(t, testing.AllocsPerRun(200, c.run))
	c = newEchoer(&Decoder{Client: true}, &Encoder{Client: true}, plainFrame(0x81, "Hello"))
	require.Zero(t, testing.AllocsPerRun(200, c.run))
}

func TestAnEchoThroughAPipelineAllocatesNothing(t *testing.T) {
	for name, handlers := range map[string][]pipeline.Handler{
		"messages": append(Config{}.Handlers(), echo()),
		"stream": append(Config{}.Streaming(&Stream{}), pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error {
			return ctx.Write(b)
		})),
	} {
		t.Run(name, func(t *testing.T) {
			ch, err := embedded.New(embedded.Config{}, handlers...)
			require.NoError(t, err)
			wire := frame(0x81, "Hello, world")
			require.Zero(t, testing.AllocsPerRun(200, func() {
				if err := ch.Feed(wire); err != nil || ch.DiscardWire() != 14 {
					panic(err)
				}
			}))
			_, err = ch.Finish()
			require.NoError(t, err)
		})
	}
}

func TestCompressedEchoAllocatesNothing(t *testing.T) {
	for name, deflate := range map[string]*Deflate{"alone": {MinBytes: 1}, "takeover": takeover(), "small window": {MinBytes: 1, ServerWindowBits: 10}} {
		t.Run(name, func(t *testing.T) {
			wire := frame(0xc1, deflated(t, strings.Repeat("Hello ", 30)))
			c := newEchoer(&Decoder{Deflate: deflate}, &Encoder{Deflate: deflate}, wire)
			c.run()
			require.LessOrEqual(t, testing.AllocsPerRun(200, c.run), 0.2) // pools are emptied now and then
			require.Zero(t, c.pool.Live())
			c.e.Reset()
		})
	}
}

func TestPreparedAllocatesNothingForAConnection(t *testing.T) {
	pool := buffer.NewPool(buffer.PoolConfig{Name: "test"})
	var out buffer.Writer
	e := &Encoder{Deflate: &Deflate{}}
	for _, n := range []int{100, 10_000} {
		p := prepare(t, NewText(strings.Repeat("x", n)))
		require.Zero(t, testing.AllocsPerRun(200, func() {
			out.Reset(pool, e.Size(p))
			if err := e.Encode(&out, p); err != nil {
				panic(err)
			}
			buffer.Release(out.Take())
		}))
		p.Release()
	}
	require.Zero(t, pool.Live())
}
