package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypesThatShrinkAreCompressed(t *testing.T) {
	var byDefault Compressor
	for contentType, want := range map[string]bool{
		"text/html": true, "TEXT/HTML; charset=utf-8": true, "text/event-stream": true, "application/json ;a=b": true,
		"application/problem+json": true, "image/svg+xml": true, "application/wasm": true, "font/ttf": true,
		"image/png": false, "video/mp4": false, "application/zip": false, "application/octet-stream": false,
		"font/woff2": false, "text": false, "text/": false, "+json": false, "": false, "application/jsonx": false,
	} {
		require.Equal(t, want, byDefault.compressible([]byte(contentType)), contentType)
	}
}

func TestSurveyReadsWhatFieldsSayOfABody(t *testing.T) {
	for name, c := range map[string]struct {
		fields        []string
		fixed, varies bool
	}{
		"nothing":               {nil, false, false},
		"of other fields":       {[]string{"cache-control", "no-cache", "vary", "origin", "content-length", "5", "x", "y"}, false, false},
		"encoded":               {[]string{"Content-Encoding", "gzip"}, true, false},
		"a part":                {[]string{"CONTENT-RANGE", "bytes 0-1/2"}, true, false},
		"not to be changed":     {[]string{"cache-control", "max-age=1", "Cache-Control", "no-store, No-Transform"}, true, false},
		"signed":                {[]string{"Content-Digest", "sha-256=:AA==:"}, true, false},
		"signed as a whole":     {[]string{"repr-digest", "sha-256=:AA==:"}, true, false},
		"signed in the old way": {[]string{"Digest", "SHA-256=AA=="}, true, false},
		"summed":                {[]string{"content-md5", "AA=="}, true, false},
		"varies":                {[]string{"vary", "origin", "Vary", "cookie, accept-ENCODING"}, false, true},
		"varies by anything":    {[]string{"vary", "*"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var h Header
			for i := 0; i < len(c.fields); i += 2 {
				require.NoError(t, h.Add(c.fields[i], c.fields[i+1]))
			}
			var s survey
			s.look(&h)
			require.Equal(t, c.fixed, s.fixed)
			require.Equal(t, c.varies, s.varies)
		})
	}
}
