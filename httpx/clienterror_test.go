package httpx_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
)

func TestTimeoutErrorIsANetError(t *testing.T) {
	var err error = &httpx.TimeoutError{What: "response head", After: time.Second, Err: io.ErrClosedPipe}
	require.EqualError(t, err, "httpx: no response head within 1s")
	require.ErrorIs(t, err, io.ErrClosedPipe)
	var late net.Error
	require.ErrorAs(t, err, &late)
	require.True(t, late.Timeout())
}

func TestProxyErrorHasTheStatus(t *testing.T) {
	require.EqualError(t, &httpx.ProxyError{Status: 407}, "httpx: the proxy answered 407 Proxy Authentication Required")
}
