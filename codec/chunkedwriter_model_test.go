package codec

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// parcel is one message of a random run, and what became of it.
type parcel struct {
	text   string // what the peer should get
	source *source
	done   int
	err    error
}

// randomTransfer writes random messages, plain ones and transfers whose sources run dry now and then.
type randomTransfer struct {
	ch      *embedded.Channel
	writer  *ChunkedWriter
	parcels []*parcel
	order   []*parcel // as their promises completed
}

func (r *randomTransfer) write(p *parcel, msg any) {
	r.parcels = append(r.parcels, p)
	promise := r.ch.NewPromise()
	promise.OnDone(func(err error) {
		p.done++
		p.err = err
		r.order = append(r.order, p)
	})
	r.ch.Pipeline().WriteWith(msg, promise)
}

// dryNow makes a generator of pieces that has nothing at the places that dry names.
func dryNow(pieces []string, dry map[int]bool, s *source) *Chunks {
	i := 0
	return NewChunks(func(ctx *pipeline.Context) (any, error) {
		if dry[i] {
			delete(dry, i)
			return nil, nil
		}
		if i == len(pieces) {
			return nil, io.EOF
		}
		i++
		return buffer.FromString(pieces[i-1]), nil
	}, func() error {
		s.closed++
		return nil
	})
}

func TestChunkedWriterAgainstRandomWritersAndPeers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &ChunkedWriter{}
		ch, err := embedded.New(embedded.Config{Options: pipeline.Options{
			WriteHigh: 2000, WriteLow: 1000, ManualFlush: rapid.Bool().Draw(t, "manual flush"),
		}}, w)
		require.NoError(t, err)
		r := &randomTransfer{ch: ch, writer: w}
		var got strings.Builder
		for i := range rapid.IntRange(1, 25).Draw(t, "steps") {
			r.step(t, i)
			got.WriteString(ch.WireString())
		}
		cut := rapid.Bool().Draw(t, "cut at the end")
		if cut {
			ch.Channel().CloseWith(pipeline.CloseNow, nil)
		} else {
			ch.Channel().CloseWith(pipeline.CloseDrain, nil)
			ch.Unblock()
		}
		for range 200 { // each call may find the next source dry
			w.ResumeTransfer()
			ch.RunPending()
		}
		got.WriteString(ch.WireString())
		r.check(t, got.String(), cut)
		left, err := ch.Finish()
		require.NoError(t, err, "%+v", left)
	})
}

func (r *randomTransfer) step(t *rapid.T, i int) {
	switch rapid.IntRange(0, 5).Draw(t, "step") {
	case 0:
		p := &parcel{text: fmt.Sprintf("<%d %s>", i, strings.Repeat("p", rapid.IntRange(0, 1500).Draw(t, "length")))}
		r.write(p, buffer.FromString(p.text))
	case 1:
		s := &source{}
		pieces := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("cC")), 0, 900, -1), 0, 8).Draw(t, "pieces")
		dry := map[int]bool{}
		for _, at := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 3).Draw(t, "dry at") {
			dry[at] = true
		}
		r.write(&parcel{text: strings.Join(pieces, ""), source: s}, dryNow(pieces, dry, s))
	case 2:
		r.writer.ResumeTransfer()
	case 3:
		r.ch.AcceptBytes(rapid.IntRange(0, 5000).Draw(t, "the peer takes"))
	case 4:
		r.ch.Pipeline().Flush()
	}
	r.ch.RunPending()
}

// check requires that everything arrived in order and that everybody heard of it, once.
func (r *randomTransfer) check(t *rapid.T, got string, cut bool) {
	var want strings.Builder
	for _, p := range r.parcels {
		want.WriteString(p.text)
		require.Equal(t, 1, p.done)
		if p.source != nil {
			require.Equal(t, 1, p.source.closed)
		}
		if cut {
			continue
		}
		require.NoError(t, p.err)
	}
	require.True(t, strings.HasPrefix(want.String(), got))
	if !cut {
		require.Equal(t, want.String(), got)
		require.Equal(t, r.parcels, r.order, "promises complete in the order of writing")
	}
}
