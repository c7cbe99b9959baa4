package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/stomp"
	"github.com/penstock-go/penstock/stomp/server"
)

// layer has octets of its own, tildes, as WebSocket has pings, and answers them.
type layer struct{}

func (layer) HandleRead(ctx *pipeline.Context, msg any) error {
	if b, ok := msg.(*buffer.Buffer); ok && b.Len() > 0 && b.Bytes()[0] == '~' {
		b.Release()
		return ctx.Write(buffer.FromString("~"))
	}
	ctx.FireRead(msg)
	return nil
}

// overLayer is a session that has agreed on heart-beats of ten seconds.
func overLayer(t *testing.T, heartBeat string) *pipelinetest.Channel {
	t.Helper()
	cfg := server.Config{WrapFrame: func(_ *stomp.Frame, encoded any) (any, error) { return encoded, nil }}
	ch := pipelinetest.New(t, layer{}, &installer{cfg})
	ch.FeedWhole("CONNECT\naccept-version:1.2\nhost:h\nheart-beat:" + heartBeat + "\n\n\x00")
	require.Contains(t, ch.Wire(), "CONNECTED\n")
	return ch
}

func TestOctetsOfTheLayerBelowAreNoLifeOfTheClient(t *testing.T) {
	ch := overLayer(t, "10000,0")
	for range 10 {
		ch.AdvanceTime(5 * time.Second)
		ch.FeedWhole("\n")
		ch.FeedWhole("~")
	}
	require.True(t, ch.Channel().IsOpen())
	for range 3 {
		ch.FeedWhole("~")
		ch.AdvanceTime(5 * time.Second)
	}
	ch.AdvanceTime(5 * time.Second)
	require.Contains(t, ch.Wire(), "no heart-beat in time")
	require.True(t, ch.Channel().Closed())
}

func TestOctetsOfTheLayerBelowAreNoHeartBeatsForTheClient(t *testing.T) {
	ch := overLayer(t, "0,10000")
	for range 20 {
		quiet := 0
		for range 10 { // a second each, with octets of the layer all the time
			ch.AdvanceTime(time.Second)
			ch.FeedWhole("~")
			if strings.Contains(ch.Wire(), "\n") {
				quiet = -1
			}
			quiet++
		}
		require.Less(t, quiet, 10)
	}
}

func TestAHeartBeatIsSentOncePerInterval(t *testing.T) {
	ch := overLayer(t, "0,10000")
	ch.AdvanceTime(100 * time.Second)
	beats := strings.Count(ch.Wire(), "\n")
	require.GreaterOrEqual(t, beats, 10)
	require.LessOrEqual(t, beats, 16)
}
