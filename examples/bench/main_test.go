package main

import (
	"os"
	"testing"
)

// TestMain lets the tests start servers: they run this program again.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		if err := runServer(os.Args[2]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n") //nolint:errcheck // the process ends anyway
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
