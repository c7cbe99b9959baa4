//go:build race

package main

// maxPeak is how much memory the program may ever have had; the race detector needs several octets for each.
const maxPeak = 160 << 20
