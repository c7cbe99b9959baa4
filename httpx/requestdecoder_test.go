package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const upgradeRequest = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"

// connection is both codecs of one connection around a feeder.
type connection struct {
	*feeder
	state   *State
	encoder *ResponseEncoder
	out     buffer.Writer
}

func newConnection(tb testing.TB) *connection {
	tb.Helper()
	state := new(State)
	return &connection{
		feeder:  newFeeder(tb, NewRequestDecoder(DecoderConfig{}, state)),
		state:   state,
		encoder: NewResponseEncoder(state),
	}
}

// write encodes messages and returns the octets; it releases them.
func (c *connection) write(messages ...any) (string, error) {
	c.out.Reset(nil, 0)
	defer c.out.Discard()
	var err error
	for _, m := range messages {
		if err == nil {
			err = c.encoder.Encode(&c.out, m)
		}
		buffer.Release(m)
	}
	return written(&c.out, err)
}

// requireWritten is write for messages that are fine.
func (c *connection) requireWritten(want string, messages ...any) {
	c.tb.Helper()
	got, err := c.write(messages...)
	require.NoError(c.tb, err)
	require.Equal(c.tb, want, got)
}

func (c *connection) requireNotWritten(want error, m any) {
	c.tb.Helper()
	got, err := c.write(m)
	require.Equal(c.tb, want, err)
	require.Empty(c.tb, got, "written although it failed")
}

func TestOctetsBehindAnUpgradeWaitForTheAnswer(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(upgradeRequest + getWith()))
	require.Len(t, c.result.messages, 1)
	require.True(t, c.result.messages[0].Upgrade)
	c.feed([]byte(getWith()))
	require.Len(t, c.result.messages, 1)

	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NewFullResponse(200))
	c.drain()
	require.Len(t, c.result.messages, 3, "refused: what waited is HTTP")
	require.False(t, c.state.Switched())
	require.Empty(t, c.close().leftover)
}

func TestOctetsBehindAGrantedUpgradeAreLeftAlone(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(upgradeRequest + "\x81\x85raw"))
	r := NewResponse(101)
	require.NoError(t, r.Header.Add("Upgrade", "x"))
	c.requireWritten("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", r)
	require.True(t, c.state.Switched())
	c.drain()
	c.eof()
	require.Equal(t, "\x81\x85raw", c.close().leftover)
}

func TestTunnelOctetsAreLeftAlone(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n"))
	r := NewResponse(200)
	require.NoError(t, r.Header.Add("Content-Length", "5"))
	c.requireWritten("HTTP/1.1 200 OK\r\n\r\n", r)
	c.drain()
	require.Equal(t, "GET / HTTP/1.1\r\n\r\n", c.close().leftover)
}

func TestRefusedTunnelGoesOn(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" + getWith()))
	c.requireWritten("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n", NewFullResponse(405))
	c.drain()
	require.Len(t, c.close().messages, 2)
}

func TestUpgradeWithABodyWaitsBehindTheBody(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte("POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade, close\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nab"))
	c.requireWritten("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", NewFullResponse(413))
	c.feed([]byte("c" + getWith()))
	require.Len(t, c.result.messages, 1, "answered early, and the client closes")
	require.True(t, c.state.Finished())
	require.Empty(t, c.close().leftover)
}

func TestDecoderAloneStopsBehindAnUpgrade(t *testing.T) {
	f := newFeeder(t, NewRequestDecoder(DecoderConfig{}, nil))
	f.feed([]byte(upgradeRequest + getWith()))
	require.Equal(t, getWith(), f.close().leftover)
}

func TestNothingIsDecodedBehindTheServersClose(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(getWith()))
	f := NewFullResponse(200)
	f.Close = true
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", f)
	c.feed([]byte(getWith()))
	require.Len(t, c.result.messages, 1)
	require.Empty(t, c.close().leftover)
}

func TestTheRequestThatFailedIsAnsweredLast(t *testing.T) {
	c := newConnection(t)
	c.feed([]byte(getWith() + "BAD\r\n\r\n" + getWith()))
	require.Equal(t, 400, c.result.status)
	require.Equal(t, 1, c.state.Pending())
	c.requireWritten("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", NewFullResponse(200))
	require.False(t, c.state.Finished())
	c.requireWritten("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", NewFullResponse(400))
	require.True(t, c.state.Finished())
	c.requireNotWritten(ErrAfterLast, NewFullResponse(200))
	c.close()
}

func TestEndOfInputIsCleanOnlyBetweenMessages(t *testing.T) {
	for input, reason := range map[string]string{
		"":                                    "",
		getWith():                             "",
		getWith() + "\r":                      "",
		getWith() + "\r\n\r\n":                "",
		getWith() + "G":                       "premature close",
		"GET / HTTP/1.1\r\n":                  "premature close",
		getWith("Content-Length: 1"):          "premature close",
		getWith("Content-Length: 3") + "ab":   "premature close",
		postChunked:                           "premature close",
		postChunked + "0\r\n":                 "premature close",
		postChunked + "0\r\nX: 1\r\n":         "premature close",
		postChunked + "1\r\na\r\n0\r\n\r\n":   "",
		upgradeRequest + "raw":                "",
		getWith("Connection: close") + "junk": "",
	} {
		got := decodeAnyhow(t, requestDecoder(DecoderConfig{}), []byte(input), true, 10)
		require.Equal(t, reason, got.reason, "%q", input)
		require.Zero(t, got.status)
	}
}

func TestEndOfInputGivesWhatIsStillThere(t *testing.T) {
	in := buffer.FromString(getWith() + getWith())
	defer in.Release()
	d := NewRequestDecoder(DecoderConfig{}, nil)
	n := 0
	for {
		m, ok, err := d.DecodeEOF(in)
		require.NoError(t, err)
		if !ok {
			break
		}
		buffer.Release(m)
		n++
	}
	require.Equal(t, 2, n)
}
