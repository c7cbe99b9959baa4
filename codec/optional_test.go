package codec

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// demanding is a codec that implements everything optional, for every driver.
type demanding struct {
	wrong  error
	alloc  buffer.Allocator
	resets int
}

func (d *demanding) Check() error                       { return d.wrong }
func (d *demanding) UseAllocator(a buffer.Allocator)    { d.alloc = a }
func (d *demanding) Reset()                             { d.resets++ }
func (d *demanding) Size(*word) int                     { return 0 }
func (d *demanding) Encode(*buffer.Writer, *word) error { return nil }

func (d *demanding) Decode(*buffer.Buffer) (*word, bool, error)      { return nil, false, nil }
func (d *demanding) EncodeMessage(w *word, emit func(msg any)) error { return nil }
func (d *demanding) DecodeMessage(w *word, emit func(msg any)) error { return nil }

// drivers are all drivers around one codec.
func drivers(d *demanding) map[string]pipeline.Handler {
	return map[string]pipeline.Handler{
		"decoder":         NewDecoder[*word](d),
		"encoder":         NewEncoder[*word](d),
		"message decoder": NewMessageDecoder[*word](d),
		"message encoder": NewMessageEncoder[*word](d),
	}
}

func TestDriversPrepareAndResetTheirCodec(t *testing.T) {
	for name := range drivers(&demanding{}) {
		t.Run(name, func(t *testing.T) {
			d := &demanding{}
			h := drivers(d)[name]
			ch := pipelinetest.New(t, h)
			require.Same(t, ch.Loop().Pool(), d.alloc)
			require.Zero(t, d.resets)
			ch.Pipeline().ContextOf(h).Remove()
			require.Equal(t, 1, d.resets)
		})
	}
}

func TestDriversRefuseACodecWithWrongSettings(t *testing.T) {
	for name := range drivers(&demanding{}) {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t, drivers(&demanding{wrong: errBad})[name])
			err := ch.ExpectError(errBad)
			require.ErrorContains(t, err, "codec: codec.demanding: bad word")
			require.Empty(t, ch.Pipeline().Names())
		})
	}
}

// typed is a codec of any that names its types.
type typed struct{ greedy }

func (typed) Accepts(any) bool      { return true }
func (typed) Takes() []reflect.Type { return []reflect.Type{reflect.TypeFor[*word]()} }

func (typed) Emits() []reflect.Type                    { return []reflect.Type{reflect.TypeFor[*Text]()} }
func (typed) Decode(*buffer.Buffer) (any, bool, error) { return nil, false, nil }

func TestCodecsOfInterfaceTypesCanNameTheirTypes(t *testing.T) {
	words, texts := reflect.TypeFor[*word](), reflect.TypeFor[*Text]()
	require.Equal(t, []reflect.Type{texts}, NewDecoder[any](typed{}).Flow().Emits)
	require.Equal(t, []reflect.Type{words}, NewEncoder[any](typed{}).Flow().Writes)
	f := NewMessageDecoder[any](typed{}).Flow()
	require.Equal(t, []reflect.Type{words}, f.Reads)
	require.Equal(t, []reflect.Type{texts}, f.Emits)
	require.Equal(t, []reflect.Type{words}, NewMessageEncoder[any](typed{}).Flow().Writes)
	require.Equal(t, []reflect.Type{reflect.TypeFor[any]()}, NewDecoder[any](anyDecoder{}).Flow().Emits)
}

type anyDecoder struct{}

func (anyDecoder) Decode(*buffer.Buffer) (any, bool, error) { return nil, false, nil }
