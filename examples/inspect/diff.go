package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// diff compares two values as JSON writes them and returns a line for each place where they differ. A list that is
// missing and an empty one are the same.
func diff(want, got any) ([]string, error) {
	w, err := tree(want)
	if err != nil {
		return nil, err
	}
	g, err := tree(got)
	if err != nil {
		return nil, err
	}
	var lines []string
	walk("", w, g, func(path string, want, got any) {
		lines = append(lines, fmt.Sprintf("%s: got %s, want %s", path, brief(got), brief(want)))
	})
	return lines, nil
}

// tree turns v into the maps, lists, texts and numbers that its JSON consists of.
func tree(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var t any
	return t, d.Decode(&t)
}

func walk(path string, want, got any, differs func(path string, want, got any)) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			walkMap(path, w, g, differs)
			return
		}
	case []any:
		if g, ok := got.([]any); ok || len(w) == 0 && got == nil {
			walkList(path, w, g, differs)
			return
		}
	case nil:
		if g, ok := got.([]any); got == nil || ok && len(g) == 0 {
			return
		}
	default:
		if want == got {
			return
		}
	}
	differs(path, want, got)
}

func walkMap(path string, want, got map[string]any, differs func(path string, want, got any)) {
	if path != "" {
		path += "."
	}
	names := slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		walk(path+name, want[name], got[name], differs)
	}
}

func walkList(path string, want, got []any, differs func(path string, want, got any)) {
	at := func(list []any, i int) any {
		if i < len(list) {
			return list[i]
		}
		return nil
	}
	for i := range max(len(want), len(got)) {
		walk(fmt.Sprintf("%s[%d]", path, i), at(want, i), at(got, i), differs)
	}
}

// brief writes a part of a tree for people.
func brief(v any) string {
	const most = 120
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return fmt.Sprintf("%s… (%d bytes)", bytes.ToValidUTF8(text[:most], nil), len(text))
	}
	return string(text)
}
