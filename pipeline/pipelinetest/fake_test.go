package pipelinetest_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// fake stands in for the test that a channel reports to.
type fake struct {
	testing.TB
	cleanups []func()
	report   strings.Builder
	failed   bool
}

// run gives f a fake test and returns that at its end, cleaned up.
func run(f func(t *fake)) *fake {
	k := &fake{}
	done := make(chan struct{})
	go func() { // a fatal failure ends the goroutine, as in package testing
		defer close(done)
		defer func() {
			for i := len(k.cleanups) - 1; i >= 0; i-- {
				k.cleanups[i]()
			}
		}()
		f(k)
	}()
	<-done
	return k
}

// Helper does nothing.
func (k *fake) Helper() {}

// Name is that of the fake test.
func (k *fake) Name() string { return "TestFake" }

// Output drops logs.
func (k *fake) Output() io.Writer { return io.Discard }

// Failed reports whether the fake test has failed.
func (k *fake) Failed() bool { return k.failed }

// Cleanup keeps f for the end.
func (k *fake) Cleanup(f func()) { k.cleanups = append(k.cleanups, f) }

// Errorf fails the fake test.
func (k *fake) Errorf(format string, args ...any) {
	k.failed = true
	fmt.Fprintf(&k.report, format+"\n", args...)
}

// Fatalf fails the fake test and ends its goroutine.
func (k *fake) Fatalf(format string, args ...any) {
	k.Errorf(format, args...)
	runtime.Goexit()
}

// FailNow ends the fake test's goroutine.
func (k *fake) FailNow() { runtime.Goexit() }
