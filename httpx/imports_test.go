package httpx

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The codec stands alone: octets and messages, no sockets, no second HTTP.
func TestProductionCodeImportsNoOtherHTTP(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	read := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		read++
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			require.False(t, path == "net/http" || strings.HasPrefix(path, "net/http/"), "%s imports %s", name, path)
		}
	}
	require.Greater(t, read, 30)
}
