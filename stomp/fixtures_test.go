package stomp

import (
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

const (
	fixedUUID = "11111111-2222-4333-8444-555555555555"
	fixedTime = "1700000000000"
)

// fixtures are the frames of netty's StompEncoderBenchmark with fixed constants, by their real header counts.
// netty calls those of 6, 10 and 19 headers SEVEN, ELEVEN and TWENTY.
func fixtures() []*Frame {
	message := func(subscription string, more ...string) *Frame {
		return NewFrame(CommandMessage, append([]string{
			"subscription", subscription, "message-id", fixedUUID, "destination", "/queue/chat",
			"content-type", "application/octet-stream", "ack", fixedUUID, "timestamp", fixedTime,
		}, more...)...)
	}
	return []*Frame{
		NewFrame(CommandReceipt, "receipt-id", fixedUUID),
		NewFrame(CommandError, "receipt-id", fixedUUID, "content-type", "text/plain", "message", "malformed frame received"),
		message("7"),
		message("11", "Strict-Transport-Security", "max-age=31536000; includeSubdomains; preload", "Server", "GitHub.com",
			"Expires", "Sat, 01 Jan 2000 00:00:00 GMT", "Content-Language", "en"),
		message("20", "date", "Wed, 22 Apr 2015 00:40:28 GMT", "expires", "Tue, 31 Mar 1981 05:00:00 GMT",
			"last-modified", "Wed, 22 Apr 2015 00:40:28 GMT", "ms", "ms", "pragma", "no-cache", "server", "tsa_b",
			"set-cookie", "noneofyourbusiness", "strict-transport-security", "max-age=631138519", "version", "STOMP_v1.2",
			"x-connection-hash", "e176fe40accc1e2c613a34bc1941aa98", "x-content-type-options", "nosniff",
			"x-frame-options", "SAMEORIGIN", "x-transaction", "a54142ede693444d9"),
	}
}

// escapedFixtures are those frames as the benchmark has them today: names and values that must be escaped.
func escapedFixtures() []*Frame {
	frames := fixtures()
	for _, f := range frames[2:] {
		for i := range f.Headers {
			switch h := &f.Headers[i]; h.Name {
			case "timestamp":
				h.Name = "_:timestamp:_"
			case "server", "Server":
				*h = Header{"\\Server\\", "\\GitHub.com\\"}
			case "pragma":
				h.Name = "\\\\pragma\\\\"
			case "set-cookie":
				h.Value = "\nnoneofyourbusiness\n"
			case "version":
				h.Name = "\rversion\r"
			}
		}
	}
	return frames
}

// The checksums are not of this encoder's making. With ten octets, NUL among them, the reference writes no
// content-length and so no frame that can be read; there the head and what follows it are summed apart.
func TestFixturesAreByteExact(t *testing.T) {
	heads := map[Version][]int{
		Version10: {57, 112, 199, 347, 586},
		Version12: {57, 112, 199, 349, 592},
	}
	want := map[Version][]uint32{
		Version10: {0x002c12f6, 0xaea84617, 0xbc4efb2a, 0x0660d318, 0x53e2acca},
		Version12: {0x002c12f6, 0xaea84617, 0xbc4efb2a, 0x7f27ba69, 0xd9157c2a},
	}
	withTen := []uint32{0xf4485f55, 0xc3330a73, 0x52eb8530, 0xdcde1051, 0x811d6464}
	for v, sums := range want {
		for i, f := range fixtures() {
			e := &Encoder{State: &State{Version: v}}
			wire, err := encodeTo(t, e, f)
			require.NoError(t, err)
			require.Len(t, wire, heads[v][i]+1)
			require.Equal(t, sums[i], crc32.ChecksumIEEE([]byte(wire)), "%v %v", v, f)
			plain, err := e.AppendFrame([]byte("before"), f)
			require.NoError(t, err)
			require.Equal(t, "before"+wire, string(plain))
			if v == Version12 {
				ten := wire[:len(wire)-1] + "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x00"
				require.Equal(t, withTen[i], crc32.ChecksumIEEE([]byte(ten)), "%v", f)
			}
			f.Release()
		}
	}
}

func TestEscapedFixturesHaveTheSizesOfTheReference(t *testing.T) {
	heads := []int{57, 112, 205, 363, 627}
	for i, f := range escapedFixtures() {
		wire := wireOf(t, f)
		require.Len(t, wire, heads[i]+1, "%v", f)
		g := decodeAll(t, &Decoder{State: &State{Version: Version12}}, [][]byte{wire})
		require.Equal(t, []plainFrame{{f.Command, f.Headers, ""}}, g.Frames)
		f.Release()
	}
}

// wireOf returns f as 1.2 octets.
func wireOf(tb testing.TB, f *Frame) []byte {
	tb.Helper()
	e := &Encoder{State: &State{Version: Version12}}
	var out buffer.Writer
	out.Reset(nil, e.Size(f))
	if err := e.Encode(&out, f); err != nil {
		tb.Fatal(err)
	}
	m := out.Take()
	defer buffer.Release(m)
	return []byte(flat(m))
}

// decodeOne reads the one frame of wire and drops it.
func decodeOne(tb testing.TB, d *Decoder, wire []byte) {
	tb.Helper()
	in := buffer.Get(len(wire))
	in.Append(wire)
	m, ok, err := d.Decode(in)
	if !ok || err != nil || in.Len() != 0 {
		tb.Fatal("not one frame")
	}
	m.(*Frame).Release()
	in.Release()
}
