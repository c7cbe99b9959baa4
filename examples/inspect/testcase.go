package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// testCase is one case, ready to run.
type testCase struct {
	id     string
	broken error // why it can't run
	ways   []way // all must come out alike; the first is the one that is shown
	anew   bool  // each run has values of its own, such as session ids: ways need not be alike, only as expected
	// differences compares what came out with what the case expects; nothing = as expected.
	differences func(got any) ([]string, error)
}

// way is one way to give a codec the same input.
type way struct {
	name string
	run  func() (any, error) // what came out, in the notation of "expect"
}

// report is what show prints of a case.
func (c *testCase) report() any {
	type report struct {
		ID    string `json:"id"`
		Got   any    `json:"got,omitempty"`
		Error string `json:"error,omitempty"` // it could not run
	}
	if c.broken != nil {
		return report{ID: c.id, Error: c.broken.Error()}
	}
	got, err := c.ways[0].clean()
	if err != nil {
		return report{ID: c.id, Error: err.Error()}
	}
	return report{ID: c.id, Got: got}
}

// check runs all ways and returns what is wrong with the first one that is not right.
func (c *testCase) check() (where string, problems []string) {
	if c.broken != nil {
		return "not run", []string{c.broken.Error()}
	}
	var first any
	for i, w := range c.ways {
		got, err := w.clean()
		switch {
		case err != nil:
		case i == 0 || c.anew:
			first = got
			problems, err = c.differences(got)
		case !reflect.DeepEqual(first, got):
			problems, err = diff(first, got)
		}
		if err != nil {
			return w.name, []string{err.Error()}
		}
		if len(problems) > 0 {
			return w.name, problems
		}
	}
	return "", nil
}

// clean runs the way and sees to it that no memory stays behind.
func (w way) clean() (any, error) {
	before := buffer.SharedStats().Live
	got, err := w.run()
	if err != nil {
		return nil, err
	}
	if n := buffer.SharedStats().Live - before; n != 0 {
		return nil, fmt.Errorf("%d buffers leaked", n)
	}
	return got, nil
}

// expectations makes the differences function of a case. T is the form of both what is expected and what came out.
// level may take out of both what is not to be compared; it works on copies. Of several expectations one must be met.
func expectations[T any](level func(want, got *T), expect json.RawMessage, also ...json.RawMessage) (func(any) ([]string, error), error) {
	wants := make([]T, 1+len(also))
	for i, raw := range append([]json.RawMessage{expect}, also...) {
		if err := strictly(raw, &wants[i]); err != nil {
			return nil, fmt.Errorf("expect: %w", err)
		}
	}
	return func(got any) ([]string, error) {
		var problems []string
		for i, want := range wants {
			g, ok := got.(T)
			if !ok {
				return nil, fmt.Errorf("%T came out", got)
			}
			level(&want, &g)
			list, err := diff(want, g)
			if len(list) == 0 || err != nil {
				return nil, err
			}
			if i == 0 {
				problems = list
			}
		}
		return problems, nil
	}, nil
}
