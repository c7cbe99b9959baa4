package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// stompCell is one cell of a table: what each peer needs, in nanoseconds per frame and round.
type stompCell struct {
	kind stompKind
	size int
	ops  []stompOp // beside names
	java []javaRow
	ns   map[string][]float64
}

// javaRow is a peer that JMH measures.
type javaRow struct {
	name   string
	method string // class and method
	params []string
}

// compareSeedsStomp prints the reference benchmark's table, encoded and decoded, for ours, go-stomp and, where mvn is
// found, netty-codec-stomp by JMH. Rounds go in ABBA order; every Java measurement is a fork of its own.
func compareSeedsStomp(s settings) error {
	var j *javaBench
	if _, err := exec.LookPath("mvn"); err == nil {
		dir, err := os.MkdirTemp("", "seeds")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		if j, err = buildJava(s, dir); err != nil {
			return err
		}
	}
	fmt.Printf("%d rounds of %v, ns per frame, times = the peer's / ours in the same round: median (min … max)\n", s.rounds, s.seconds)
	if j == nil {
		fmt.Println("mvn is not found: without Netty")
	}
	if err := compareStompTable(s, j, "encode", encodeCell); err != nil {
		return err
	}
	return compareStompTable(s, j, "decode", decodeCell)
}

func compareStompTable(s settings, j *javaBench, title string, cell func(stompKind, int) (*stompCell, []string, error)) error {
	fmt.Println(title)
	for _, size := range stompSizes {
		for _, kind := range stompKinds() {
			if !s.kinds.has(kind.name) || !s.sizes.has(strconv.Itoa(size)) {
				continue
			}
			c, names, err := cell(kind.withSize(size), size)
			if err != nil {
				return fmt.Errorf("%s/%d: %w", kind.name, size, err)
			}
			if j == nil {
				c.java = nil
			}
			if err := c.measure(s, j, names); err != nil {
				return fmt.Errorf("%s/%d: %w", kind.name, size, err)
			}
			c.print(title, names)
		}
	}
	return nil
}

// encodeCell opens the encoders and checks that all write the same octets, or as many as the same.
func encodeCell(k stompKind, size int) (*stompCell, []string, error) {
	c := &stompCell{kind: k, size: size, ns: make(map[string][]float64)}
	var names []string
	want := -1
	for _, e := range stompEncoders {
		op := e.open(k, size)
		n, err := op()
		if err != nil || want >= 0 && n != want {
			return nil, nil, errors.Join(err, fmt.Errorf("%s wrote %d octets, not %d", e.name, n, want))
		}
		want = n
		names, c.ops = append(names, e.name), append(c.ops, op)
	}
	for _, pooled := range []string{"true", "false"} {
		name := "netty pooled"
		if pooled == "false" {
			name = "netty heap"
		}
		c.java = append(c.java, javaRow{name, "NettyStomp.encode", []string{
			"kind=" + k.name, "size=" + strconv.Itoa(size), "pooled=" + pooled, "rearmed=true",
		}})
	}
	// as it was published: from its second op on the body is empty
	c.java = append(c.java, javaRow{"netty as published", "NettyStomp.encode", []string{
		"kind=" + k.name, "size=" + strconv.Itoa(size), "pooled=true", "rearmed=false",
	}})
	return c, names, nil
}

// decodeCell opens the decoders on the octets that ours writes.
func decodeCell(k stompKind, size int) (*stompCell, []string, error) {
	c := &stompCell{kind: k, size: size, ns: make(map[string][]float64)}
	f := k.frame(size)
	defer f.Release()
	e := ourEncoder(1 << 30)
	e.Length = 0 // with a content-length
	wire, err := e.AppendFrame(nil, f)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, d := range stompDecoders {
		op := d.open(wire)
		if n, err := op(); err != nil || n != size {
			return nil, nil, errors.Join(err, fmt.Errorf("%s read a body of %d octets, not %d", d.name, n, size))
		}
		names, c.ops = append(names, d.name), append(c.ops, op)
	}
	c.java = []javaRow{{"netty pooled", "NettyStomp.decode", []string{
		"kind=" + k.name, "size=" + strconv.Itoa(size), "pooled=true", "rearmed=true",
	}}}
	return c, names, nil
}

func (c *stompCell) measure(s settings, j *javaBench, names []string) error {
	steps := make([]func() error, 0, len(names)+len(c.java))
	for i, name := range names {
		steps = append(steps, func() error {
			ns, err := timeOp(c.ops[i], s.seconds)
			c.ns[name] = append(c.ns[name], ns)
			return err
		})
	}
	for _, row := range c.java {
		steps = append(steps, func() error {
			ns, err := j.measure(row.method, row.params, s.seconds)
			c.ns[row.name] = append(c.ns[row.name], ns)
			return err
		})
	}
	for round := range s.rounds {
		for i := range steps {
			if round%2 == 1 {
				i = len(steps) - 1 - i
			}
			if err := steps[i](); err != nil {
				return err
			}
		}
	}
	return nil
}

// timeOp runs op for about d and returns nanoseconds per op.
func timeOp(op stompOp, d time.Duration) (float64, error) {
	n := 0
	began := time.Now()
	for time.Since(began) < d {
		for range 1000 {
			if _, err := op(); err != nil {
				return 0, err
			}
		}
		n += 1000
	}
	return float64(time.Since(began)) / float64(n), nil
}

// stompAim is how many times faster than each peer ours is to be.
func stompAim(title, name string, size int) (ours string, aim float64) {
	large := size >= 10_000
	switch {
	case title == "decode" && name == "go-stomp":
		return "pooled", 8
	case title == "decode":
		return "pooled", 0
	case name == "go-stomp" && !large:
		return "pooled", 1.5
	case name == "netty pooled" && !large:
		return "pooled", 5
	case name == "netty pooled":
		return "pooled", 3
	case name == "netty heap":
		return "heap", 0
	}
	return "pooled", 0
}

func (c *stompCell) print(title string, names []string) {
	fmt.Printf("  %s/%d\n", c.kind.name, c.size)
	for _, row := range c.java {
		names = append(names, row.name)
	}
	for _, name := range names {
		line := fmt.Sprintf("    %-18s ns %s", name, spread(c.ns[name]))
		if name == "go-stomp" || strings.HasPrefix(name, "netty") {
			ours, aim := stompAim(title, name, c.size)
			line += "  times " + spread(ratios(c.ns[name], c.ns[ours])) + " of " + ours
			if aim > 0 {
				line += fmt.Sprintf(" (aim %g)", aim)
			}
			if title == "encode" && name == "netty pooled" && c.size >= 10_000 {
				line += ", " + spread(ratios(c.ns[name], c.ns["by reference"])) + " of by reference (aim 5)"
			}
		}
		fmt.Println(line)
	}
}

// ratios divides round by round.
func ratios(peer, ours []float64) []float64 {
	r := make([]float64, len(ours))
	for i := range ours {
		r[i] = peer[i] / ours[i]
	}
	return r
}
