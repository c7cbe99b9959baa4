package main

import (
	"testing"
	"time"
)

func TestFanOutReachesAllSubscribersInEveryWay(t *testing.T) {
	for _, size := range fanSizes {
		octets := 0
		for _, channels := range []int{0, 1, fanSubscribers} {
			f, err := openFan(channels, size)
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.measure(time.Microsecond)
			if err != nil || r.ns <= 0 {
				t.Fatal(r, err)
			}
			if f.octets < fanSubscribers*size || octets != 0 && f.octets != octets {
				t.Errorf("body %d: %d octets through %d channels, %d in another way", size, f.octets, channels, octets)
			}
			octets = f.octets
			if err := f.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
