//go:build interop

package main

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// command is a program that is killed when the test takes too long or ends.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, name, args...)
}

// output runs a program, which must succeed, and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	return outputFed(t, "", name, args...)
}

// outputFed is output with standard input.
func outputFed(t *testing.T, input, name string, args ...string) string {
	t.Helper()
	cmd := command(t, name, args...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
