package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// asProgram makes the test binary run main with its arguments.
const asProgram = "HTTP_INTEROP_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// serve runs the server on a free port for the length of the test and gives its address.
func serve(t *testing.T) string {
	t.Helper()
	s := newServer()
	require.NoError(t, s.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return s.Addrs()[0].String()
}
