package transport

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestServeConnReturnsWhenTheChannelHasClosed(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name string
		end  error
		want error
	}{
		{"an ordinary end", io.EOF, nil},
		{"a failure", broken, broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newScriptConn()
			d := &diary{}
			done := make(chan error, 1)
			go func() {
				done <- ServeConn(context.Background(), c, &pipeline.Options{Logger: quiet},
					func(ch *pipeline.Channel) error { return ch.Pipeline().AddLast(d) })
			}()
			c.reads <- answer{text: "hello"}
			c.reads <- answer{err: tt.end}
			require.ErrorIs(t, receive(t, done), tt.want)
			require.Equal(t, "hello", d.read())
			require.EqualValues(t, 1, c.closes.Load())
		})
	}
}

func TestServeConnEndsWithItsContext(t *testing.T) {
	parent, cancel := context.WithCancelCause(t.Context())
	c := newScriptConn()
	enough := errors.New("enough")
	err := ServeConn(parent, c, nil, func(ch *pipeline.Channel) error {
		return ch.Post(func() { cancel(enough) })
	})
	require.ErrorIs(t, err, enough)
	receive(t, c.closed)
}

func TestServeConnGivesInitsError(t *testing.T) {
	refused := errors.New("not today")
	err := ServeConn(t.Context(), newScriptConn(), &pipeline.Options{Logger: quiet}, func(*pipeline.Channel) error { return refused })
	require.ErrorIs(t, err, refused)
}
