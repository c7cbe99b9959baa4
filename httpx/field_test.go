package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldsTheCodecActsOnAreFoundInAnyCase(t *testing.T) {
	for name, want := range map[string]fieldName{
		"Host": fieldHost, "CONNECTION": fieldConnection, "content-length": fieldContentLength,
		"Transfer-Encoding": fieldTransferEncoding, "expect": fieldExpect, "Upgrade": fieldUpgrade,
		"Most": fieldOther, "Content_Length": fieldOther, "DATE": fieldDate, "server": fieldServer, "Data": fieldOther, "": fieldOther,
	} {
		require.Equal(t, want, nameOf(name), name)
		require.Equal(t, want, nameOf([]byte(name)), name)
	}
}

func TestTrailersMayNotDecideAboutTheMessage(t *testing.T) {
	for _, name := range []string{"Host", "Content-Length", "transfer-encoding", "Authorization", "Set-Cookie", "TE", "Trailer"} {
		require.NotEqual(t, fieldOther, trailerName(name), name)
	}
	for _, name := range []string{"Digest", "Server-Timing", "ETag", "Grpc-Status", "Date"} {
		require.Equal(t, fieldOther, trailerName(name), name)
	}
}

func TestFieldSetsHaveOneBitPerField(t *testing.T) {
	require.True(t, framingFields.has(fieldContentLength))
	require.True(t, framingFields.has(fieldTransferEncoding))
	for _, n := range []fieldName{fieldOther, fieldHost, fieldConnection, fieldExpect, fieldUpgrade, fieldNotTrailer, fieldDate, fieldServer} {
		require.False(t, framingFields.has(n))
		require.NotZero(t, n.bit())
	}
}
