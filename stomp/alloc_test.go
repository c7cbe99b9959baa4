//go:build !race && !bufdebug

package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// encodeOnce encodes m as a driver does, with a loop's own pool.
func encodeOnce(t *testing.T, e *Encoder, pool *buffer.Pool, out *buffer.Writer, m any) {
	t.Helper()
	out.Reset(pool, e.Size(m))
	if err := e.Encode(out, m); err != nil {
		t.Fatal(err)
	}
	msg := out.Take()
	encoded, err := e.Wrap(m, msg)
	if err != nil {
		t.Fatal(err)
	}
	buffer.Release(encoded)
}

func TestEncodeAllocatesNothing(t *testing.T) {
	e := encoder12()
	pool := buffer.NewPool(buffer.PoolConfig{Name: "test"})
	defer pool.Close()
	var out buffer.Writer
	for _, size := range bodySizes {
		for _, f := range append(fixtures(), escapedFixtures()...) {
			f = benchFrame(f, size)
			require.Zero(t, testing.AllocsPerRun(200, func() { encodeOnce(t, e, pool, &out, f) }), "%v", f)
			f.Release()
		}
	}
	require.Zero(t, testing.AllocsPerRun(200, func() { encodeOnce(t, e, pool, &out, eol) }))
	require.Zero(t, testing.AllocsPerRun(200, func() {
		f := NewFrame(CommandReceipt, HeaderReceiptID, "77")
		encodeOnce(t, e, pool, &out, f)
		f.Release()
	}))
	require.Zero(t, testing.AllocsPerRun(200, func() {
		h, c := NewHeaders(CommandSend, HeaderDestination, "/q"), NewContent(buffer.Slice{}, true)
		encodeOnce(t, e, pool, &out, h)
		encodeOnce(t, e, pool, &out, c)
		h.Release()
		c.Release()
	}))
	require.Zero(t, pool.Live())
}

func TestEncodeIntoPlainMemoryAllocatesOnce(t *testing.T) {
	e := encoder12()
	for _, frames := range [][]*Frame{fixtures(), escapedFixtures()} {
		for _, size := range bodySizes {
			for _, f := range frames {
				f.Body.Reset()
				f = benchFrame(f, size)
				require.Equal(t, 1, int(testing.AllocsPerRun(100, func() {
					wire, err := e.AppendFrame(nil, f)
					if err != nil || len(wire) != cap(wire) {
						t.Fatal("not exactly what it needs")
					}
				})), "%v", f)
			}
		}
	}
}

func TestDeliveryAllocatesNothing(t *testing.T) {
	e := encoder12()
	pool := buffer.NewPool(buffer.PoolConfig{Name: "test"})
	defer pool.Close()
	var out buffer.Writer
	for _, size := range []int{0, 100, 10_000} {
		tail := tailOf(t, Version12, shared(), strings.Repeat("x", size))
		require.Zero(t, testing.AllocsPerRun(200, func() {
			d := NewDelivery(tail)
			d.Subscription, d.MessageID, d.Ack = "sub-0", ID{Text: "m:", Number: 1 << 40}, ID{Number: 123456}
			encodeOnce(t, e, pool, &out, d)
			d.Release()
		}))
		tail.Release()
	}
	body := bodyOf("x")
	defer body.Reset()
	headers := shared()
	require.Zero(t, testing.AllocsPerRun(200, func() {
		tail, err := NewTail(Version12, headers, body)
		if err != nil {
			t.Fatal(err)
		}
		tail.Release()
	}), "neither does a tail")
}

func TestFanOutAllocatesNothingPerSubscriber(t *testing.T) {
	for _, size := range []int{0, 100, 10_000} {
		ch := fanOutChannel(t, encoder12())
		body := bodyOf(strings.Repeat("x", size))
		headers := shared()
		run := func() {
			require.NoError(t, fanOut(ch, headers, body))
			ch.DiscardWire()
		}
		for range 10 { // until the channel's own memory has grown
			run()
		}
		require.LessOrEqual(t, testing.AllocsPerRun(20, run), 50.0, "body %d: what collections took from pools, not one for each of the thousand", size)
		body.Reset()
		_, err := ch.Finish()
		require.NoError(t, err)
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	frames := fixtures()
	for _, size := range []int{0, 10, 100, 1000, 10_000} {
		for _, f := range frames {
			f := f.Clone()
			if f.Command.Body() {
				f.Body.AppendString(strings.Repeat("x", size))
			}
			requireDecodeAllocatesNothing(t, wireOf(t, f))
			f.Release()
		}
	}
	long := strings.Repeat("v", 1000)
	for name, f := range map[string]*Frame{
		"escapes":   NewFrame(CommandMessage, "a", "1:2", "b", "3\n4", "c\\", ""),
		"bare":      NewFrame(CommandDisconnect),
		"long head": NewFrame(CommandMessage, "a", long, "b", long, "c", long, "d", long),
	} {
		t.Run(name, func(t *testing.T) { requireDecodeAllocatesNothing(t, wireOf(t, f)) })
		f.Release()
	}
}

func requireDecodeAllocatesNothing(t *testing.T, wire []byte) {
	t.Helper()
	d := &Decoder{State: &State{Version: Version12}}
	require.Zero(t, testing.AllocsPerRun(200, func() { decodeOne(t, d, wire) }))
	d = &Decoder{State: &State{Version: Version12}, Stream: true}
	var a Aggregator
	require.Zero(t, testing.AllocsPerRun(200, func() {
		in := buffer.Get(len(wire))
		in.Append(wire)
		for in.Len() > 0 {
			m, ok, err := d.Decode(in)
			if !ok || err != nil {
				t.Fatal("no message")
			}
			if f, whole, _ := a.Add(m); whole {
				f.Release()
			}
		}
		in.Release()
	}))
}

func TestDecodeOfATrickledBodyAllocatesPerBufferNotPerOctet(t *testing.T) {
	d := new(Decoder)
	in := buffer.Get(64)
	defer in.Release()
	feed := func(text string) any {
		in.Reset()
		in.AppendString(text)
		m, _, err := d.Decode(in)
		if err != nil || in.Len() > 0 {
			t.Fatal("not taken")
		}
		return m
	}
	require.LessOrEqual(t, testing.AllocsPerRun(3, func() {
		feed("SEND\n\n")
		for range 100_000 {
			feed("x")
		}
		buffer.Release(feed("\x00"))
	}), 30.0)
}
