package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// sentence is what words become; the last word of one ends in a dot. A word in brackets stands for itself, "!" fails.
type sentence struct {
	words    []string
	held     *buffer.Buffer
	released int
}

func (s *sentence) Retain() {}

func (s *sentence) Release() {
	s.released++
	s.held.Release()
}

// sentences is an assembly of words; made gets every sentence that was begun.
func sentences(made *[]*sentence) Assembly[*word, *sentence] {
	return Assembly[*word, *sentence]{
		Name: "sentences",
		Start: func(w *word) (*sentence, bool, error) {
			switch {
			case strings.HasPrefix(w.s, "("):
				return nil, false, nil
			case strings.HasPrefix(w.s, "!"):
				return nil, false, errBad
			}
			s := &sentence{words: []string{w.s}, held: buffer.FromString(w.s)}
			*made = append(*made, s)
			return s, true, nil
		},
		Append: func(s *sentence, w *word) error {
			if w.s == "!" {
				return errBad
			}
			s.words = append(s.words, w.s)
			return nil
		},
		Last:  func(w *word) bool { return strings.HasSuffix(w.s, ".") },
		Bytes: func(w *word) int { return len(w.s) },
	}
}

func TestAggregator(t *testing.T) {
	for name, c := range map[string]struct {
		max      int
		in       []string
		want     []string // sentences, words joined by +
		errs     []error
		released int
	}{
		"one part":                     {0, []string{"a."}, []string{"a."}, nil, 0},
		"several":                      {0, []string{"a", "b", "c.", "d", "e."}, []string{"a+b+c.", "d+e."}, nil, 0},
		"stands for itself":            {0, []string{"(x", "a", "b."}, []string{"(x", "a+b."}, nil, 0},
		"as long as the limit":         {4, []string{"ab", "c."}, []string{"ab+c."}, nil, 0},
		"over the limit, rest skipped": {4, []string{"ab", "cde", "f", "g.", "h."}, []string{"h."}, []error{ErrTooLong}, 1},
		"over the limit at the end":    {4, []string{"ab", "cd.", "h."}, []string{"h."}, []error{ErrTooLong}, 1},
		"over the limit at once":       {4, []string{"abcde", "f.", "h."}, []string{"h."}, []error{ErrTooLong}, 1},
		"over the limit in one part":   {4, []string{"abcd.", "h."}, []string{"h."}, []error{ErrTooLong}, 1},
		"start refuses, rest skipped":  {0, []string{"!", "b", "c.", "h."}, []string{"h."}, []error{errBad}, 0},
		"start refuses a whole":        {0, []string{"!.", "h."}, []string{"h."}, []error{errBad}, 0},
		"append refuses, rest skipped": {0, []string{"a", "!", "c.", "h."}, []string{"h."}, []error{errBad}, 1},
		"left over at the end":         {0, []string{"a", "b"}, nil, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var made []*sentence
			how := sentences(&made)
			how.MaxBytes = c.max
			errs := &swallow{}
			ch := pipelinetest.New(t, NewAggregator(how), errs)
			for _, s := range c.in {
				ch.WriteInbound(&word{s})
			}
			var got []string
			for m := ch.ReadInbound(); m != nil; m = ch.ReadInbound() {
				switch m := m.(type) {
				case *word:
					got = append(got, m.s)
				case *sentence:
					got = append(got, strings.Join(m.words, "+"))
					m.held.Release()
				}
			}
			ch.Finish()
			require.Equal(t, c.want, got)
			require.Len(t, errs.errs, len(c.errs))
			for i, want := range c.errs {
				require.ErrorIs(t, errs.errs[i], want)
			}
			released := 0
			for _, s := range made {
				released += s.released
			}
			require.Equal(t, c.released, released)
		})
	}
}

func TestAggregatorReleasesWhatIsNotCompleteOnRemoval(t *testing.T) {
	var made []*sentence
	a := NewAggregator(sentences(&made))
	ch := pipelinetest.New(t, a)
	ch.WriteInbound(&word{"a"})
	ch.Pipeline().ContextOf(a).Remove()
	require.Equal(t, 1, made[0].released)
	ch.WriteInbound(&word{"b."})
	require.Equal(t, "b.", pipelinetest.In[*word](ch).s)
}

func TestAggregatorTakesItsOwnOversizeError(t *testing.T) {
	var made []*sentence
	how := sentences(&made)
	how.MaxBytes = 3
	how.TooLong = func(s *sentence, limit int) error {
		require.Equal(t, []string{"ab"}, s.words)
		require.Equal(t, 3, limit)
		return errBad
	}
	ch := pipelinetest.New(t, NewAggregator(how))
	ch.WriteInbound(&word{"ab"}, &word{"cd"})
	ch.ExpectError(errBad)
}

func TestAggregatorAsksForMoreWhenABatchGaveNothingWhole(t *testing.T) {
	requests := 0
	var made []*sentence
	ch := whole(t, &requestCounter{n: &requests}, NewDecoder(&words{}), NewAggregator(sentences(&made)),
		pipeline.OnLend(func(*pipeline.Context, *sentence) error { return nil }))
	ch.Pipeline().Get("codec.words#0").SetAutoRead(false)
	ch.RunPending()
	ch.Pipeline().Read()
	ch.Feed(encoded("a"))
	require.Equal(t, 2, requests)
	ch.Feed(encoded("b."))
	require.Equal(t, 2, requests)
	require.Equal(t, 1, made[0].released)
}

func TestAggregatorPassesOthersBetweenParts(t *testing.T) {
	var made []*sentence
	how := sentences(&made)
	how.Accepts = func(msg any) bool { return msg.(*word).s != "ping" }
	ch := pipelinetest.New(t, NewAggregator(how))
	ch.WriteInbound(&word{"a"}, &word{"ping"}, &counted{}, &word{"b."})
	require.Equal(t, "ping", pipelinetest.In[*word](ch).s)
	pipelinetest.In[*counted](ch)
	pipelinetest.In[*sentence](ch).Release()
}

func TestAggregatorNeedsItsFunctions(t *testing.T) {
	ch := pipelinetest.New(t, NewAggregator(Assembly[*word, *sentence]{}))
	ch.ExpectError(ErrConfig)
	ch = pipelinetest.New(t, NewAggregator(Assembly[any, *sentence]{
		Start:  func(any) (*sentence, bool, error) { return nil, false, nil },
		Append: func(*sentence, any) error { return nil },
		Last:   func(any) bool { return false },
		Bytes:  func(any) int { return 0 },
	}))
	ch.ExpectError(ErrConfig)
}
