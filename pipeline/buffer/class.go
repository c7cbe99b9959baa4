package buffer

import "math/bits"

// Size classes: 64, 128, 256, then every power of two from 512 to 1 MiB, each but the last followed by itself plus one
// eighth. Network messages are a power of two plus a header; without the step each of them would take twice its size.
const (
	minClassBits  = 6                                              // 64 B
	stepClassBits = 9                                              // 512 B, the first class with a header step
	maxClassBits  = 20                                             // 1 MiB
	stepClass     = stepClassBits - minClassBits                   // index of 512 B
	classCount    = stepClass + 2*(maxClassBits-stepClassBits) + 1 // 26
	maxPooled     = 1 << maxClassBits                              // larger requests are plain memory
	unpooled      = -1                                             // class of memory that belongs to no class
)

// classOf returns the index of the smallest class that holds n bytes, or unpooled above 1 MiB.
func classOf(n int) int {
	if n <= 1<<minClassBits {
		return 0
	}
	if n > maxPooled {
		return unpooled
	}
	up := bits.Len(uint(n - 1)) // the power of two at or above n
	if up <= stepClassBits {
		return up - minClassBits
	}
	class := stepClass + 2*(up-stepClassBits)
	below := 1 << (up - 1)
	if n <= below+below>>3 {
		class-- // the step above the power of two below
	}
	return class
}

// classSize returns the bytes of a buffer of class c.
func classSize(c int) int {
	if c < stepClass {
		return 1 << (minClassBits + c)
	}
	c -= stepClass
	size := 1 << (stepClassBits + c>>1)
	return size + c&1*(size>>3)
}
