//go:build !race && !bufdebug

package httpx_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

// nowhere is enabled and drops what it gets.
type nowhere struct{ slog.Handler }

func (nowhere) Enabled(context.Context, slog.Level) bool  { return true }
func (nowhere) Handle(context.Context, slog.Record) error { return nil }
func (n nowhere) WithAttrs([]slog.Attr) slog.Handler      { return n }
func (n nowhere) WithGroup(string) slog.Handler           { return n }

func TestAccessLogCostsFewAllocations(t *testing.T) {
	for name, c := range map[string]struct {
		handler slog.Handler
		most    float64
	}{
		"a record":            {nowhere{}, 3}, // the target, and what slog keeps of the attributes
		"when nobody listens": {slog.DiscardHandler, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ch := behind(t, hello, &httpx.AccessLog{Logger: slog.New(c.handler)})
			request := []byte(get("/a/target"))
			round := func() {
				if err := ch.Embedded.Feed(request); err != nil {
					t.Fatal(err)
				}
				ch.DiscardWire()
			}
			for range 50 {
				round()
			}
			require.LessOrEqual(t, testing.AllocsPerRun(200, round), c.most)
		})
	}
}
