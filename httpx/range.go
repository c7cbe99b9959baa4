package httpx

import (
	"bytes"
	"math"
	"strconv"
)

// ByteRange is a part of a representation: Length octets from Start on. RFC 9110, 14.1.2.
type ByteRange struct{ Start, Length int64 }

// MaxRanges is how many ranges one request may ask for; one that asks for more gets everything. RFC 9110, 14.2 and 17.15.
const MaxRanges = 16

// RangeVerdict says how a Range field is answered.
type RangeVerdict uint8

// The verdicts of ParseRange.
const (
	RangeWhole       RangeVerdict = iota // not at all: 200 with everything
	RangeParts                           // 206 with the ranges
	RangeUnsatisfied                     // 416 with Content-Range: bytes */size
)

// ParseRange appends to dst the ranges that the value of a Range field asks for of size octets, each within size and in
// the order asked. Ranges that begin behind the end are left out; when none is left the verdict is RangeUnsatisfied. A
// value of another grammar or unit, more than MaxRanges, and ranges that are together longer than size are
// RangeWhole. nil is RangeWhole. Safe for concurrent use. RFC 9110, 14.1.1, 14.1.2 and 14.2.
func ParseRange(dst []ByteRange, value []byte, size int64) ([]ByteRange, RangeVerdict) {
	const unit = "bytes="
	if len(value) < len(unit) || !equalFold(value[:len(unit)], unit) {
		return dst, RangeWhole
	}
	first := len(dst)
	asked, total := 0, int64(0)
	var spec []byte
	for list := value[len(unit):]; len(list) > 0; {
		if spec, list = nextElement(list); len(spec) == 0 {
			continue
		}
		r, ok := parseRangeSpec(spec, size)
		asked++
		if !ok || asked > MaxRanges {
			return dst[:first], RangeWhole
		}
		if r.Length == 0 {
			continue
		}
		if total += r.Length; total > size {
			return dst[:first], RangeWhole
		}
		dst = append(dst, r)
	}
	switch {
	case asked == 0:
		return dst, RangeWhole
	case len(dst) == first:
		return dst, RangeUnsatisfied
	}
	return dst, RangeParts
}

// parseRangeSpec reads first "-" [ last ] or "-" suffix; the length is 0 when nothing of it is there.
func parseRangeSpec(spec []byte, size int64) (r ByteRange, ok bool) {
	before, after, ok := bytes.Cut(spec, []byte{'-'})
	if !ok || len(before) == 0 && len(after) == 0 {
		return r, false
	}
	if len(before) == 0 {
		suffix, ok := parsePosition(after)
		suffix = min(suffix, size)
		return ByteRange{size - suffix, suffix}, ok
	}
	start, ok := parsePosition(before)
	last := int64(math.MaxInt64)
	if ok && len(after) > 0 {
		last, ok = parsePosition(after)
	}
	if !ok || last < start {
		return r, false
	}
	if start >= size {
		return r, true
	}
	return ByteRange{start, min(last, size-1) - start + 1}, true
}

// parsePosition reads 1*DIGIT; what is beyond an int64 is the largest one, which no representation reaches.
func parsePosition(b []byte) (n int64, ok bool) {
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
		digit := int64(c - '0')
		if n > (math.MaxInt64-digit)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + digit
	}
	return n, len(b) > 0
}

// AppendContentRange appends the value of the Content-Range field for r out of size octets: "bytes 0-4/10".
// RFC 9110, 14.4.
func (r ByteRange) AppendContentRange(dst []byte, size int64) []byte {
	dst = strconv.AppendInt(append(dst, "bytes "...), r.Start, 10)
	dst = strconv.AppendInt(append(dst, '-'), r.Start+r.Length-1, 10)
	return strconv.AppendInt(append(dst, '/'), size, 10)
}
