package httpx_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestAnswersThatWaitStayFewWhenAWriteFails(t *testing.T) {
	served, octets := 0, 0
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{
		Handle: func(_ *pipeline.Context, x *httpx.Exchange) error {
			served++
			if err := x.Begin(httpx.NewResponse(200)); err != nil {
				return err
			}
			for x.Writable() && x.WriteBytes(make([]byte, 1000)) == nil {
				octets += 1000
			}
			return nil
		},
	}))
	ch.Block()
	ch.Feed(strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 500))
	require.Equal(t, 1, served, "reading waits for the client")
	ch.FailWrite(syscall.EPIPE)
	ch.Unblock()
	require.False(t, ch.Channel().IsOpen())
	require.LessOrEqual(t, served, 8, "what came before is read within the limits of answers that wait")
	require.Less(t, octets, httpx.DefaultMaxQueued+3*pipeline.DefaultWriteHigh)
}
