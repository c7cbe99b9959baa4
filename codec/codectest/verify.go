package codectest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// Verify feeds input to new decoders whole, byte by byte, in two pieces with every possible cut (of inputs
// beyond 2 KiB: a selection), in random pieces from a fixed seed, three times in a row, and followed by junk, and fails the test unless
// each time the messages are those wanted. It also feeds every beginning of input, which must give no other messages
// and no panic. Each time it checks that the input is not changed, that messages do not depend on it once it is
// released, unless they hold a reference, and that no buffer is left when all messages are released. want is not
// released.
func Verify[M any](t testing.TB, newDecoder func() Decoder[M], input []byte, want []M, opts Options[M]) {
	t.Helper()
	v := &verification[M]{t: t, opts: &opts, newDecoder: newDecoder, pool: newPool()}
	for _, c := range cuttings(len(input)) {
		v.exactly(c.name, input, c.ends, want)
	}
	v.askedTwice(input, want)
	v.truncated(input, want)
	if opts.EOF {
		return
	}
	v.followed(input, want)
	if !opts.Once {
		v.repeated(input, want)
	}
}

func newPool() *buffer.Pool { return buffer.NewPool(buffer.PoolConfig{Name: "codectest"}) }

// verification is what the steps of Verify share.
type verification[M any] struct {
	t          testing.TB
	opts       *Options[M]
	newDecoder func() Decoder[M]
	pool       *buffer.Pool
}

// feed sends the pieces of input to a new decoder; with eof it says then that this was all.
func (v *verification[M]) feed(input []byte, ends []int, eof bool) *feeding[M] {
	f := &feeding[M]{opts: v.opts, pool: v.pool, decoder: v.newDecoder()}
	v.pieces(f, input, ends, eof)
	return f
}

func (v *verification[M]) pieces(f *feeding[M], input []byte, ends []int, eof bool) {
	start := 0
	for _, end := range ends {
		if f.fault != "" {
			return
		}
		f.feed(input[start:end])
		start = end
	}
	if eof {
		f.end()
	}
}

// exactly expects all wanted messages, nothing else, and no error.
func (v *verification[M]) exactly(name string, input []byte, ends []int, want []M) {
	v.t.Helper()
	f := v.feed(input, ends, v.opts.EOF)
	v.judge(f, name, input, func() string {
		if len(f.errs) > 0 {
			return fmt.Sprintf("the decoder failed: %v", f.errs[0])
		}
		return v.compare(f.messages(), want, len(want), len(want))
	})
}

// askedTwice calls the decoder once more than needed after each piece.
func (v *verification[M]) askedTwice(input []byte, want []M) {
	v.t.Helper()
	f := &feeding[M]{opts: v.opts, pool: v.pool, decoder: v.newDecoder(), twice: true}
	v.pieces(f, input, single(len(input)), v.opts.EOF)
	v.judge(f, "byte by byte, asked twice", input, func() string {
		if len(f.errs) > 0 {
			return fmt.Sprintf("the decoder failed: %v", f.errs[0])
		}
		return v.compare(f.messages(), want, len(want), len(want))
	})
}

// truncated feeds beginnings of input: what comes out must be a beginning of want. An end there may be an error.
func (v *verification[M]) truncated(input []byte, want []M) {
	v.t.Helper()
	for _, n := range append([]int{0}, positions(len(input))...) {
		f := v.feed(input[:n], []int{n}, false)
		v.judge(f, fmt.Sprintf("first %d bytes only", n), input[:n], func() string {
			if len(f.errs) > 0 {
				return fmt.Sprintf("the decoder failed: %v", f.errs[0])
			}
			if v.opts.Join != nil {
				return "" // the last message may be there in part
			}
			return v.compare(f.got, want, 0, len(want))
		})
		f = v.feed(input[:n], []int{n}, true)
		v.judge(f, fmt.Sprintf("first %d bytes, then the end", n), input[:n], func() string { return "" })
	}
}

// followed feeds junk behind input: the messages in front of it must come all the same.
func (v *verification[M]) followed(input []byte, want []M) {
	v.t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	noise := make([]byte, 64)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	for _, junk := range []struct {
		name string
		p    []byte
	}{
		{"zeros", make([]byte, 16)},
		{"ones", bytes.Repeat([]byte{0xff}, 16)},
		{"noise", noise},
		{"half of itself", input[:len(input)/2]},
	} {
		all := slices.Concat(input, junk.p)
		f := v.feed(all, []int{len(all)}, false)
		v.judge(f, "followed by "+junk.name, all, func() string {
			return v.compare(f.messages(), want, len(want), len(all))
		})
	}
}

// repeated feeds several copies in one piece.
func (v *verification[M]) repeated(input []byte, want []M) {
	v.t.Helper()
	const copies = 3
	all, wants := bytes.Repeat(input, copies), slices.Repeat(want, copies)
	v.exactly(fmt.Sprintf("%d copies at once", copies), all, []int{len(all)}, wants)
}

// messages are what came out, pieces put together.
func (f *feeding[M]) messages() []M {
	if f.opts.Join != nil && f.fault == "" {
		return f.opts.Join(f.got)
	}
	return f.got
}

// judge compares after the input is given up, releases everything, and reports the first thing that is wrong.
func (v *verification[M]) judge(f *feeding[M], name string, input []byte, compare func() string) {
	v.t.Helper()
	f.settle()
	if f.fault == "" {
		f.fault = compare()
	}
	f.release()
	if f.fault != "" {
		v.t.Fatalf("codectest: %s, input %s:\n%s", name, quote(input), f.fault)
	}
}

// compare says how got differs from want, of which it must have at least least and be no more than most.
func (v *verification[M]) compare(got, want []M, least, most int) string {
	for i := range min(len(got), len(want)) {
		if !v.opts.equal(want[i], got[i]) {
			return fmt.Sprintf("message %d is %s\nwant %s", i, v.opts.show(got[i]), v.opts.show(want[i]))
		}
	}
	switch {
	case len(got) < least:
		return fmt.Sprintf("%d messages, want %d; the next is %s", len(got), len(want), v.opts.show(want[len(got)]))
	case len(got) > most && len(got) > len(want):
		return fmt.Sprintf("%d messages, want %d; the first of too many is %s", len(got), len(want), v.opts.show(got[len(want)]))
	}
	return ""
}
