package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTrailerAllowed(t *testing.T) {
	for name, want := range map[string]bool{
		"X-Checksum": true, "etag": true, "Content-Length": false, "transfer-encoding": false, "Trailer": false,
		"Host": false, "Set-Cookie": false, "AUTHORIZATION": false, "": false, "a b": false, "a\r\nb": false,
	} {
		require.Equal(t, want, TrailerAllowed(name), name)
	}
}
