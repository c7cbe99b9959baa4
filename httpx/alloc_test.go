//go:build !race && !bufdebug

package httpx

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Allocation budgets: what a connection does over and over costs none.

func TestRequestAndAnswerCostNoAllocation(t *testing.T) {
	for name, input := range map[string]string{
		"hello": helloRequest, "legal": legalRequest, "three fields": techRequest, "browser": browserRequest,
		"pipelined": strings.Repeat(legalRequest, 16),
	} {
		t.Run(name, func(t *testing.T) {
			s, octets := newHelloServer(t), []byte(input)
			s.serve(octets)
			require.Zero(t, testing.AllocsPerRun(200, func() {
				if s.serve(octets) != len(helloAnswer) {
					t.Fatal("wrong answer")
				}
			}))
		})
	}
}

func TestBodiesCostNoAllocation(t *testing.T) {
	large := strings.Repeat("x", 3000)
	for name, input := range map[string]string{
		"small": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		"large": "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n" + large,
		"chunk": postChunked + "bb8\r\n" + large + "\r\n5;a=b\r\nhello\r\n0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s, octets := newHelloServer(t), []byte(input)
			echo := func() {
				s.in.Reset()
				s.in.Append(octets)
				for s.in.Len() > 0 {
					m, _, err := s.decoder.Decode(s.in)
					if err != nil {
						t.Fatal(err)
					}
					out := m
					if r, ok := m.(*Request); ok {
						r.Release()
						out = NewResponse(200)
					}
					s.out.Reset(s.pool, s.encoder.Size(out))
					if err := s.encoder.Encode(&s.out, out); err != nil {
						t.Fatal(err)
					}
					buffer.Release(out)
					buffer.Release(s.out.Take())
				}
			}
			echo()
			require.Zero(t, testing.AllocsPerRun(200, echo))
		})
	}
}

func TestRequestsAndTheirAnswersCostAClientNoAllocation(t *testing.T) {
	state := new(State)
	e, d := NewRequestEncoder(state), NewResponseDecoder(DecoderConfig{}, state)
	pool := buffer.NewPool(buffer.PoolConfig{})
	in := pool.Get(4 << 10)
	var out buffer.Writer
	once := func() {
		f := NewFullRequest(MethodPost, "/path")
		if f.Header.Add("Host", "a") != nil {
			t.Fatal("refused")
		}
		f.SetBodyString("hello")
		out.Reset(pool, e.Size(f))
		if err := e.Encode(&out, f); err != nil {
			t.Fatal(err)
		}
		f.Release()
		buffer.Release(out.Take())
		in.Reset()
		in.AppendString("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		for in.Len() > 0 {
			m, _, err := d.Decode(in)
			if err != nil {
				t.Fatal(err)
			}
			buffer.Release(m)
		}
	}
	once()
	require.Zero(t, testing.AllocsPerRun(200, once))
}

func TestWholeRequestsCostNoAllocation(t *testing.T) {
	var a Aggregator
	pool := buffer.NewPool(buffer.PoolConfig{})
	parts := [][]byte{
		[]byte("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 600\r\n\r\n" + strings.Repeat("x", 300)),
		[]byte(strings.Repeat("y", 300)),
	}
	d := NewRequestDecoder(DecoderConfig{}, nil)
	in := pool.Get(4 << 10)
	once := func() {
		var f *FullRequest
		for _, part := range parts {
			if !in.Unique() {
				pool.Put(in)
				in = pool.Get(4 << 10)
			}
			in.Reset()
			in.Append(part)
			for in.Len() > 0 {
				m, _, err := d.Decode(in)
				if err != nil {
					t.Fatal(err)
				}
				if c, ok := m.(*Content); ok {
					f.join(pool, c)
					c.Release()
					continue
				}
				w, _, err := a.start(m)
				if err != nil {
					t.Fatal(err)
				}
				f = w.(*FullRequest)
			}
		}
		if f.BodyLen() != 600 {
			t.Fatal("not whole")
		}
		f.Release()
	}
	once()
	require.Zero(t, testing.AllocsPerRun(200, once))
}

func TestReadingFieldsCostsNoAllocation(t *testing.T) {
	r := decodeHead(t, browserRequest)
	defer r.Release()
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n += len(r.Target()) + len(r.Host()) + len(r.Header.Get("cookie"))
		for range r.Header.Values("accept") {
			n++
		}
		for range r.Header.All() {
			n++
		}
		if r.Header.HasToken("connection", "keep-alive") {
			n++
		}
	}))
	require.NotZero(t, n)
}

func TestSettingFieldsCostsNoAllocationOnceThereIsRoom(t *testing.T) {
	var h Header
	fill := func() {
		h.Reset()
		err := h.Add("Content-Type", "text/plain")
		if err == nil {
			err = h.AddInt("Content-Length", 12345)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fill()
	require.Zero(t, testing.AllocsPerRun(100, fill))
}

// CVE-2023-24534 and lesson (b) of hostile input: a head costs memory by what has arrived, not by what it announces.
func TestAdvisoryCVE202324534HeadsCostNoMoreThanFourTimesTheirOctets(t *testing.T) {
	for name, input := range map[string]string{
		"many tiny fields":  "GET / HTTP/1.0\r\n" + strings.Repeat("a:\r\n", DefaultFields) + "\r\n",
		"announced length":  "POST / HTTP/1.0\r\nContent-Length: 9223372036854775807\r\n\r\nx",
		"announced chunk":   postChunked + "7fffffffffffffff\r\nx",
		"many tiny trailer": postChunked + "0\r\n" + strings.Repeat("a:\r\n", DefaultFields) + "\r\n",
		"one long field":    getWith("X: " + strings.Repeat("v", 30<<10)),
	} {
		t.Run(name, func(t *testing.T) {
			// A decoder and messages, each new, and a table of at most Limits.Fields lines that doubles as it grows.
			const fixed = 8 << 10
			runtime.GC()
			runtime.GC() // twice, so that the pools are empty
			in := buffer.Wrap([]byte(input))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := NewRequestDecoder(DecoderConfig{}, nil)
			for in.Len() > 0 {
				m, ok, err := d.Decode(in)
				require.NoError(t, err)
				if !ok {
					break
				}
				buffer.Release(m)
			}
			runtime.ReadMemStats(&after)
			in.Release()
			require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(fixed+4*len(input)))
		})
	}
}
