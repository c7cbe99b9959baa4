package stomp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPutFillsExactlyWhatWasMeasured(t *testing.T) {
	const behind = 20
	headers := []Headers{
		{},
		{{"a:", "1234567890:"}, {"content-length", "3"}, {"b", ""}},
		{{"::::::::::", "\\\n\r:plain text behind it"}, {"no escapes", "at all"}, {"z", ":"}},
	}
	many := make(Headers, 0, 99) // more than there are marks
	for i := range cap(many) {
		many = append(many, Header{"name", []string{"plain", "e:s"}[i%65/64]})
	}
	for v := range VersionUnknown + 4 {
		for _, h := range append(headers, many) {
			f := &Frame{Command: CommandSend, Headers: h}
			f.Body.AppendString("abc")
			e := &Encoder{State: &State{Version: v}}
			r := rulesFor(v, f.Command)
			m, err := e.measureFrame(r, f, refThreshold)
			if err != nil {
				require.ErrorIs(t, err, ErrUnencodable, "1.0 and before")
				require.NotEqual(t, Version12, v)
				continue
			}
			dst := make([]byte, m.size+behind)
			require.Equal(t, m.size, m.putFrame(dst, r, f, refThreshold))
			require.Equal(t, make([]byte, behind), dst[m.size:], "wrote behind its room")
			requireDecodes(t, string(dst[:m.size]), plainFrame{f.Command, h, "abc"}, v)
			f.Release()
		}
	}
}

func TestPutLength(t *testing.T) {
	dst := make([]byte, 40)
	n := putLength(dst, 2, 1234567890)
	require.Equal(t, "\x00\x00content-length:1234567890\n", string(dst[:n]))
}
