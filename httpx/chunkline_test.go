package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func parsedChunkLine(line string, refuseBlanks bool) (chunkLine, error) {
	return parseChunkLine([]byte(line), &DecoderConfig{Limits: Limits{}.filled(), RefuseChunkBlanks: refuseBlanks})
}

func TestChunkSizesAreHexDigitsOnly(t *testing.T) {
	for line, want := range map[string]int64{
		"0": 0, "000": 0, "a": 10, "A": 10, "fF": 255, "0000000000000010": 16, "7fffffffffffffff": 1<<63 - 1,
	} {
		got, err := parsedChunkLine(line, false)
		require.NoError(t, err, line)
		require.Equal(t, chunkLine{size: want}, got)
	}
	for _, line := range []string{
		"", "g", "3g", "0x3", "-3", "+3", " 3", "1_0", "3 ", "3\t", "\xb2", "8000000000000000", "ffffffffffffffff",
		"00000000000000000", ";a", "3 x", "3 \r",
	} {
		_, err := parsedChunkLine(line, false)
		require.Error(t, err, "%q", line)
	}
}

func TestChunkExtensionsFollowTheGrammar(t *testing.T) {
	for ext, blanks := range map[string]bool{
		";a": false, ";a=b": false, ";a=b;c": false, ";d=\"x;y\"": false, ";a=\"\"": false, ";a=\"\\\"\"": false,
		";a=\"x y\tz\xe9\"": false, ";!#$%&'*+-.^_`|~=1": false,
		" ;a": true, "; a": true, ";a =b": true, ";a= b": true, " \t; a = b": true, ";a\t;b": true,
	} {
		got, err := parsedChunkLine("3"+ext, false)
		require.NoError(t, err, "%q", ext)
		require.Equal(t, chunkLine{size: 3, ext: len(ext)}, got)
		_, err = parsedChunkLine("3"+ext, true)
		require.Equal(t, blanks, err != nil, "%q without blanks", ext)
	}
	for _, ext := range []string{
		";", ";;", ";=", ";a=", ";a=;b", ";a b", ";a ", ";a= ", ";a=b ", ";a=\"", ";a=\"x", ";a=\"x\\", ";a=\"x\\\x00\"",
		";a=\"\x01\"", ";a=\"x\"y", ";a=b=c", ";\xe9", ";a\x00", ";a\rb", ";a=\"\r\"", ";a\x7f",
	} {
		_, err := parsedChunkLine("3"+ext, false)
		require.Error(t, err, "%q", ext)
	}
}
