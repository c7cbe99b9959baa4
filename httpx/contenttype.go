package httpx

import (
	"mime"
	"path"
)

// defaultContentType is that of content of which nothing is known. RFC 9110, 8.3.
const defaultContentType = "application/octet-stream"

// ContentType returns the media type of a file by the extension of its name: what browsers need from a table of our
// own, so that it is the same everywhere, the rest as the system says. Safe for concurrent use.
func ContentType(name string) string {
	ext := path.Ext(name)
	if len(ext) > maxExtension {
		return defaultContentType
	}
	var scratch [maxExtension]byte
	small := scratch[:0]
	for i := range len(ext) {
		small = append(small, lower(ext[i]))
	}
	if t := knownType(small); t != "" {
		return t
	}
	if t := mime.TypeByExtension(ext); t != "" && validValue(t) {
		return t
	}
	return defaultContentType
}

const maxExtension = len(".webmanifest")

// knownType is a switch instead of a map: nothing to make and nothing that can change.
func knownType(ext []byte) string {
	switch string(ext) {
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".txt", ".log":
		return "text/plain; charset=utf-8"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".xml":
		return "application/xml"
	case ".webmanifest":
		return "application/manifest+json"
	case ".pdf":
		return "application/pdf"
	case ".wasm":
		return "application/wasm"
	case ".zip":
		return "application/zip"
	case ".gz":
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	case ".tar":
		return "application/x-tar"
	}
	return knownMedia(ext)
}

func knownMedia(ext []byte) string {
	switch string(ext) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".avif":
		return "image/avif"
	case ".svg":
		return "image/svg+xml"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".woff":
		return "font/woff"
	case ".woff2":
		return "font/woff2"
	case ".ttf":
		return "font/ttf"
	case ".otf":
		return "font/otf"
	case ".mp4":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	case ".mp3":
		return "audio/mpeg"
	case ".ogg", ".oga":
		return "audio/ogg"
	case ".wav":
		return "audio/wav"
	}
	return ""
}
