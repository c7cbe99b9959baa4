package pipeline_test

import (
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

func TestOptionsWithDefaults(t *testing.T) {
	zero := pipeline.Options{
		WriteHigh: 64 << 10, WriteLow: 32 << 10, HardCap: 16 << 20, WriteStall: 30 * time.Second, Linger: 2 * time.Second,
		MaxReads: 16,
	}
	set := pipeline.Options{
		WriteHigh: 10, WriteLow: 4, HardCap: 20, WriteStall: time.Second, Linger: time.Minute, MaxReads: 1,
		ManualFlush: true, AllowHalfClose: true, ReadWhileUnwritable: true,
	}
	for name, c := range map[string]struct{ given, want pipeline.Options }{
		"the zero value":        {pipeline.Options{}, zero},
		"what is set":           {set, set},
		"nothing is turned off": {pipeline.Options{WriteHigh: -1, WriteLow: -1, HardCap: -1, WriteStall: -1, Linger: -1, MaxReads: -1}, zero},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.given.WithDefaults()) })
	}
	t.Run("the low mark is below the high one, the cap not below it", func(t *testing.T) {
		for _, given := range []pipeline.Options{{WriteHigh: 1000}, {WriteHigh: 1000, WriteLow: 1000}, {WriteHigh: 1000, WriteLow: 5000}} {
			require.Equal(t, 500, given.WithDefaults().WriteLow)
		}
		require.Equal(t, 1000, pipeline.Options{WriteHigh: 1000, HardCap: 10}.WithDefaults().HardCap)
		require.Equal(t, 32<<20, pipeline.Options{WriteHigh: 32 << 20}.WithDefaults().HardCap)
	})
}
