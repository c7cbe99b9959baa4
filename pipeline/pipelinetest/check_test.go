package pipelinetest_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// part is a handler that declares what it reads, emits, takes and sends, and passes everything.
type part struct{ flow pipeline.Flow }

// Flow is what it declares.
func (p *part) Flow() pipeline.Flow { return p.flow }

// HandleRead passes on.
func (p *part) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

// HandleWrite passes on.
func (p *part) HandleWrite(ctx *pipeline.Context, msg any, pr *pipeline.Promise) error {
	return ctx.Forward(msg, pr)
}

// silent reads and declares nothing.
type silent struct{}

// HandleRead passes on.
func (silent) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

func TestSetUpChecksThatHandlersFitTogether(t *testing.T) {
	types := func(v ...any) []reflect.Type {
		var all []reflect.Type
		for _, m := range v {
			all = append(all, reflect.TypeOf(m))
		}
		return all
	}
	decoder := &part{pipeline.Flow{Emits: types(&note{})}}
	session := &part{pipeline.Flow{Reads: types(&note{}), Sends: types(&note{})}}
	encoder := &part{pipeline.Flow{Writes: types(&note{})}}
	wrong := &part{pipeline.Flow{Reads: types(&other{}), Writes: types(&other{})}}
	converter := &part{pipeline.Flow{Reads: types(&note{}), Emits: types(&other{})}}
	any1 := &part{pipeline.Flow{Reads: []reflect.Type{reflect.TypeFor[any]()}}}
	for name, c := range map[string]struct {
		chain []pipeline.Handler
		fails string
	}{
		"a decoder alone":                     {chain: []pipeline.Handler{decoder}},
		"a session alone":                     {chain: []pipeline.Handler{session}},
		"a whole chain":                       {chain: []pipeline.Handler{decoder, encoder, session}},
		"a converter whose output is taken":   {chain: []pipeline.Handler{decoder, converter}},
		"a reader of anything":                {chain: []pipeline.Handler{decoder, any1}},
		"a reader that does not say":          {chain: []pipeline.Handler{decoder, wrong, silent{}}},
		"messages that pass by every reader":  {[]pipeline.Handler{decoder, wrong}, "emits *pipelinetest_test.note, nobody reads it"},
		"messages that pass by every encoder": {[]pipeline.Handler{wrong, session}, "sends *pipelinetest_test.note, nobody encodes it"},
	} {
		t.Run(name, func(t *testing.T) {
			k := run(func(t *fake) { pipelinetest.New(t, c.chain...) })
			require.Equal(t, c.fails != "", k.failed, k.report.String())
			require.Contains(t, k.report.String(), c.fails)
			k = run(func(t *fake) { pipelinetest.NewConfig(t, pipelinetest.Config{SkipCheck: true}, c.chain...) })
			require.False(t, k.failed)
		})
	}
}
