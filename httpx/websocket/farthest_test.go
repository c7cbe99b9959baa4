package websocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This file reads DEFLATE (RFC 1951) as slowly and plainly as possible, to see how far back a stream refers: the libraries
// do not tell.

// bitReader gives the bits of a stream.
type bitReader struct {
	p  string
	at int // in bits
}

func (r *bitReader) bits(n int) int {
	v := 0
	for i := range n {
		v |= int(r.p[r.at>>3]>>(r.at&7)&1) << i
		r.at++
	}
	return v
}

// code is one prefix code by its length and value.
type code struct{ length, value int }

// codes assigns values to lengths. RFC 1951, 3.2.2.
func codes(lengths []int) map[code]int {
	var count, next [17]int
	for _, n := range lengths {
		if n > 0 {
			count[n]++
		}
	}
	value := 0
	for n := 1; n <= 15; n++ {
		value = (value + count[n-1]) << 1
		next[n] = value
	}
	table := map[code]int{}
	for symbol, n := range lengths {
		if n > 0 {
			table[code{n, next[n]}] = symbol
			next[n]++
		}
	}
	return table
}

func (r *bitReader) symbol(table map[code]int) int {
	c := code{}
	for {
		c = code{c.length + 1, c.value<<1 | r.bits(1)}
		if s, ok := table[c]; ok {
			return s
		}
		if c.length > 15 {
			return -1
		}
	}
}

// dynamic reads the codes of a block. RFC 1951, 3.2.7.
func (r *bitReader) dynamic() (literals, distances map[code]int) {
	n, d, k := r.bits(5)+257, r.bits(5)+1, r.bits(4)+4
	lengths := make([]int, 19)
	order := []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	for _, i := range order[:k] {
		lengths[i] = r.bits(3)
	}
	table := codes(lengths)
	var all []int
	for len(all) < n+d {
		value, times := 0, 1
		switch s := r.symbol(table); s {
		case 16:
			value, times = all[len(all)-1], 3+r.bits(2)
		case 17:
			times = 3 + r.bits(3)
		case 18:
			times = 11 + r.bits(7)
		default:
			value = s
		}
		for range times {
			all = append(all, value)
		}
	}
	return codes(all[:n]), codes(all[n:])
}

// fixed are the codes of RFC 1951, 3.2.6.
func fixed() (literals, distances map[code]int) {
	n, d := make([]int, 288), make([]int, 30)
	for i := range n {
		switch {
		case i < 144, i >= 280:
			n[i] = 8
		case i < 256:
			n[i] = 9
		default:
			n[i] = 7
		}
	}
	for i := range d {
		d[i] = 5
	}
	return codes(n), codes(d)
}

// farthest is the greatest distance in a message without its marker.
func farthest(t *testing.T, payload string) int {
	t.Helper()
	r := &bitReader{p: payload + endOfMessage}
	most := 0
	for final := false; !final; {
		final = r.bits(1) == 1
		var literals, distances map[code]int
		switch r.bits(2) {
		case 0:
			r.at = (r.at + 7) &^ 7
			n := r.bits(16)
			r.at += 16 + 8*n
			continue
		case 1:
			literals, distances = fixed()
		case 2:
			literals, distances = r.dynamic()
		default:
			require.Fail(t, "reserved block type")
		}
		for {
			s := r.symbol(literals)
			require.GreaterOrEqual(t, s, 0)
			if s == 256 {
				break
			}
			if s < 256 {
				continue
			}
			if s >= 265 && s < 285 {
				r.bits((s - 261) / 4)
			}
			d := r.symbol(distances)
			base := d + 1
			if d >= 4 {
				extra := d/2 - 1
				base = (2+d&1)<<extra + 1 + r.bits(extra)
			}
			most = max(most, base)
		}
	}
	return most
}
