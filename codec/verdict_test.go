package codec

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdictsHaveNames(t *testing.T) {
	for v, want := range map[Verdict]string{No: "no", More: "more", Yes: "yes", 9: "unknown"} {
		require.Equal(t, want, v.String())
	}
}
