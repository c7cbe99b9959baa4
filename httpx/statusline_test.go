package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatusLinesAreVersionThreeDigitsAndAPhrase(t *testing.T) {
	config := DecoderConfig{}
	for line, want := range map[string]*Response{
		"HTTP/1.1 200 OK":         {Status: 200, Reason: "OK", Version: Version11},
		"HTTP/1.0 404 Not  here!": {Status: 404, Reason: "Not  here!", Version: Version10},
		"HTTP/1.1 299 ":           {Status: 299, Version: Version11},
		"HTTP/1.1 299":            {Status: 299, Version: Version11},
		"HTTP/1.1 999 caf\xe9":    {Status: 999, Reason: "caf\xe9", Version: Version11},
	} {
		var r Response
		require.NoError(t, r.parseLine([]byte(line), &config), "%q", line)
		require.Equal(t, want.Status, r.Status)
		require.Equal(t, want.Reason, r.Reason)
		require.Equal(t, want.Version, r.Version)
	}
	for _, line := range []string{
		"", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.1 099 x", "HTTP/1.1  200 OK",
		"HTTP/1.1 20x OK", "HTTP/1.1 -20 OK", "HTTP/2.0 200 OK", "http/1.1 200 OK", "ICY 200 OK", "HTTP/1.1 200 a\x00b",
		"HTTP/1.1 200 OK\r", "HTTP/1.1 200\tOK",
	} {
		var r Response
		require.Error(t, r.parseLine([]byte(line), &config), "%q", line)
	}
}

func TestUsualPhrasesCostNoAllocation(t *testing.T) {
	b := []byte("Not Found")
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = phrase(404, b) }))
	require.Equal(t, "Nope", phrase(404, []byte("Nope")))
}
