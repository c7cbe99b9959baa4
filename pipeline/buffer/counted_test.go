package buffer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// countedMessage is a protocol message that holds bytes.
type countedMessage struct{ retained, released int }

func (m *countedMessage) Retain()  { m.retained++ }
func (m *countedMessage) Release() { m.released++ }

func TestReleaseAndRetainDispatchOnTheMessage(t *testing.T) {
	leakCheck(t)
	root := FromBytes(digits(1000))
	tests := []struct {
		name string
		msg  any
		refs func() int32
	}{
		{"buffer", FromString("x"), nil},
		{"composite", ropeOf("a", "b"), nil},
		{"slice", root.Slice(0, 500), root.loadRefs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			refs := tt.refs
			switch m := tt.msg.(type) {
			case *Buffer:
				refs = m.loadRefs
			case *Composite:
				refs = m.loadRefs
			}
			before := refs()
			Retain(tt.msg)
			require.Equal(t, before+1, refs())
			Release(tt.msg)
			require.Equal(t, before, refs())
			Release(tt.msg)
		})
	}
	root.Release()
}

func TestReleaseReachesMessagesOfOtherPackages(t *testing.T) {
	m := &countedMessage{}
	Retain(m)
	Release(m)
	Release(m)
	require.Equal(t, countedMessage{retained: 1, released: 2}, *m)
}

func TestReleaseIgnoresWhatHoldsNoBytes(t *testing.T) {
	for _, msg := range []any{nil, 7, "text", &struct{ n int }{1}} {
		require.NotPanics(t, func() {
			Retain(msg)
			Release(msg)
		})
	}
}
