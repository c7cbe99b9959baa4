package httpx

import (
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathsAreMadeClean(t *testing.T) {
	for dirty, want := range map[string]string{
		"/": "/", "/a": "/a", "/a/": "/a/", "/a/b": "/a/b",
		"": "/", "a": "/a", "//": "/", "//a": "/a", "/a//b": "/a/b", "/a//": "/a/", "/.": "/", "/./": "/", "/a/.": "/a", "/a/./": "/a/",
		"/..": "/", "/../": "/", "/../../a": "/a", "/a/..": "/", "/a/../": "/", "/a/b/..": "/a", "/a/b/../": "/a/", "/a/../b": "/b",
		"/...": "/...", "/.a": "/.a", "/a..": "/a..", "/%2e%2e/a": "/%2e%2e/a",
	} {
		require.Equal(t, want, string(appendClean(nil, []byte(dirty))), dirty)
		require.Equal(t, "x/y"+want, string(appendClean([]byte("x/y"), []byte(dirty))), dirty)
		require.Equal(t, dirty == want, cleanPath([]byte(dirty)), dirty)
	}
}

func TestRedirectsCannotBeReadAsAnotherHost(t *testing.T) {
	for in, want := range map[string]string{
		`/\evil.example/`: "/%5Cevil.example/", "/a b": "/a%20b", `/"<>`: "/%22%3C%3E", "/%5C": "/%5C", "/ä#": "/%C3%A4%23",
		"/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r": "/a-b_c.d~e!f$g&h'i(j)k*l+m,n;o=p:q@r",
	} {
		require.Equal(t, want, string(appendEscaped(nil, []byte(in), "")))
	}
}

// FuzzCleanPath checks against the standard library, and that a clean path stays what it is.
func FuzzCleanPath(f *testing.F) {
	f.Add([]byte("/a/../b//c/."))
	f.Add([]byte("a/./../../"))
	f.Fuzz(func(t *testing.T, dirty []byte) {
		clean := appendClean(nil, dirty)
		require.True(t, cleanPath(clean), "%q", clean)
		require.Equal(t, clean, appendClean(nil, clean))
		want := path.Clean("/" + string(dirty))
		if strings.HasSuffix(string(dirty), "/") && want != "/" {
			want += "/"
		}
		require.Equal(t, want, string(clean))
	})
}
