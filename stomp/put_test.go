package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPutHeadFitsExactlyOrNotAtAll(t *testing.T) {
	headers := Headers{{"a:", "1234567890:"}, {"content-length", "3"}, {"b", ""}}
	size, _, err := measure(Version12, CommandSend, headers)
	require.NoError(t, err)
	for room := range size + 2 {
		dst := make([]byte, room, size+20)
		n, declared := putHead(dst, Version12, CommandSend, headers)
		if room < size {
			require.Equal(t, -1, n, room)
			continue
		}
		require.Equal(t, size, n)
		require.EqualValues(t, 3, declared)
		require.Equal(t, "SEND\na\\c:1234567890\\c\ncontent-length:3\nb:\n", string(dst[:n]))
		require.Equal(t, make([]byte, 20+size-room), dst[room:cap(dst)], "wrote behind its room")
	}
}

func TestPutLength(t *testing.T) {
	dst := make([]byte, 40)
	n := putLength(dst, 2, 1234567890)
	require.Equal(t, "\x00\x00content-length:1234567890\n", string(dst[:n]))
	for n, want := range map[int]int{0: 1, 9: 1, 10: 2, 99: 2, 100: 3, 1234567890: 10} {
		require.Equal(t, want, decimals(uint64(n)))
	}
}
