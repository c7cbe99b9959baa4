package httpx

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// decoder is what both decoders are to a driver.
type decoder interface {
	Decode(in *buffer.Buffer) (m any, ok bool, err error)
	DecodeEOF(in *buffer.Buffer) (m any, ok bool, err error)
}

// message is one decoded message with its body joined, as the case file writes it.
type message struct {
	Method         string      `json:"method"`
	Target         string      `json:"target"`
	Status         int         `json:"status"`
	Reason         string      `json:"reason"`
	Version        string      `json:"version"`
	Headers        [][2]string `json:"headers"`
	Body           string      `json:"body_hex"`
	Trailers       [][2]string `json:"trailers"`
	KeepAlive      bool        `json:"keep_alive"`
	ExpectContinue bool        `json:"expect_continue"`
	Upgrade        bool        `json:"upgrade"`
	Interim        bool        `json:"interim"`
}

// result is all that a stream decodes to.
type result struct {
	messages []message // complete ones
	status   int
	reason   string // "" = no error
	leftover string
}

// feeder drives a decoder like a pipeline would: it joins what is left over with what arrives.
type feeder struct {
	tb   testing.TB
	d    decoder
	pool *buffer.Pool
	cur  *buffer.Buffer

	open   *message // head seen, end not yet
	body   []byte
	result result
}

func newFeeder(tb testing.TB, d decoder) *feeder {
	tb.Helper()
	return &feeder{tb: tb, d: d, pool: buffer.NewPool(buffer.PoolConfig{Name: tb.Name()})}
}

func (f *feeder) feed(p []byte) {
	switch {
	case f.cur == nil:
		f.cur = f.pool.Get(len(p))
	case !f.cur.Unique():
		joined := f.pool.Get(f.cur.Len() + len(p))
		joined.Append(f.cur.Bytes())
		f.cur.Release()
		f.cur = joined
	}
	f.cur.Append(p)
	f.drain()
}

// drain decodes what there is.
func (f *feeder) drain() {
	for f.cur.Len() > 0 && f.step(f.d.Decode, true) {
	}
	if f.cur.Len() == 0 {
		f.cur.Release()
		f.cur = nil
	}
}

func (f *feeder) eof() {
	if f.cur == nil {
		f.cur = f.pool.Get(1)
	}
	for f.step(f.d.DecodeEOF, false) {
	}
}

// step decodes once and reports whether to go on. A message that consumes nothing is a standstill, except at the end.
func (f *feeder) step(decode func(*buffer.Buffer) (any, bool, error), mustConsume bool) bool {
	before := f.cur.Len()
	m, ok, err := decode(f.cur)
	consumed := f.cur.Len() < before
	if err != nil {
		var refused *Error
		require.ErrorAs(f.tb, err, &refused)
		require.Empty(f.tb, f.result.reason, "a second error")
		require.False(f.tb, ok)
		f.result.status, f.result.reason = refused.Status, refused.Reason
		return true // nothing may come out any more, so ask again
	}
	if !ok {
		require.Nil(f.tb, m)
		return consumed
	}
	require.True(f.tb, consumed || !mustConsume, "%T consumed nothing", m)
	require.Empty(f.tb, f.result.reason, "a message behind an error")
	f.message(m)
	buffer.Release(m)
	return true
}

func (f *feeder) message(m any) {
	switch m := m.(type) {
	case *Request:
		require.Nil(f.tb, f.open, "a head inside a message")
		f.open = &message{
			Method: string(m.Method), Target: latin1(m.Target()), Version: m.Version.String(), Headers: pairs(&m.Header),
			KeepAlive: m.KeepAlive, ExpectContinue: m.ExpectContinue, Upgrade: m.Upgrade,
		}
		f.endIf(m.Length == 0, nil)
	case *Response:
		require.Nil(f.tb, f.open, "a head inside a message")
		f.open = &message{
			Status: m.Status, Reason: m.Reason, Version: m.Version.String(), Headers: pairs(&m.Header),
			KeepAlive: !m.Close, Upgrade: m.Upgrade, Interim: m.Interim(),
		}
		f.endIf(m.Length == 0, nil)
	case *Content:
		require.NotNil(f.tb, f.open, "content outside a message")
		require.True(f.tb, m.Last || m.Len() > 0, "a piece of nothing")
		require.True(f.tb, m.Last || m.Trailer == nil, "trailers in the middle")
		require.Equal(f.tb, m == EmptyLast, m.Last && m.Len() == 0 && m.Trailer == nil, "the shared end")
		f.body = append(f.body, m.Bytes()...)
		f.endIf(m.Last, m.Trailer)
	default:
		require.Failf(f.tb, "unknown message", "%T", m)
	}
}

// endIf notes that a message is complete.
func (f *feeder) endIf(last bool, trailer *Header) {
	if !last {
		return
	}
	f.open.Body, f.open.Trailers = string(f.body), [][2]string{}
	if trailer != nil {
		f.open.Trailers = pairs(trailer)
	}
	f.result.messages = append(f.result.messages, *f.open)
	f.open, f.body = nil, nil
}

// close ends the stream and checks that nothing is held.
func (f *feeder) close() result {
	if f.cur != nil {
		f.result.leftover = string(f.cur.Bytes())
		f.cur.Release()
		f.cur = nil
	}
	require.Zero(f.tb, f.pool.Live(), "buffers still held")
	return f.result
}

func pairs(h *Header) [][2]string {
	list := [][2]string{}
	for name, value := range h.All() {
		list = append(list, [2]string{latin1(name), latin1(value)})
	}
	return list
}

// latin1 shows octets one by one, as the case file does.
func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// decodeCut feeds input in pieces that end at the cuts.
func decodeCut(tb testing.TB, d decoder, input []byte, cuts []int, eof bool) result {
	tb.Helper()
	f := newFeeder(tb, d)
	from := 0
	for _, to := range append(cuts, len(input)) {
		if to > from {
			f.feed(input[from:to])
			from = to
		}
	}
	if eof {
		f.eof()
	}
	return f.close()
}

// decodeAnyhow decodes input whole, octet by octet, cut once at every place (when it is short) and cut at random; all
// must come out alike.
func decodeAnyhow(tb testing.TB, newDecoder func() decoder, input []byte, eof bool, rounds int) result {
	tb.Helper()
	held := buffer.SharedStats().Live
	want := decodeWhole(tb, newDecoder(), input, eof)
	every := make([]int, len(input))
	for i := range every {
		every[i] = i
	}
	require.Equal(tb, want, decodeCut(tb, newDecoder(), input, every, eof), "octet by octet")
	if len(input) < 512 {
		for cut := range input {
			require.Equal(tb, want, decodeCut(tb, newDecoder(), input, []int{cut}, eof), "cut at %d", cut)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		cuts := randomCuts(random, len(input))
		require.Equal(tb, want, decodeCut(tb, newDecoder(), input, cuts, eof), "cut at %v", cuts)
	}
	require.Equal(tb, held, buffer.SharedStats().Live, "shared buffers still held")
	return want
}

// decodeWhole also checks that the input is not written to.
func decodeWhole(tb testing.TB, d decoder, input []byte, eof bool) result {
	tb.Helper()
	f := newFeeder(tb, d)
	f.cur = f.pool.Get(len(input))
	f.cur.Append(input)
	whole, octets := f.cur, f.cur.Bytes()
	whole.Retain()
	f.drain()
	if eof {
		f.eof()
	}
	require.Equal(tb, string(input), string(octets), "the input was changed")
	whole.Release()
	return f.close()
}

func randomCuts(random *rand.Rand, n int) []int {
	var cuts []int
	for at := 0; at < n; {
		at += 1 + random.IntN(1+random.IntN(1+n/2))
		cuts = append(cuts, min(at, n))
	}
	return cuts
}
