package codectest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fake stands in for the test that a verification reports to.
type fake struct {
	testing.TB
	report strings.Builder
}

// Helper does nothing.
func (k *fake) Helper() {}

// Fatalf keeps the report and ends the goroutine.
func (k *fake) Fatalf(format string, args ...any) {
	fmt.Fprintf(&k.report, format, args...)
	runtime.Goexit()
}

// reportOf runs f with a fake test and returns what it failed with, "" when it passed.
func reportOf(f func(t *fake)) string {
	k := &fake{}
	done := make(chan struct{})
	go func() { // a fatal failure ends the goroutine, as in package testing
		defer close(done)
		f(k)
	}()
	<-done
	return k.report.String()
}

// requireCaught expects that f fails and says why in the given words.
func requireCaught(t *testing.T, words string, f func(t *fake)) {
	t.Helper()
	report := reportOf(f)
	require.NotEmpty(t, report, "not caught")
	require.Contains(t, report, words)
}

// FailNow ends the fake test's goroutine.
func (k *fake) FailNow() { runtime.Goexit() }
