package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// gives is a way in which v comes out.
func gives(name string, v any) way { return way{name, func() (any, error) { return v, nil }} }

func TestOneWayThatDiffersFailsTheCase(t *testing.T) {
	leaked := buffer.Get(1)
	defer leaked.Release()
	expectOne := func(got any) ([]string, error) { return diff(1, got) }
	for name, c := range map[string]struct {
		test     testCase
		where    string
		problems []string
	}{
		"all as expected":        {testCase{ways: []way{gives("a", 1), gives("b", 1)}}, "", nil},
		"the first":              {testCase{ways: []way{gives("a", 2), gives("b", 1)}}, "a", []string{": got 2, want 1"}},
		"a later one":            {testCase{ways: []way{gives("a", 1), gives("b", 1), gives("c", 3)}}, "c", []string{": got 3, want 1"}},
		"with values of its own": {testCase{anew: true, ways: []way{gives("a", 1), gives("b", 2)}}, "b", []string{": got 2, want 1"}},
		"broken":                 {testCase{broken: errors.New("no codec")}, "not run", []string{"no codec"}},
		"one that fails": {
			testCase{ways: []way{{"a", func() (any, error) { return nil, errors.New("oh") }}}}, "a", []string{"oh"},
		},
		"one that leaks": {
			testCase{ways: []way{{"a", func() (any, error) { leaked = buffer.Get(1); return 1, nil }}}}, "a", []string{"1 buffers leaked"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.test.differences = expectOne
			where, problems := c.test.check()
			require.Equal(t, c.where, where)
			require.Equal(t, c.problems, problems)
		})
	}
}

func TestOneOfSeveralExpectationsIsEnough(t *testing.T) {
	type shape struct{ A, B int }
	ignoreB := func(want, got *shape) { got.B = want.B }
	differences, err := expectations(ignoreB, []byte(`{"A": 1, "B": 5}`), []byte(`{"A": 2}`))
	require.NoError(t, err)
	for got, want := range map[shape][]string{
		{1, 0}: nil,
		{2, 9}: nil,
		{3, 0}: {"A: got 3, want 1"},
	} {
		lines, err := differences(got)
		require.NoError(t, err)
		require.Equal(t, want, lines)
	}
	_, err = differences("text")
	require.Error(t, err)
}

func TestUnknownExpectationsAreAnError(t *testing.T) {
	type shape struct{ A int }
	_, err := expectations(func(_, _ *shape) {}, []byte(`{"A": 1, "C": 2}`))
	require.ErrorContains(t, err, "C")
	require.True(t, strings.HasPrefix(err.Error(), "expect: "))
}
