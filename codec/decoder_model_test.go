package codec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// randomRun is one random run of a decoder: a stream of words that arrives in random pieces, partly while words are being
// received, and a receiver that does what disturbs a decoder most.
type randomRun struct {
	t       *rapid.T
	ch      *embedded.Channel
	pieces  []string
	decoder pipeline.Handler
	actions [][]int // what the receiver does at each word
	got     []string
	inside  int
	closed  bool
	blocked bool
}

const (
	doNothing = iota
	doFeed
	doPause
	doResume
	doReplace
	doWrite
	doClose // rarely
	allActions
)

// actions are drawn before the run: the generator gives up by a panic, which a callback must not have.
var actions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int {
	do := rapid.IntRange(0, 8*allActions).Draw(t, "action")
	if do == 8*allActions {
		return doClose
	}
	return do % doClose
}), 0, 3)

// feed gives the next piece to the channel. Inside a callback that is a read in the middle of a decode.
func (r *randomRun) feed() {
	if len(r.pieces) == 0 || !r.ch.Channel().IsOpen() {
		return
	}
	b := r.ch.Loop().Pool().Get(len(r.pieces[0]))
	b.AppendString(r.pieces[0])
	r.pieces = r.pieces[1:]
	require.NoError(r.t, r.ch.WriteInbound(b))
}

// receive notes a word and then misbehaves.
func (r *randomRun) receive(ctx *pipeline.Context, s string) error {
	r.inside++
	defer func() { r.inside-- }()
	require.Equal(r.t, 1, r.inside, "no word is received inside another")
	require.False(r.t, r.closed, "nothing comes after the close")
	r.got = append(r.got, s)
	for _, do := range r.actions[len(r.got)-1] {
		switch do {
		case doFeed:
			r.feed()
		case doPause:
			ctx.SetAutoRead(false)
		case doResume:
			ctx.SetAutoRead(true)
		case doReplace:
			next := NewDecoder(&words{})
			require.NoError(r.t, ctx.Pipeline().ContextOf(r.decoder).Replace(next))
			r.decoder = next
			return nil // a read before we return would overtake the bytes that the old decoder still has
		case doWrite:
			if err := ctx.Write(buffer.Wrap(make([]byte, 50<<10))); err != nil && !r.closed {
				return err
			}
		case doClose:
			r.closed = true
			ctx.Close()
		}
	}
	return nil
}

func TestDecoderAgainstRandomReceivers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		var todo [][]int
		var stream strings.Builder
		for i := range rapid.IntRange(1, 30).Draw(t, "words") {
			w := fmt.Sprintf("%d%s", i, strings.Repeat("x", rapid.IntRange(0, 100).Draw(t, "length")))
			want = append(want, w)
			stream.WriteString(encoded(w))
			todo = append(todo, actions.Draw(t, "actions"))
		}
		r := &randomRun{t: t, decoder: NewDecoder(&words{}), actions: todo}
		for rest := stream.String(); rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 150)).Draw(t, "piece")
			r.pieces = append(r.pieces, rest[:n])
			rest = rest[n:]
		}
		var err error
		r.ch, err = embedded.New(embedded.Config{}, r.decoder, onWord(r.receive))
		require.NoError(t, err)
		for len(r.pieces) > 0 && r.ch.Channel().IsOpen() {
			if r.blocked = rapid.Bool().Draw(t, "peer takes nothing"); r.blocked {
				r.ch.Block()
			}
			r.feed()
			r.ch.Unblock()
		}
		for last := -1; last != len(r.got); { // whatever still waits for somebody to want it
			last = len(r.got)
			r.ch.Pipeline().Read()
			r.ch.RunPending()
		}
		if r.closed {
			want = want[:len(r.got)]
		}
		require.Equal(t, want, r.got)
		left, err := r.ch.Finish()
		require.NoError(t, err, "%+v", left)
	})
}
