package httpx

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFileName checks that no path names a file outside of the root or a hidden one, and that each file has one path.
func FuzzFileName(f *testing.F) {
	f.Add([]byte("a/b.txt"), false)
	f.Add([]byte("%2e%2e/%2Fetc/passwd"), true)
	f.Add([]byte(".well-known/x/"), false)
	f.Add([]byte("a//.git\\b"), false)
	f.Fuzz(func(t *testing.T, raw []byte, dots bool) {
		name, slash, ok := (&Files{DotFiles: dots}).localName(raw)
		if !ok {
			return
		}
		require.True(t, filepath.IsLocal(name), "%q", name)
		require.Equal(t, path.Clean(name), name)
		require.NotContains(t, name, "\\")
		require.NotContains(t, name, "\x00")
		require.LessOrEqual(t, strings.Count(name, "/"), maxFileDepth)
		if name != "." && !dots {
			require.NotContains(t, "/"+strings.TrimPrefix(name, wellKnown), "/.", "%q", name)
		}
		require.Equal(t, len(raw) == 0 || raw[len(raw)-1] == '/', slash)
		want := strings.TrimSuffix(string(raw), "/")
		plain, valid := appendUnescaped(nil, []byte(want), false)
		require.True(t, valid)
		if want != "" {
			require.Equal(t, string(plain), name)
		}
	})
}
