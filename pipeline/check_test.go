package pipeline_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

// declares is a codec that does nothing but say what it turns into what.
type declares struct {
	name string
	flow pipeline.Flow
}

func (d *declares) Flow() pipeline.Flow { return d.flow }
func (d *declares) String() string      { return d.name }

func (d *declares) HandleRead(ctx *pipeline.Context, msg any) error {
	ctx.FireRead(msg)
	return nil
}

func (d *declares) HandleWrite(ctx *pipeline.Context, msg any, p *pipeline.Promise) error {
	return ctx.Forward(msg, p)
}

func typesOf(samples ...any) []reflect.Type {
	var all []reflect.Type
	for _, s := range samples {
		all = append(all, reflect.TypeOf(s))
	}
	return all
}

func TestCheckFindsWhatNobodyTakes(t *testing.T) {
	bytes := typesOf((*buffer.Buffer)(nil))
	decoder := &declares{"decoder", pipeline.Flow{Reads: bytes, Emits: typesOf((*message)(nil))}}
	encoder := &declares{"encoder", pipeline.Flow{Writes: typesOf((*message)(nil)), Sends: bytes}}
	wrapper := &declares{"wrapper", pipeline.Flow{Writes: typesOf((*ping)(nil)), Sends: typesOf((*message)(nil))}}
	onMessage := pipeline.OnRead(func(*pipeline.Context, *message) error { return nil })
	onPing := pipeline.OnRead(func(*pipeline.Context, *ping) error { return nil })
	onStringer := pipeline.OnRead(func(*pipeline.Context, fmt.Stringer) error { return nil })
	onAny := pipeline.OnRead(func(*pipeline.Context, any) error { return nil })
	unread := "pipeline: decoder emits *pipeline_test.message, nobody reads it"
	for name, c := range map[string]struct {
		handlers []pipeline.Handler
		want     string
	}{
		"nothing":                              {nil, ""},
		"a decoder and its reader":             {[]pipeline.Handler{decoder, onMessage}, ""},
		"a decoder alone":                      {[]pipeline.Handler{decoder}, unread},
		"a reader of another type":             {[]pipeline.Handler{decoder, onPing}, unread},
		"a reader of another interface":        {[]pipeline.Handler{decoder, onStringer}, unread},
		"a reader of everything":               {[]pipeline.Handler{decoder, onAny}, ""},
		"a reader in front":                    {[]pipeline.Handler{onMessage, decoder}, unread},
		"a handler that declares nothing":      {[]pipeline.Handler{decoder, &reader{rec: &record{}}}, ""},
		"a handler that reads nothing":         {[]pipeline.Handler{decoder, &writer{rec: &record{}}}, unread},
		"an encoder at the socket":             {[]pipeline.Handler{encoder}, ""},
		"an encoder's encoder":                 {[]pipeline.Handler{encoder, wrapper}, ""},
		"one that misses its encoder":          {[]pipeline.Handler{wrapper}, "pipeline: wrapper sends *pipeline_test.message, nobody encodes it"},
		"one whose encoder is behind it":       {[]pipeline.Handler{wrapper, encoder}, "pipeline: wrapper sends *pipeline_test.message, nobody encodes it"},
		"one behind a writer of anything":      {[]pipeline.Handler{&writer{rec: &record{}}, wrapper}, ""},
		"one behind a handler that only reads": {[]pipeline.Handler{&life{"", &record{}}, wrapper}, "pipeline: wrapper sends *pipeline_test.message, nobody encodes it"},
		"two at once":                          {[]pipeline.Handler{wrapper, decoder}, "pipeline: wrapper sends *pipeline_test.message, nobody encodes it\n" + unread},
	} {
		t.Run(name, func(t *testing.T) {
			err := newChannel(t, c.handlers...).Pipeline().Check()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
}

func TestStringPrintsTheChain(t *testing.T) {
	two := &declares{"two", pipeline.Flow{Emits: typesOf((*message)(nil), (*generic[*ping])(nil))}}
	ch := newChannel(t, two, &reader{rec: &record{}})
	require.Equal(t, "bytes → two → *pipeline_test.message | *pipeline_test.generic[*pipeline_test.ping] → pipeline_test.reader",
		ch.Pipeline().String())
	require.Equal(t, "bytes", newChannel(t).Pipeline().String())
}
