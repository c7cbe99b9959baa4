package buffer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// panicText runs f, which must panic with a text that names the package, and returns the text. Any goroutine may use it.
func panicText(t *testing.T, f func()) (text string) {
	t.Helper()
	defer func() {
		t.Helper()
		text = fmt.Sprint(recover())
		if !strings.HasPrefix(text, "buffer: ") {
			t.Errorf("panicked with %q", text)
		}
	}()
	f()
	return ""
}

// digits returns n bytes "0123456789012…".
func digits(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = '0' + byte(i%10)
	}
	return p
}

// ropeOf returns a composite with one pooled buffer per part.
func ropeOf(parts ...string) *Composite {
	c := NewComposite()
	for _, p := range parts {
		c.Append(FromString(p))
	}
	return c
}

// leakCheck fails the test when it ends with more live buffers in the shared pool than it began with.
func leakCheck(t *testing.T) {
	t.Helper()
	before := SharedStats().Live
	t.Cleanup(func() { require.Equal(t, before, SharedStats().Live, "live buffers of the shared pool") })
}

func TestPanicTextReturnsTheMessage(t *testing.T) {
	require.Equal(t, "buffer: x", panicText(t, func() { panic("buffer: x") }))
}

func TestLeakCheckSeesTheSharedPool(t *testing.T) {
	before := SharedStats().Live
	b := Get(1)
	require.Equal(t, before+1, SharedStats().Live)
	b.Release()
	require.Equal(t, before, SharedStats().Live)
}
