package transport

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if asChild() {
		return
	}
	goleak.VerifyTestMain(m)
}
