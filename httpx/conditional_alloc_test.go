//go:build !race && !bufdebug

package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConditionsRangesAndCookiesCostNoAllocation(t *testing.T) {
	r := decodeHead(t, getWith(`If-None-Match: "b", W/"c"`, "If-Modified-Since: "+atOne, "Range: bytes=0-4,-5", `If-Range: "a"`, "Cookie: a=b; c=d; e=f"))
	defer r.Release()
	var ranges [MaxRanges]ByteRange
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n += version.Check(r) + len(r.Cookie("e"))
		if version.AllowsRange(&r.Header) {
			parts, _ := ParseRange(ranges[:0], r.Header.Get("range"), 100)
			n += len(parts)
		}
	}))
	require.NotZero(t, n)
}

func TestReadingMediaTypesCostsNoAllocation(t *testing.T) {
	value := []byte("text/html; charset=utf-8; q=\"a b\"")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if m, err := ParseMediaType(value); err != nil || !m.Is("text/html") {
			t.Fatal("not read")
		}
	}))
}
