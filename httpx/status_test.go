package httpx

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatusTextsAreTheRegisteredOnes(t *testing.T) {
	// RFC 9110 renamed these; the standard library keeps the older phrases, and one joke.
	newer := map[int]string{
		413: "Content Too Large", 414: "URI Too Long", 416: "Range Not Satisfiable", 418: "", 422: "Unprocessable Content", 510: "",
	}
	for status := -1; status < 1000; status++ {
		want, ok := newer[status]
		if !ok {
			want = http.StatusText(status)
		}
		require.Equal(t, want, StatusText(status), status)
	}
}
