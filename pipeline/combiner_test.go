package pipeline_test

import (
	"errors"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestCombinerMakesOnePromiseOfMany(t *testing.T) {
	bad := errors.New("bad")
	for name, c := range map[string]struct {
		parts []error
		want  string
	}{
		"none":                    {nil, "parent ok"},
		"all succeed":             {[]error{nil, nil, nil}, "parent ok"},
		"the first error":         {[]error{nil, bad, pipeline.ErrClosed}, "parent bad"},
		"the first of the errors": {[]error{pipeline.ErrClosed, bad}, "parent closed"},
	} {
		t.Run(name, func(t *testing.T) {
			rec := &record{}
			ch := newChannel(t)
			combined := pipeline.Combine(rec.note(ch.Channel(), "parent"))
			var parts []*pipeline.Promise
			for range c.parts {
				parts = append(parts, combined.Part())
			}
			for i, err := range c.parts {
				if err != nil {
					parts[i].Fail(err)
				} else {
					parts[i].Succeed()
				}
			}
			require.Empty(t, rec.take(), "not before Done")
			combined.Done()
			require.Equal(t, []string{c.want}, rec.take())
		})
	}
	t.Run("the last part completes the parent", func(t *testing.T) {
		rec := &record{}
		ch := newChannel(t)
		combined := pipeline.Combine(rec.note(ch.Channel(), "parent"))
		ch.Block()
		ch.Pipeline().WriteWith(bytesOf("one"), combined.Part())
		ch.Pipeline().WriteWith(bytesOf("two"), combined.Part())
		combined.Done()
		ch.RunPending()
		ch.AcceptBytes(5)
		require.Empty(t, rec.take())
		ch.AcceptBytes(1)
		require.Equal(t, []string{"parent ok"}, rec.take())
	})
	t.Run("for nobody", func(t *testing.T) {
		combined := pipeline.Combine(nil)
		require.Nil(t, combined.Part())
		combined.Done()
	})
}
