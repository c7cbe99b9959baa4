// Command bench compares Penstock's echo over loopback with raw gnet and with package net, in interleaved
// rounds: rates, CPU of the server process, system calls, memory of idle connections.
//
//	cd examples/bench
//	go run . echo                     # 64 B, 16 KiB and 1 MiB, one at a time and pipelined
//	go run . -rounds 7 -seconds 3 echo
//	go run . calls                    # system calls per message (needs strace)
//	go run . short                    # connect, echo, close: server CPU per connection
//	go run . idle                     # resident memory of 10,000 idle connections
//
// Each server runs in a process of its own on one event loop; the load comes from this process. Rounds go
// in ABBA order, with the floor's server once more as an A/A row that shows the noise. Figures print; they
// never fail.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

// settings are the command line's.
type settings struct {
	rounds  int
	seconds time.Duration
	conns   int
}

func main() {
	var s settings
	serve := flag.String("serve", "", "run as a server of this kind and print the address (used by the command itself)")
	flag.IntVar(&s.rounds, "rounds", 7, "interleaved rounds")
	seconds := flag.Float64("seconds", 3, "length of one measurement")
	flag.IntVar(&s.conns, "conns", 10_000, "idle connections")
	flag.Parse()
	s.seconds = time.Duration(*seconds * float64(time.Second))
	if err := command(*serve, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command(serve string, s settings) error {
	if serve != "" {
		return runServer(serve)
	}
	switch flag.Arg(0) {
	case "echo":
		return compareEcho(s)
	case "calls":
		return compareCalls(s)
	case "short":
		return compareShort(s)
	case "idle":
		return measureIdle(s)
	}
	flag.Usage()
	return fmt.Errorf("say echo, calls, short or idle, not %q", flag.Arg(0))
}
