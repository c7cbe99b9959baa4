package embedded_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

func TestZeroConfigMeansTheDefaults(t *testing.T) {
	ch := open(t, embedded.Config{})
	require.Equal(t, pipeline.Options{}.WithDefaults(), *ch.Channel().Options())
	require.Equal(t, "embedded", ch.Loop().Name())
	require.Equal(t, embedded.DefaultStart(), ch.Now())
	require.Nil(t, ch.Channel().LocalAddr())
	require.Nil(t, ch.Channel().RemoteAddr())
}

func TestConfigIsForOneChannel(t *testing.T) {
	cfg := embedded.Config{Options: pipeline.Options{WriteHigh: 100}, Name: "a", Start: time.Unix(1, 0)}
	a, b := open(t, cfg), open(t, cfg)
	require.NotSame(t, a.Channel().Options(), b.Channel().Options())
	require.NotSame(t, a.Loop(), b.Loop())
	a.AdvanceTime(time.Second)
	require.Equal(t, time.Unix(2, 0), a.Now())
	require.Equal(t, time.Unix(1, 0), b.Now())
}
