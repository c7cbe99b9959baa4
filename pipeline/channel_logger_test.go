package pipeline

import (
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChannelLoggerIsNeverNil(t *testing.T) {
	own := slog.New(slog.NewTextHandler(io.Discard, nil))
	loop := NewLoop(LoopConfig{})
	for want, options := range map[*slog.Logger]Options{slog.Default(): {}, own: {Logger: own}} {
		filled := options.WithDefaults()
		require.Same(t, want, NewChannel(loop, ChannelConfig{Options: &filled}).Logger())
	}
}
