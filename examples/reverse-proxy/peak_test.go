//go:build !race

package main

// maxPeak is how much memory the program may ever have had, the Go runtime and its own code included.
const maxPeak = 40 << 20
