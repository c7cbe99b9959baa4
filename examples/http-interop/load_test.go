//go:build load

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// start runs the server as a process of its own, so that its memory is told from the test's.
func start(t *testing.T) (addr string) {
	t.Helper()
	program := exec.CommandContext(context.Background(), os.Args[0], "tcp://127.0.0.1:0", folder(t))
	program.Env = append(os.Environ(), asProgram+"=1")
	program.Stderr = t.Output()
	out, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, program.Process.Signal(syscall.SIGTERM))
		require.NoError(t, program.Wait(), "the exit code is 0")
	})
	return strings.Trim(line, "htp:/\n")
}

// liveBytes is the memory that the server uses.
func liveBytes(t *testing.T, addr string) int {
	t.Helper()
	_, text := ask(t, "GET", "http://"+addr+"/memory", nil)
	n, err := strconv.Atoi(strings.TrimSpace(text))
	require.NoError(t, err)
	return n
}

const (
	goodClients = 50
	thinking    = 20 * time.Millisecond // of a good client between two requests
	fast        = 20 * time.Millisecond // what a good client may wait in 99 of 100 cases
	attackers   = 800                   // with the good ones below what one address may have
)

// goodP99 lets the good clients ask for a while and returns what 99 of 100 requests took at most.
func goodP99(t *testing.T, addr string, d time.Duration) time.Duration {
	t.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var clients sync.WaitGroup
	for range goodClients {
		clients.Go(func() {
			took, err := askUntil(addr, time.Now().Add(d))
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			failed = errors.Join(failed, err)
		})
	}
	clients.Wait()
	require.NoError(t, failed)
	require.Greater(t, len(all), goodClients)
	slices.Sort(all)
	return all[len(all)*99/100]
}

// askUntil is a good client: it has one connection.
func askUntil(addr string, end time.Time) (took []time.Duration, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	pause := time.NewTicker(thinking)
	defer pause.Stop()
	for time.Now().Before(end) {
		begin := time.Now()
		if _, err = io.WriteString(conn, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"); err != nil {
			return nil, err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != 200 || string(body) != "5 bytes\n" {
			return nil, errors.Join(err, errors.New(answer.Status+" "+string(body)))
		}
		took = append(took, time.Since(begin))
		<-pause.C
	}
	return took, nil
}

// What slowhttptest reports every few seconds, with colours in between.
var (
	unavailable = regexp.MustCompile(`service available:\W*(\x1b\[\d+m)*NO`)
	endedByUs   = regexp.MustCompile(`closed:\W*(\x1b\[\d+m)*[1-9]|No open connections left`)
)

// attack runs slowhttptest again and again until stop is called, which gives what it printed.
func attack(t *testing.T, args ...string) (stop func() string) {
	t.Helper()
	args = append(args, "-c", strconv.Itoa(attackers), "-r", "200", "-i", "1", "-l", "13", "-p", "3", "-v", "1")
	var printed strings.Builder
	var failed error
	var runs sync.WaitGroup
	enough := make(chan struct{})
	runs.Go(func() {
		for failed == nil {
			out, err := exec.CommandContext(t.Context(), "slowhttptest", args...).CombinedOutput()
			printed.Write(out)
			failed = err
			select {
			case <-enough:
				return
			default: // the attack was over soon
			}
		}
	})
	return func() string {
		close(enough)
		runs.Wait()
		require.NoError(t, failed, printed.String())
		return printed.String()
	}
}

func TestLoadGoodClientsAreServedBesideSlowOnes(t *testing.T) {
	addr := start(t)
	for name, args := range map[string][]string{
		"slow heads":  {"-H", "-u", "http://" + addr + "/hello"},
		"slow bodies": {"-B", "-s", "8192", "-u", "http://" + addr + "/sum"},
		"many ranges": {"-R", "-a", "1", "-b", "3000", "-t", "GET", "-u", "http://" + addr + "/files/lines.bin"},
		"slow reads":  {"-X", "-w", "1", "-y", "40", "-n", "1", "-z", "10", "-u", "http://" + addr + "/files/lines.bin"},
	} {
		t.Run(name, func(t *testing.T) {
			before := liveBytes(t, addr)
			slow := 0
			for ; slow < 3 && !servedBeside(t, addr, args); slow++ {
				t.Log("slow; whatever else the machine does only makes it slower, so the best of three counts")
			}
			require.Less(t, slow, 3)
			after := 0
			require.Eventually(t, func() bool {
				after = liveBytes(t, addr)
				return after < before+returned
			}, 20*time.Second, 100*time.Millisecond, "memory does not return")
			t.Logf("memory: %d KiB before, %d KiB after", before>>10, after>>10)
		})
	}
}

// servedBeside reports whether the good clients were served as fast beside an attack as they should be.
func servedBeside(t *testing.T, addr string, args []string) bool {
	t.Helper()
	alone := goodP99(t, addr, 4*time.Second)
	stop := attack(t, args...)
	attacked := goodP99(t, addr, 9*time.Second)
	during := liveBytes(t, addr)
	printed := stop()
	t.Logf("p99 of good clients: %v alone, %v attacked; memory: %d KiB during", alone, attacked, during>>10)
	require.NotRegexp(t, unavailable, printed)
	require.Contains(t, printed, "service available:")
	if args[0] == "-H" {
		require.Regexp(t, endedByUs, printed, "heads have a deadline of 10 s")
	}
	return attacked <= max(fast, 2*alone)
}

// returned is what the server may keep of an attack: pools.
const returned = 4 << 20
