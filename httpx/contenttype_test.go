package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContentTypeIsThatOfTheExtension(t *testing.T) {
	for name, want := range map[string]string{
		"index.html": "text/html; charset=utf-8", "A.HTM": "text/html; charset=utf-8", "a.min.js": "text/javascript; charset=utf-8",
		"m.mjs": "text/javascript; charset=utf-8", "s.css": "text/css; charset=utf-8", "d.json": "application/json",
		"p.PNG": "image/png", "f.woff2": "font/woff2", "w.wasm": "application/wasm", "v.webm": "video/webm",
		"app.webmanifest": "application/manifest+json", "a.tar.gz": "application/gzip",
		"README": defaultContentType, "a.": defaultContentType, "": defaultContentType, ".html/a": defaultContentType,
		"a.nosuchextensionatall": defaultContentType, "a.nosuchext": defaultContentType, "a.h\x00tml": defaultContentType,
	} {
		require.Equal(t, want, ContentType(name), name)
	}
}

func TestContentTypesOfTheTableAreMediaTypes(t *testing.T) {
	for _, ext := range []string{
		".html", ".htm", ".css", ".js", ".mjs", ".txt", ".log", ".md", ".csv", ".json", ".map", ".xml", ".webmanifest", ".pdf", ".wasm", ".zip",
		".gz", ".zst", ".tar", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".woff", ".woff2", ".ttf", ".otf", ".mp4",
		".webm", ".mp3", ".ogg", ".oga", ".wav",
	} {
		known := knownType([]byte(ext))
		require.NotEmpty(t, known, ext)
		require.Equal(t, known, ContentType("a"+ext))
		m, err := ParseMediaType([]byte(known))
		require.NoError(t, err)
		charset, has := m.Param("charset")
		require.Equal(t, m.HasType("text"), has, known)
		require.Equal(t, has, charset == "utf-8")
	}
}
