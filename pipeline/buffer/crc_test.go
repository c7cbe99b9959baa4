package buffer

import (
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
)

func sumOf(p []byte) uint32 { return crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)) }

func TestCRC32CIsCastagnolis(t *testing.T) {
	leakCheck(t)
	c := ropeOf("123", "456789")
	defer c.Release()
	require.Equal(t, uint32(0xe3069283), c.CRC32C(), "the check value of CRC-32C")
}

func TestCRC32CWithoutTrackingCoversWhatIsLeft(t *testing.T) {
	leakCheck(t)
	c := ropeOf("abc", "def")
	defer c.Release()
	c.Skip(4)
	require.Equal(t, sumOf([]byte("ef")), c.CRC32C())
}

func TestTrackedCRC32CCoversAllThatWasAppended(t *testing.T) {
	leakCheck(t)
	c := NewComposite()
	defer c.Release()
	c.TrackCRC32C()
	require.Zero(t, c.CRC32C())
	c.Append(FromString("ab"))
	c.AppendComposite(ropeOf("cd", "ef"))
	root := FromBytes(digits(600))
	c.AppendSlice(root.Slice(0, 300))
	root.Release()
	want := sumOf(append([]byte("abcdef"), digits(300)...))
	require.Equal(t, want, c.CRC32C())
	c.Skip(3)
	c.Split(2).Release()
	require.Equal(t, want, c.CRC32C(), "consumed bytes stay in the sum")
}

func TestTrackingBeginsWithWhatIsThere(t *testing.T) {
	leakCheck(t)
	c := ropeOf("ab", "cd")
	defer c.Release()
	c.Skip(1)
	c.TrackCRC32C()
	c.TrackCRC32C() // twice changes nothing
	c.Append(FromString("ef"))
	require.Equal(t, sumOf([]byte("bcdef")), c.CRC32C())
}

func TestViewsAndHalvesSumForThemselves(t *testing.T) {
	leakCheck(t)
	c := NewComposite()
	c.TrackCRC32C()
	c.Append(FromString("abcdef"))
	v, front := c.View(), c.Split(2)
	require.Equal(t, sumOf([]byte("abcdef")), v.CRC32C())
	require.Equal(t, sumOf([]byte("ab")), front.CRC32C())
	for _, x := range []*Composite{c, v, front} {
		x.Release()
	}
	fresh := NewComposite()
	fresh.Append(FromString("x"))
	require.Equal(t, sumOf([]byte("x")), fresh.CRC32C(), "a reused header does not track")
	fresh.Skip(1)
	require.Zero(t, fresh.CRC32C())
	fresh.Release()
}
