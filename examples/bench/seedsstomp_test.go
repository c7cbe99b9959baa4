package main

import (
	"hash/crc32"
	"strings"
	"testing"
	"time"

	gostomp "github.com/go-stomp/stomp/v3/frame"
)

// sums are those of whole frames without a body, and with the body 00..09, escaped as 1.2 demands.
var stompSums = map[string][2]uint32{
	"One": {0x002c12f6, 0xf4485f55}, "Three": {0xaea84617, 0xc3330a73}, "Seven": {0xbc4efb2a, 0x52eb8530},
	"Eleven": {0x7f27ba69, 0xdcde1051}, "Twenty": {0xd9157c2a, 0x811d6464},
}

// go-stomp writes headers in the order in which they were added and escapes like us, so that it has the same sums.
func TestBothGoEncodersWriteTheReferenceOctets(t *testing.T) {
	for _, k := range stompKinds() {
		f := k.frame(0)
		ours, err := ourEncoder(1<<30).AppendFrame(nil, f)
		f.Release()
		if err != nil || crc32.ChecksumIEEE(ours) != stompSums[k.name][0] {
			t.Errorf("%s: ours is %08x, %v", k.name, crc32.ChecksumIEEE(ours), err)
		}
		for i, body := range []string{"", "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09"} {
			var theirs strings.Builder
			g := gostomp.New(k.command, k.headers...)
			g.Body = []byte(body)
			if err := gostomp.NewWriter(&theirs).Write(g); err != nil {
				t.Fatal(err)
			}
			if sum := crc32.ChecksumIEEE([]byte(theirs.String())); sum != stompSums[k.name][i] {
				t.Errorf("%s: go-stomp's is %08x", k.name, sum)
			}
		}
	}
}

func TestEveryStompCellIsMeasured(t *testing.T) {
	for title, cell := range map[string]func(stompKind, int) (*stompCell, []string, error){"encode": encodeCell, "decode": decodeCell} {
		for _, size := range stompSizes {
			for _, k := range stompKinds() {
				c, names, err := cell(k.withSize(size), size)
				if err != nil {
					t.Fatalf("%s %s/%d: %v", title, k.name, size, err)
				}
				c.java = nil
				if err := c.measure(settings{rounds: 2, seconds: time.Microsecond}, nil, names); err != nil {
					t.Fatal(err)
				}
				for _, name := range names {
					if len(c.ns[name]) != 2 || c.ns[name][0] <= 0 {
						t.Errorf("%s %s/%d: %s has %v", title, k.name, size, name, c.ns[name])
					}
				}
				c.print(title, names)
			}
		}
	}
}

func TestTablesAreCutToTheRowsThatAreAskedFor(t *testing.T) {
	if all := list(nil); !all.has("One") || !all.has("0") {
		t.Error("a flag that is not given leaves rows out")
	}
	if some := (list{"One", "Seven"}); !some.has("Seven") || some.has("Three") {
		t.Error("not the rows of the flag")
	}
}
