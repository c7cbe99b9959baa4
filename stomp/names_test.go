package stomp

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestCommonNamesDoNotCollide(t *testing.T) {
	n := 0
	for slot, name := range commonNames {
		if name != "" {
			n++
			require.Equal(t, slot, int(nameSlot(name)))
		}
	}
	require.Equal(t, 41, n, "a name has taken the slot of another")
}

func TestDecodedNamesAreConstantsWhenTheyAreCommon(t *testing.T) {
	for name, common := range map[string]bool{
		HeaderDestination: true, HeaderAck: true, HeaderContentLength: true, "timestamp": true,
		"Destination": false, "destinatioN": false, "x": false, "subscriptiom": false,
	} {
		got := commonName([]byte(name))
		require.Equal(t, common, got != "", name)
		if common {
			require.Equal(t, name, got)
			require.Equal(t, unsafe.StringData(commonNames[nameSlot(name)]), unsafe.StringData(got))
		}
	}
	require.Empty(t, commonName(""))
}
