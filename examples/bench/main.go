// Command bench compares Penstock with its peers over loopback and in one process, in interleaved rounds: rates, CPU of
// the server process, system calls, memory of idle connections, time per operation.
//
//	cd examples/bench
//	go run . echo                     # 64 B, 16 KiB and 1 MiB, one at a time and pipelined
//	go run . echo -rounds 7 -seconds 3
//	go run . calls                    # system calls per message (needs strace)
//	go run . short                    # connect, echo, close: server CPU per connection
//	go run . idle                     # resident memory of 10,000 idle connections
//	go run . http                     # HTTP plaintext against net/http, fasthttp, nbio, hertz, go-netty, gnet (needs wrk)
//	go run . http -conns 64 -pipeline 16 -peers fasthttp,gnet
//	go run . httpcodec                # HTTP parsing and writing against fasthttp and net/http, in one process
//	go run . seeds-http               # the reference benchmark on Netty and Vert.x (needs mvn and java)
//	go run . seeds-stomp              # STOMP frames against go-stomp and, where mvn is found, Netty
//	go run . seeds-stomp -kinds Seven -sizes 0,1000 -rounds 3 -seconds 1 -warmup 2 # a part of what takes two hours
//	go run . fanout                   # one STOMP message to 1,000 subscribers on embedded channels
//	go run . stomp-slow               # one STOMP subscriber that reads 10 KB/s among 100: the others' latency, each policy
//	go run . serve http-penstock      # one of the servers, until it is interrupted
//
// Each server runs in a process of its own on one event loop and one processor; the load comes from this process or
// from wrk. Rounds go in ABBA order, with one server twice as an A/A row that shows the noise. Figures print; they never
// fail.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are the command line's.
type settings struct {
	rounds   int
	seconds  time.Duration
	conns    list
	pipeline list
	peers    list
	netty    string
	kinds    list
	sizes    list
	warmUp   int
}

// list is a flag with values between commas; empty = the command's own default.
type list []string

// String is the values with commas.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set takes the values.
func (l *list) Set(s string) error {
	*l = strings.Split(s, ",")
	return nil
}

// has reports whether v is among the values, or there are none.
func (l list) has(v string) bool { return len(l) == 0 || slices.Contains(l, v) }

// numbers are the values as positive numbers, or those by default when there are none.
func (l list) numbers(byDefault ...int) ([]int, error) {
	if len(l) == 0 {
		return byDefault, nil
	}
	numbers := make([]int, len(l))
	for i, s := range l {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no positive number", s)
		}
		numbers[i] = n
	}
	return numbers, nil
}

func main() {
	var s settings
	flag.IntVar(&s.rounds, "rounds", 7, "interleaved rounds")
	seconds := flag.Float64("seconds", 3, "length of one measurement")
	flag.Var(&s.conns, "conns", "connections: idle 10000, http 64,512")
	flag.Var(&s.pipeline, "pipeline", "requests sent at once, for http (default 1,16)")
	flag.Var(&s.peers, "peers", "servers to compare with, for http (default all)")
	flag.StringVar(&s.netty, "netty", "", "version of Netty, for seeds-http and seeds-stomp (default that of java/pom.xml)")
	flag.Var(&s.kinds, "kinds", "rows of seeds-stomp, such as One,Seven (default all)")
	flag.Var(&s.sizes, "sizes", "body lengths of seeds-stomp, such as 0,1000 (default all)")
	flag.IntVar(&s.warmUp, "warmup", 5, "seconds of each run of JMH that are not counted; fewer than 5 make Java slower than it is")
	flag.Parse()
	name := flag.Arg(0)
	if name != "" { // flags may stand behind the command too
		_ = flag.CommandLine.Parse(flag.Args()[1:]) // exits when it fails
	}
	s.seconds = time.Duration(*seconds * float64(time.Second))
	if err := command(name, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command(name string, s settings) error {
	switch name {
	case "serve":
		return runServer(flag.Arg(0))
	case "echo":
		return compareEcho(s)
	case "calls":
		return compareCalls(s)
	case "short":
		return compareShort(s)
	case "idle":
		return measureIdle(s)
	case "http":
		return compareHTTP(s)
	case "seeds-http":
		return compareSeedsHTTP(s)
	case "seeds-stomp":
		return compareSeedsStomp(s)
	case "fanout":
		return compareFanOut(s)
	case "stomp-slow":
		return compareStompSlow(s)
	case "httpcodec":
		return compareHTTPCodecs(s)
	}
	flag.Usage()
	return fmt.Errorf("say echo, calls, short, idle, http, httpcodec, seeds-http, seeds-stomp, fanout, stomp-slow or serve, not %q", name)
}
