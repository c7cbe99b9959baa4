package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

var errOctet = errors.New("bad octet")

// marks decodes each "m" as a message, waits before "w", refuses "x" and, when it is stubborn, goes on behind that.
type marks struct {
	stubborn bool
	dead     bool
}

func (d *marks) Decode(in *buffer.Buffer) (m *int, ok bool, err error) {
	if d.dead && !d.stubborn {
		in.Skip(in.Len())
	}
	if in.Len() == 0 || in.Bytes()[0] == 'w' {
		return nil, false, nil
	}
	if in.Next(1)[0] == 'x' {
		d.dead = true
		return nil, false, errOctet
	}
	return new(int), true, nil
}

func decodeMarks(d marks, discard bool, pieces ...string) (n int, result decoded, err error) {
	var octets [][]byte
	for _, p := range pieces {
		octets = append(octets, []byte(p))
	}
	run := decoding{
		decoder: codec.NewDecoder(&d), message: func(any) error { n++; return nil },
		probe: "m", discard: discard,
	}
	result, err = run.run(octets, func() {})
	return n, result, err
}

func TestDecodingNotesMessagesRefusalAndRest(t *testing.T) {
	n, result, err := decodeMarks(marks{}, false, "m", "mm", "wmm")
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.NoError(t, result.refusal)
	require.Equal(t, "wmm", string(result.rest))
	n, result, err = decodeMarks(marks{}, false, "mm", "xmm")
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, errOctet, result.refusal)
	require.Empty(t, result.rest)
}

func TestMessagesBehindARefusalAreAFault(t *testing.T) {
	_, _, err := decodeMarks(marks{stubborn: true}, false, "x")
	require.ErrorIs(t, err, errBroken)
	_, _, err = decodeMarks(marks{stubborn: true}, false, "xx")
	require.ErrorIs(t, err, errBroken)
}

func TestTheProbeTellsWhetherInputIsDropped(t *testing.T) {
	_, result, err := decodeMarks(marks{dead: true}, true, "m")
	require.NoError(t, err)
	require.True(t, result.discarded)
	n, result, err := decodeMarks(marks{}, true, "m")
	require.NoError(t, err)
	require.False(t, result.discarded)
	require.Equal(t, 1, n, "the probe is not counted")
}

func TestProblemsOfWhoTakesTheMessagesAreReported(t *testing.T) {
	problem := errors.New("not what I ordered")
	run := decoding{decoder: codec.NewDecoder(&marks{}), message: func(any) error { return problem }}
	_, err := run.run([][]byte{[]byte("m")}, func() {})
	require.ErrorIs(t, err, problem)
}

// letters encodes each *int as an "i" and refuses negative ones.
type letters struct{}

func (letters) Size(*int) int { return 1 }

func (letters) Encode(out *buffer.Writer, n *int) error {
	if *n < 0 {
		return errOctet
	}
	out.AppendByte('i')
	return nil
}

func TestEncodingGivesOctetsAndARefusal(t *testing.T) {
	good, bad := 1, -1
	octets, refusal := encode(codec.NewEncoder(letters{}), &good, &good)
	require.NoError(t, refusal)
	require.Equal(t, "ii", string(octets))
	octets, refusal = encode(codec.NewEncoder(letters{}), &good, &bad)
	require.ErrorIs(t, refusal, errOctet)
	require.Equal(t, "i", string(octets), "what came before is there")
	octets, refusal = encode(codec.NewEncoder(letters{}))
	require.NoError(t, refusal)
	require.Empty(t, octets)
}
