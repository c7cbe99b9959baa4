package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// seedRow is a row of the reference benchmark in both languages.
type seedRow struct {
	group     string // of BenchmarkHTTPHello
	java      string // class and method
	request   string
	pipelined int
}

// name is the row's name in Go, below BenchmarkHTTPHello.
func (r seedRow) name() string {
	if r.pipelined > 1 {
		return r.group + "/Pipeline" + strconv.Itoa(r.pipelined)
	}
	return r.group
}

// seedGroups are the rows; those of one group run in one process in Go.
func seedGroups() [][]seedRow {
	var groups [][]seedRow
	for _, r := range []seedRow{
		{group: "Bare", java: "NettyHello.netty", request: "hello"},
		{group: "App", java: "VertxHello.vertx", request: "hello"},
		{group: "AppChecksOff", java: "VertxHello.vertxOpt", request: "hello"},
		{group: "AppMetricsOn", java: "VertxHello.vertxOptMetricsOn", request: "hello"},
		{group: "LegalHost", java: "NettyHello.netty", request: "legalhost"},
		{group: "ThreeFields", java: "NettyHello.netty", request: "techempower"},
		{group: "Browser", java: "NettyHello.netty", request: "browser"},
	} {
		one, many := r, r
		one.pipelined, many.pipelined = 1, 16
		groups = append(groups, []seedRow{one, many})
	}
	return groups
}

const (
	javaFolder = "java"
	seedBench  = "BenchmarkHTTPHello"
)

// compareSeedsHTTP prints ns/op of the reference benchmark's rows in Java and in Go, and how many times faster ours is.
// Each measurement is one JMH fork and one run of the Go benchmark of the same length, side by side; rounds go in ABBA
// order.
func compareSeedsHTTP(s settings) error {
	dir, err := os.MkdirTemp("", "seeds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	j, err := buildJava(s, dir)
	if err != nil {
		return err
	}
	binary := filepath.Join(dir, "httpx.test")
	if err := run(exec.Command("go", "-C", filepath.Join("..", ".."), "test", "-c", "-o", binary, "./httpx")); err != nil {
		return err
	}
	fmt.Printf("%d rounds of %v, ns per op (16 requests in rows with Pipeline16), times = Java's / ours in the same round: median (min … max)\n",
		s.rounds, s.seconds)
	for _, group := range seedGroups() {
		if err := compareSeedGroup(s, j, binary, group); err != nil {
			return fmt.Errorf("%s: %w", group[0].group, err)
		}
	}
	return nil
}

func compareSeedGroup(s settings, j *javaBench, binary string, rows []seedRow) error {
	java, ours := make([][]float64, len(rows)), make([][]float64, len(rows))
	runJava := func() error {
		for i, r := range rows {
			ns, err := j.run(r, s.seconds)
			if err != nil {
				return err
			}
			java[i] = append(java[i], ns)
		}
		return nil
	}
	runOurs := func() error {
		found, err := runGoBench(binary, rows[0].group, s.seconds)
		if err != nil {
			return err
		}
		for i, r := range rows {
			ns, ok := found[r.name()]
			if !ok {
				return fmt.Errorf("no row %s/%s", seedBench, r.name())
			}
			ours[i] = append(ours[i], ns)
		}
		return nil
	}
	for round := range s.rounds {
		first, second := runJava, runOurs
		if round%2 == 1 {
			first, second = second, first
		}
		if err := errors.Join(first(), second()); err != nil {
			return err
		}
	}
	for i, r := range rows {
		times := make([]float64, s.rounds)
		for n := range times {
			times[n] = java[i][n] / ours[i][n]
		}
		fmt.Printf("  %-26s times %-26s ours %-26s %s %s\n", r.name(), spread(times), spread(ours[i]), r.java, spread(java[i]))
	}
	return nil
}

// runGoBench runs a group of the Go benchmark and returns ns/op of its rows.
func runGoBench(binary, group string, d time.Duration) (map[string]float64, error) {
	cmd := exec.Command(binary, "-test.run", "^$", "-test.bench", "^"+seedBench+"$/^"+group+"$", "-test.benchtime", d.String(),
		"-test.cpu", "1")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", binary, err, out)
	}
	return parseGoBench(string(out)), nil
}

func parseGoBench(out string) map[string]float64 {
	found := make(map[string]float64)
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != "ns/op" {
			continue
		}
		if name, ok := strings.CutPrefix(f[0], seedBench+"/"); ok {
			if ns, err := strconv.ParseFloat(f[2], 64); err == nil {
				found[name] = ns
			}
		}
	}
	return found
}

// javaBench runs the benchmarks of the Maven project.
type javaBench struct {
	classpath, report string
	warmUp            int // seconds of each fork that are not counted
}

// buildJava compiles the project and asks Maven for the class path.
func buildJava(s settings, dir string) (*javaBench, error) {
	paths := filepath.Join(dir, "classpath")
	args := []string{"-q", "-B", "-f", filepath.Join(javaFolder, "pom.xml"), "compile", "dependency:build-classpath", "-Dmdep.outputFile=" + paths}
	if s.netty != "" {
		args = append(args, "-Dnetty.version="+s.netty)
	}
	if err := run(exec.Command("mvn", args...)); err != nil {
		return nil, err
	}
	libraries, err := os.ReadFile(paths)
	if err != nil {
		return nil, err
	}
	classes := filepath.Join(javaFolder, "target", "classes")
	return &javaBench{classes + string(os.PathListSeparator) + string(libraries), filepath.Join(dir, "jmh.json"), s.warmUp}, nil
}

// run measures a row.
func (j *javaBench) run(r seedRow, d time.Duration) (float64, error) {
	return j.measure(r.java, []string{"request=" + r.request, "pipelined=" + strconv.Itoa(r.pipelined)}, d)
}

// measure runs a class's method in one fork and returns ns/op.
func (j *javaBench) measure(method string, params []string, d time.Duration) (float64, error) {
	cmd := exec.Command("java", "-cp", j.classpath, "org.openjdk.jmh.Main", "-f", "1", "-t", "1",
		"-wi", strconv.Itoa(j.warmUp), "-w", "1s", "-i", "1", "-r", strconv.FormatInt(d.Milliseconds(), 10)+"ms",
		"-rf", "json", "-rff", j.report)
	for _, p := range params {
		cmd.Args = append(cmd.Args, "-p", p)
	}
	cmd.Args = append(cmd.Args, method+"$")
	if err := run(cmd); err != nil {
		return 0, err
	}
	report, err := os.ReadFile(j.report)
	if err != nil {
		return 0, err
	}
	return parseJMH(report)
}

// parseJMH reads the score of a report with one benchmark.
func parseJMH(report []byte) (float64, error) {
	var all []struct {
		PrimaryMetric struct {
			Score     float64 `json:"score"`
			ScoreUnit string  `json:"scoreUnit"`
		} `json:"primaryMetric"`
	}
	if err := json.Unmarshal(report, &all); err != nil {
		return 0, err
	}
	if len(all) != 1 || all[0].PrimaryMetric.ScoreUnit != "ns/op" || all[0].PrimaryMetric.Score <= 0 {
		return 0, fmt.Errorf("not one score in ns/op: %s", report)
	}
	return all[0].PrimaryMetric.Score, nil
}

// run runs cmd and shows what it printed when it fails.
func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}
