package codectest

import (
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	leastLinear = 16 << 10 // bytes below which re-reading takes no time that could be seen
	timedCalls  = 256      // calls with one more byte each that are measured, early and late
	rounds      = 9        // measurements of which the fastest counts
	attempts    = 4        // sets of measurements that must all look bad
	worst       = 3.0      // late call : early call; 5 when everything is read again, 1 when nothing is
)

// VerifyLinear feeds input, a stretch of it byte by byte near the beginning and one near the end, and fails the test
// when calls get slower the more bytes of an incomplete message have come before: then the decoder reads them again with
// every call, and the time for a message grows with the square of its length. input is one long message, or its
// beginning, of 16 KiB or more; messages are released unseen. It measures time, though only as a ratio within one run,
// and again when that looks bad.
func VerifyLinear[M any](t testing.TB, newDecoder func() Decoder[M], input []byte) {
	t.Helper()
	if len(input) < leastLinear {
		t.Fatalf("codectest: VerifyLinear needs %d bytes or more, has %d", leastLinear, len(input))
		return
	}
	early, late := len(input)*3/16, len(input)*15/16
	var ratio float64
	for range attempts {
		ratio = slowdown(newDecoder, input, early, late)
		if ratio < worst {
			return
		}
	}
	t.Fatalf("codectest: the decoder reads bytes again: a call takes %.1f times as long with %d bytes held as with %d",
		ratio, late, early)
}

// slowdown is how much longer calls take after late bytes than after early ones.
func slowdown[M any](newDecoder func() Decoder[M], input []byte, early, late int) float64 {
	pool := newPool()
	var fastEarly, fastLate time.Duration
	for round := range rounds {
		l := linearity[M]{decoder: newDecoder(), in: pool.Get(len(input))}
		l.feed(input[:early])
		e := l.time(input[early : early+timedCalls])
		l.feed(input[early+timedCalls : late])
		d := l.time(input[late : late+timedCalls])
		pool.Put(l.in)
		drop(l.decoder)
		if round == 0 || e < fastEarly {
			fastEarly = e
		}
		if round == 0 || d < fastLate {
			fastLate = d
		}
	}
	return float64(fastLate) / float64(max(fastEarly, 1))
}

// linearity feeds a decoder without moving its input, so that only the decoder's own time counts.
type linearity[M any] struct {
	decoder Decoder[M]
	in      *buffer.Buffer
}

// time feeds p byte by byte and returns how long that took.
func (l *linearity[M]) time(p []byte) time.Duration {
	start := time.Now()
	for i := range p {
		l.feed(p[i : i+1])
	}
	return time.Since(start)
}

func (l *linearity[M]) feed(p []byte) {
	l.in.Append(p)
	for {
		before := l.in.Len()
		m, ok, err := l.decoder.Decode(l.in)
		if ok && err == nil {
			buffer.Release(m)
		}
		if l.in.Len() == before || l.in.Len() == 0 {
			return
		}
	}
}
