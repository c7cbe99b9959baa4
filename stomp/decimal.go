package stomp

import "math/bits"

// powers are those of ten; the first is for 0, which has a digit.
var powers = [...]uint64{
	0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

// decimals returns the number of digits of n: 1233/4096 is just above the logarithm of 2.
func decimals(n uint64) int {
	d := bits.Len64(n) * 1233 >> 12
	if n >= powers[d] {
		d++
	}
	return d
}

// putDecimal writes v at dst[n:] and returns where it ends.
func putDecimal(dst []byte, n int, v uint64) int {
	end := n + decimals(v)
	to := dst[n:end]
	for i := len(to) - 1; i >= 0; i-- {
		to[i] = '0' + byte(v%10)
		v /= 10
	}
	return end
}
