package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// about is what all cases have.
type about struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Level  string `json:"level"`
	Why    string `json:"why"`
	Source string `json:"source"`
	// What others did with the same octets; information only.
	Note     string          `json:"note"`
	Observed json.RawMessage `json:"observed"`
	Verdict  json.RawMessage `json:"verdict"`
}

// octets is the input of a case: hex digits, text, or both for the same, or pieces.
type octets struct {
	Hex         *string  `json:"input_hex"`
	Text        *string  `json:"input_utf8"`
	Chunks      []string `json:"chunks_hex"`
	InputChunks []string `json:"input_chunks_hex"`
}

// pieces is the input as the case cuts it.
func (o *octets) pieces() ([][]byte, error) {
	chunks := append(slices.Clone(o.Chunks), o.InputChunks...)
	switch {
	case len(chunks) > 0 && (o.Hex != nil || o.Text != nil):
		return nil, errors.New("input both whole and in pieces")
	case o.Hex != nil:
		chunks = []string{*o.Hex}
	case o.Text != nil:
		return [][]byte{[]byte(*o.Text)}, nil
	case len(chunks) == 0:
		return nil, errors.New("no input")
	}
	list := make([][]byte, len(chunks))
	for i, digits := range chunks {
		p, err := hex.DecodeString(digits)
		if err != nil {
			return nil, err
		}
		list[i] = p
	}
	return list, nil
}

// strictly reads JSON; fields that into does not have are an error.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// load reads a case file. A case that no codec can run is in the list and fails.
func load(path, name string) ([]*testCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var raws []json.RawMessage
	if err := json.Unmarshal(text, &raws); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list := make([]*testCase, len(raws))
	for i, raw := range raws {
		var a about
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("%s: case %d: %w", path, i, err)
		}
		c, err := find(raw, a.Kind, name)
		if err != nil {
			c = &testCase{broken: err}
		}
		c.id = a.ID
		list[i] = c
	}
	return list, nil
}

// find gives a case to the one codec that can run it. When its kind and its fields fit several, name decides.
func find(raw []byte, kind, name string) (*testCase, error) {
	var found []*testCase
	var refusals []error
	for _, e := range entries() {
		if !slices.Contains(e.kinds, kind) {
			continue
		}
		c, err := e.parse(raw)
		switch {
		case err == nil && e.name == name:
			return c, nil
		case err == nil:
			found = append(found, c)
		case !errors.Is(err, errOther):
			refusals = append(refusals, fmt.Errorf("%s: %w", e.name, err))
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("several codecs know kind %q: choose one by -codec", kind)
	case len(refusals) > 0:
		return nil, errors.Join(refusals...)
	}
	return nil, fmt.Errorf("no codec knows kind %q", kind)
}
