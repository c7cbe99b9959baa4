package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// checkWord is the check value that every description of CRC-32C gives for the digits 1 to 9.
const checkWord = "123456789\xe3\x06\x92\x83"

// rope is pieces as one message, each piece in a buffer of its own.
func rope(pieces ...string) *buffer.Composite {
	c := buffer.NewComposite()
	for _, p := range pieces {
		c.Append(buffer.FromString(p))
	}
	return c
}

func TestCRC32CAppendsTheSumToFrames(t *testing.T) {
	little := "123456789\x83\x92\x06\xe3"
	for name, c := range map[string]struct {
		handler *CRC32C
		frame   any
		want    string
	}{
		"of one buffer":             {&CRC32C{}, buffer.FromString("123456789"), checkWord},
		"without room":              {&CRC32C{}, buffer.Wrap([]byte("123456789")), checkWord},
		"of a rope":                 {&CRC32C{}, rope("123", "4", "56789"), checkWord},
		"of one buffer, last first": {&CRC32C{LittleEndian: true}, buffer.FromString("123456789"), little},
		"of a rope, last first":     {&CRC32C{LittleEndian: true}, rope("12345", "6789"), little},
		"without bytes":             {&CRC32C{}, buffer.Get(0), "\x00\x00\x00\x00"},
		"of an empty rope":          {&CRC32C{}, rope(), "\x00\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t, c.handler)
			ch.WriteOutbound(c.frame)
			require.Equal(t, c.want, ch.Wire())
		})
	}
}

func TestCRC32CVerifiesAndStripsTheSum(t *testing.T) {
	for name, c := range map[string]struct {
		handler *CRC32C
		frame   any
		want    string
	}{
		"of one buffer":         {&CRC32C{}, buffer.FromString(checkWord), "123456789"},
		"of a rope":             {&CRC32C{}, rope("12", "34567", "89\xe3\x06\x92\x83"), "123456789"},
		"across parts":          {&CRC32C{}, rope("123456789\xe3", "\x06\x92", "\x83"), "123456789"},
		"last first":            {&CRC32C{LittleEndian: true}, buffer.FromString("123456789\x83\x92\x06\xe3"), "123456789"},
		"without bytes":         {&CRC32C{}, buffer.FromString("\x00\x00\x00\x00"), ""},
		"of a rope of sum only": {&CRC32C{}, rope("\x00\x00", "\x00\x00"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			ch := pipelinetest.New(t, c.handler)
			ch.WriteInbound(c.frame)
			require.Equal(t, c.want, taken(t, pipelinetest.In[any](ch)))
		})
	}
}

func TestCRC32CRefusesEveryDamagedByte(t *testing.T) {
	for i := range len(checkWord) {
		damaged := []byte(checkWord)
		damaged[i] ^= 0x10
		for _, frame := range []any{buffer.FromBytes(damaged), rope(string(damaged[:5]), string(damaged[5:]))} {
			ch := pipelinetest.New(t, &CRC32C{})
			ch.WriteInbound(frame)
			err := ch.ExpectError(ErrCorrupted)
			var sum *ChecksumError
			require.ErrorAs(t, err, &sum)
			require.NotEqual(t, sum.Want, sum.Got)
			require.Nil(t, ch.ReadInbound())
		}
	}
}

func TestCRC32CRefusesFramesWithoutRoomForASum(t *testing.T) {
	for _, frame := range []any{buffer.Get(0), buffer.FromString("abc"), rope(), rope("a", "bc")} {
		ch := pipelinetest.New(t, &CRC32C{})
		ch.WriteInbound(frame)
		require.EqualError(t, ch.ExpectError(ErrCorrupted), "codec: crc32c: frame too short for a checksum")
	}
}

func TestCRC32CGoesOnWhenAHandlerTakesTheError(t *testing.T) {
	var caught []error
	take := pipelineErrors(func(err error) { caught = append(caught, err) })
	ch := pipelinetest.New(t, &CRC32C{}, take)
	ch.WriteInbound(buffer.FromString("123456780\xe3\x06\x92\x83"), buffer.FromString(checkWord))
	require.Len(t, caught, 1)
	require.EqualError(t, caught[0], "codec: crc32c: checksum e3069283, frame has 9bb4494f")
	require.Equal(t, "123456789", taken(t, pipelinetest.In[any](ch)))
}

// pipelineErrors is a handler that takes errors.
type pipelineErrors func(error)

// HandleError takes err.
func (f pipelineErrors) HandleError(_ *pipeline.Context, err error) error {
	f(err)
	return nil
}

func TestCRC32CPassesOtherMessages(t *testing.T) {
	ch := pipelinetest.New(t, &CRC32C{})
	ch.WriteInbound(&word{"in"})
	require.Equal(t, "in", pipelinetest.In[*word](ch).s)
	ch.WriteOutbound(&word{"out"})
	require.Equal(t, "out", pipelinetest.Out[*word](ch).s)
}

func TestCRC32CLeavesFramesThatOthersHold(t *testing.T) {
	long := strings.Repeat("penstock", 1000)
	for _, s := range []string{"123456789", long} {
		b, c := buffer.FromString(s), rope(s[:4], s[4:])
		b.Retain()
		c.Retain()
		ch := pipelinetest.New(t, &CRC32C{})
		ch.WriteOutbound(b, c)
		wire := ch.Wire()
		require.Equal(t, s, taken(t, b))
		require.Equal(t, s, taken(t, c))

		half := len(wire) / 2
		b, c = buffer.FromString(wire[:half]), rope(wire[half:half+5], wire[half+5:])
		b.Retain()
		c.Retain()
		ch.WriteInbound(b, c)
		require.Equal(t, s, taken(t, pipelinetest.In[any](ch)))
		require.Equal(t, s, taken(t, pipelinetest.In[any](ch)))
		require.Equal(t, wire[:half], taken(t, b))
		require.Equal(t, wire[half:], taken(t, c))
	}
}

// outbound notes the messages that pass and drops them.
func outbound(to *[]any) pipeline.Handler {
	return pipeline.OnWrite(func(_ *pipeline.Context, msg any, _ *pipeline.Promise) error {
		*to = append(*to, msg)
		return nil
	})
}

func TestCRC32CSendsLargeFramesByReference(t *testing.T) {
	var sent []any
	ch := pipelinetest.New(t, outbound(&sent), &CRC32C{})
	frame := buffer.Wrap([]byte(strings.Repeat("a", 1000)))
	at := &frame.Bytes()[0]
	ch.WriteOutbound(frame)
	frame = buffer.FromString(strings.Repeat("b", 1000)) // has room
	inPlace := &frame.Bytes()[0]
	ch.WriteOutbound(frame)
	require.Len(t, sent, 2)
	require.Same(t, at, &sent[0].(*buffer.Composite).Part(0)[0])
	require.Same(t, inPlace, &sent[1].(*buffer.Buffer).Bytes()[0])
	require.Len(t, taken(t, sent[0]), 1004)
	require.Len(t, taken(t, sent[1]), 1004)
}

func TestCRC32CDoesNotSumATrackedRopeAgain(t *testing.T) {
	b := buffer.FromString("123456789")
	tracked := buffer.NewComposite()
	tracked.TrackCRC32C()
	tracked.Append(b)
	b.Bytes()[0] = 'x' // shows whether the bytes are read once more
	ch := pipelinetest.New(t, &CRC32C{})
	ch.WriteOutbound(tracked)
	require.Equal(t, "x"+checkWord[1:], ch.Wire())
}

func TestCRC32CStandsBehindAFrameCodec(t *testing.T) {
	both := func() []pipeline.Handler {
		return []pipeline.Handler{
			NewDecoder(&LengthField{Strip: 4}), NewEncoder[any](LengthPrefix{}), &CRC32C{},
		}
	}
	ch := pipelinetest.New(t, both()...)
	ch.WriteOutbound(buffer.FromString("hello"), rope("wo", "rld"), rope())
	wire := ch.Wire()
	ch.Feed(wire)
	for _, want := range []string{"hello", "world", ""} {
		require.Equal(t, want, taken(t, pipelinetest.In[any](ch)))
	}
}

func FuzzCRC32C(f *testing.F) {
	f.Fuzz(func(t *testing.T, frame []byte, cut, flip uint16, little bool) {
		h := &CRC32C{LittleEndian: little}
		ch := pipelinetest.New(t, h)
		at := int(cut) % (len(frame) + 1)
		ch.WriteOutbound(buffer.FromBytes(frame))
		wire := ch.Wire()
		ch.WriteOutbound(rope(string(frame[:at]), string(frame[at:])))
		require.Equal(t, wire, ch.Wire(), "a rope and a buffer of the same bytes")

		at = int(cut) % (len(wire) + 1)
		ch.WriteInbound(buffer.FromString(wire), rope(wire[:at], wire[at:]))
		require.Equal(t, string(frame), taken(t, pipelinetest.In[any](ch)))
		require.Equal(t, string(frame), taken(t, pipelinetest.In[any](ch)))

		damaged := []byte(wire)
		damaged[int(flip)%len(damaged)] ^= 1 << (cut % 8)
		ch.WriteInbound(buffer.FromBytes(damaged))
		ch.ExpectError(ErrCorrupted)
	})
}
