package pipeline_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryCoreScenarioHasATest looks for the id of each scenario in the names of the module's tests, and in lines
// "// Case core-01." that end the comment of one. core-55 is about TLS, which comes later.
func TestEveryCoreScenarioHasATest(t *testing.T) {
	text, err := os.ReadFile("testdata/core.json")
	require.NoError(t, err)
	var scenarios []struct{ ID string }
	require.NoError(t, json.Unmarshal(text, &scenarios))
	require.Len(t, scenarios, 58)
	var tests strings.Builder
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "pipeline/cases_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for line := range strings.Lines(string(source)) {
			if strings.Contains(line, "func Test") || strings.Contains(line, "t.Run(") || strings.Contains(line, `"core-`) ||
				strings.HasPrefix(line, "// Case core-") {
				tests.WriteString(line)
			}
		}
		return err
	}))
	for _, s := range scenarios {
		number := strings.TrimPrefix(s.ID, "core-")
		found := strings.Contains(tests.String(), s.ID) || strings.Contains(tests.String(), "Core"+number)
		require.Equal(t, s.ID != "core-55", found, s.ID)
	}
}
