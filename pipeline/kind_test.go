package pipeline_test

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

type wrongRead struct{}

func (wrongRead) HandleRead(*pipeline.Context, any) {}

type wrongActive struct{ reader }

func (wrongActive) HandleActive() error { return nil }

type generic[T any] struct{}

func (*generic[T]) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

func TestAddRefusesWhatIsNoHandler(t *testing.T) {
	for name, c := range map[string]struct {
		handler pipeline.Handler
		text    string
	}{
		"nil":                               {nil, "nil is not a handler"},
		"no method at all":                  {42, "int implements no handler interface"},
		"HandleRead with another signature": {wrongRead{}, "pipeline_test.wrongRead.HandleRead is func"},
		"one wrong among right ones":        {&wrongActive{}, "want func(*pipeline.Context) error"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := newChannel(t)
			err := ch.Pipeline().AddLast(c.handler)
			require.ErrorContains(t, err, c.text)
			require.ErrorContains(t, err, "channel "+ch.Channel().ID())
			require.Empty(t, ch.Pipeline().Names())
		})
	}
}

func TestHandlerNamesHaveNoImportPaths(t *testing.T) {
	ch := newChannel(t, &generic[*message]{}, &generic[map[string]*message]{}, &reader{rec: &record{}})
	require.Equal(t, []string{
		"pipeline_test.generic[*pipeline_test.message]#0", "pipeline_test.generic[map[string]*pipeline_test.message]#0",
		"pipeline_test.reader#0",
	}, ch.Pipeline().Names())
}
