package pipelinetest_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestRecorderNotesEveryEventAndPassesItOn(t *testing.T) {
	r, behind := &pipelinetest.Recorder{}, &pipelinetest.Recorder{}
	cfg := pipelinetest.Config{Config: embedded.Config{Options: pipeline.Options{WriteHigh: 4, WriteLow: 2, AllowHalfClose: true}}}
	ch := pipelinetest.NewConfig(t, cfg, r, behind)
	require.Equal(t, []string{"added", "active"}, r.Take()[:2])

	ch.FeedWhole("x")
	require.Equal(t, []string{"read", "read complete"}, r.Take())
	buffer.Release(ch.ReadInbound())

	ch.Block()
	ch.WriteOutbound(buffer.FromString("12345"))
	ch.Unblock()
	require.Subset(t, r.Take(), []string{"write", "unwritable", "flush", "writable"})

	ch.Pipeline().FireEvent("event")
	ch.Pipeline().Read()
	boom := errors.New("boom")
	ch.PeerClose()
	require.Equal(t, []string{"event", "read request", "read closed"}, without("flush", r.Take())[:3])
	ch.Pipeline().FireError(boom)
	ch.RunPending()
	require.ErrorIs(t, ch.ExpectError(boom), boom)
	notes := r.Take()
	require.Equal(t, []string{"error", "close drain"}, notes[:2])
	require.Equal(t, []string{"inactive", "removed"}, notes[len(notes)-2:])
	require.Equal(t, []any{"event"}, r.UserEvents)
	require.Equal(t, []error{boom}, r.Errors)
	require.Subset(t, behind.Events(), []string{
		"added", "active", "read", "read complete", "read closed", "event",
		"error", "unwritable", "writable", "inactive", "removed", "write", "flush", "read request", "close drain",
	})
}

// without leaves out the notes of one kind.
func without(kind string, notes []string) []string {
	return slices.DeleteFunc(notes, func(n string) bool { return n == kind })
}

func TestRecordersThatShareALogShowTheOrder(t *testing.T) {
	log := &pipelinetest.Log{}
	ch := pipelinetest.New(t, &pipelinetest.Recorder{Name: "a", Log: log}, &pipelinetest.Recorder{Name: "b", Log: log})
	require.Equal(t, []string{"a added", "b added", "a active", "b active"}, log.Events()[:4])
	log.Take()
	ch.WriteOutbound(&note{})
	require.Equal(t, []string{"b write", "a write"}, log.Take()[:2])
	ch.ReadOutbound()
}

func TestARecorderBelongsIntoOnePipeline(t *testing.T) {
	r := &pipelinetest.Recorder{}
	pipelinetest.New(t, r)
	k := run(func(t *fake) { pipelinetest.New(t, r) })
	require.Contains(t, k.report.String(), "not shareable")
}
