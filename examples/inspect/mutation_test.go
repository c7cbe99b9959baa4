package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leaf is a place in the expectation of a case, with what stands there.
type leaf struct {
	path string
	set  func(v any)
	was  any
}

// leaves lists the places of a tree.
func leaves(path string, v any, set func(any)) []leaf {
	var list []leaf
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, leaves(path+"."+name, v[name], func(x any) { v[name] = x })...)
		}
	case []any:
		for i := range v {
			list = append(list, leaves(fmt.Sprintf("%s[%d]", path, i), v[i], func(x any) { v[i] = x })...)
		}
	default:
		list = append(list, leaf{path, set, v})
	}
	return list
}

// another value of the same type.
func another(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case float64:
		return v + 1
	case string:
		return v + "00"
	}
	return "something"
}

// free reports whether a place of an expectation is not compared: the reasons of HTTP's errors, since each
// implementation has words of its own, and what says how something is compared.
func free(path string) bool {
	how := []string{".match", ".version_header", ".no_more_frames", ".discarded"}
	return strings.HasSuffix(path, ".error.reason") || slices.Contains(how, path)
}

// TestEveryValueThatACaseExpectsCounts changes the expectations of all cases in one place at a time: each must be missed.
func TestEveryValueThatACaseExpectsCounts(t *testing.T) {
	for _, path := range []string{stompCases, httpCases} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var raws []map[string]any
		require.NoError(t, json.Unmarshal(text, &raws))
		changed := 0
		for _, raw := range raws {
			delete(raw, "also_accepted")
			for _, l := range leaves("", raw["expect"], func(v any) { raw["expect"] = v }) {
				if free(l.path) {
					continue
				}
				changed++
				l.set(another(l.was))
				one, err := json.Marshal(raw)
				require.NoError(t, err)
				l.set(l.was)
				c, err := find(one, raw["kind"].(string), "")
				if err != nil {
					continue // what can't be read fails as well
				}
				c.ways = c.ways[:1]
				_, problems := c.check()
				require.NotEmpty(t, problems, "%s: %s was %v", raw["id"], l.path, l.was)
			}
		}
		require.Greater(t, changed, len(raws))
		t.Logf("%s: %d places", path, changed)
	}
}
