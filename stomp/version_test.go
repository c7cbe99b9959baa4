package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionReadsBackWhatItPrints(t *testing.T) {
	for _, v := range []Version{Version10, Version11, Version12} {
		require.Equal(t, v, ParseVersion(v.String()))
	}
	require.Equal(t, "unknown", VersionUnknown.String())
	require.Equal(t, "unknown", Version(77).String())
	for _, text := range []string{"", "1", "1.3", "2.0", "unknown", " 1.2", "1.20"} {
		require.Equal(t, VersionUnknown, ParseVersion(text), text)
	}
}

func TestHighestVersion(t *testing.T) {
	for accept, want := range map[string]Version{
		"1.0":             Version10,
		"1.0,1.1,1.2":     Version12,
		"1.2,1.1,1.0":     Version12,
		"1.1,2.0":         Version11,
		"1.0, 1.1":        Version11,
		"2.0,3.1":         VersionUnknown,
		"":                VersionUnknown,
		",,":              VersionUnknown,
		"1.2.3,11.2,1.1x": VersionUnknown,
	} {
		require.Equal(t, want, HighestVersion(accept), accept)
	}
}

func TestStateTakesItsVersionFromTheFirstConnectedReceived(t *testing.T) {
	for text, want := range map[string]Version{
		"CONNECTED\nversion:1.2\n\n\x00":                               Version12,
		"CONNECTED\nversion:1.1\r\n\n\x00":                             Version11,
		"CONNECTED\n\n\x00":                                            Version10,
		"CONNECTED\nversion:9.9\n\n\x00":                               VersionUnknown,
		"CONNECTED\nversion:1.2\n\n\x00CONNECTED\nversion:1.0\n\n\x00": Version12,
		"CONNECT\naccept-version:1.2\n\n\x00":                          VersionUnknown,
	} {
		for _, stream := range []bool{false, true} {
			state := new(State)
			g := decodeAll(t, &Decoder{State: state, Stream: stream}, [][]byte{[]byte(text)})
			require.Empty(t, g.Err)
			require.Equal(t, want, state.Version, text)
		}
	}
}

func TestStateFollowsTheConnectedFrameSent(t *testing.T) {
	state := &State{Version: Version10}
	e := &Encoder{State: state}
	f := NewFrame(CommandConnected, HeaderVersion, "1.2")
	defer f.Release()
	_, err := encodeTo(t, e, f)
	require.NoError(t, err)
	require.Equal(t, Version12, state.Version)

	h := NewHeaders(CommandConnected, HeaderVersion, "1.1")
	defer h.Release()
	_, err = encodeTo(t, e, h)
	require.NoError(t, err)
	require.Equal(t, Version11, state.Version)
}

func TestStateSwitchesEscapesInTheMiddleOfARead(t *testing.T) {
	input := []byte("CONNECTED\nversion:1.2\na:x\\cy\n\n\x00MESSAGE\na:x\\cy\n\n\x00")
	forEachSplit(input, func(how string, chunks [][]byte) {
		g := decodeAll(t, &Decoder{State: new(State)}, chunks)
		require.Len(t, g.Frames, 2, how)
		require.Equal(t, `x\cy`, g.Frames[0].Headers.Get("a"))
		require.Equal(t, "x:y", g.Frames[1].Headers.Get("a"))
	})
}

func TestEveryVersionIsASubprotocolOfWebSocket(t *testing.T) {
	for v, want := range map[Version]string{VersionUnknown: "", Version10: "v10.stomp", Version11: "v11.stomp", Version12: "v12.stomp"} {
		require.Equal(t, want, v.Subprotocol())
	}
}
