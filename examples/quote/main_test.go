package main

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/penstock-go/penstock/pipeline/transport"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func cents(n int64) string { return string(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func TestBoardAnswersWithTheChange(t *testing.T) {
	ch := pipelinetest.New(t, codec.NewDecoder(QuoteCodec{}), codec.NewEncoder(QuoteCodec{}), pipeline.OnRead(NewBoard().quote))
	ch.Feed("\x04ACME" + cents(100))
	require.Equal(t, "\x04ACME"+cents(100), ch.Wire())
	ch.Feed("\x04ACME" + cents(90) + "\x01X" + cents(5))
	require.Equal(t, "\x04ACME"+cents(-10)+"\x01X"+cents(5), ch.Wire())
}

func TestEncoderRefusesLongSymbols(t *testing.T) {
	ch := pipelinetest.New(t, codec.NewEncoder(QuoteCodec{}))
	ch.WriteOutbound(&Quote{Symbol: strings.Repeat("x", 256)})
	ch.ExpectError(errSymbol)
	require.Empty(t, ch.Wire())
}

func TestPipelinePrintsItsTypes(t *testing.T) {
	ch := pipelinetest.New(t, codec.NewDecoder(QuoteCodec{}), codec.NewEncoder(QuoteCodec{}), pipeline.OnRead(NewBoard().quote))
	require.Equal(t, "bytes → main.QuoteCodec → *main.Quote → main.QuoteCodec → quote.(*Board).quote" /* main in the program */, ch.Pipeline().String())
}

func TestServerAnswersOverTCP(t *testing.T) {
	srv := transport.Server{Init: NewBoard().open, Loops: 1}
	require.NoError(t, srv.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- srv.Serve(t.Context()) }()
	conn, err := net.Dial("tcp", srv.Addrs()[0].String())
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = io.WriteString(conn, "\x04ACME"+cents(100))
	require.NoError(t, err)
	answer := make([]byte, 13)
	_, err = io.ReadFull(conn, answer)
	require.NoError(t, err)
	require.Equal(t, "\x04ACME"+cents(100), string(answer))
	require.NoError(t, conn.Close())
	require.NoError(t, srv.Close())
	require.NoError(t, <-served)
}
