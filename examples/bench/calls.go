package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// compareCalls counts the system calls of each server per message, by strace.
func compareCalls(s settings) error {
	if _, err := exec.LookPath("strace"); err != nil {
		return err
	}
	for _, sh := range shapes {
		for _, kind := range []string{kindGnet, kindPenstock, kindNet} {
			if err := countCalls(s, sh, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

func countCalls(s settings, sh shape, kind string) (err error) {
	srv, err := start(kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, srv.stop()) }()
	file, err := os.CreateTemp("", "strace")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // a temporary file
	if _, err := sh.run(srv.addr, s.seconds/10); err != nil {
		return err
	}
	trace := exec.Command("strace", "-f", "-c", "-o", file.Name(), "-p", strconv.Itoa(srv.cmd.Process.Pid))
	attached, err := trace.StderrPipe()
	if err != nil {
		return err
	}
	if err := trace.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(attached)
	lines.Scan() // "strace: Process … attached"
	go func() {
		for lines.Scan() { // one line for each thread
		}
	}()
	n, err := sh.run(srv.addr, s.seconds)
	if err := errors.Join(err, trace.Process.Signal(syscall.SIGINT)); err != nil {
		return err
	}
	_ = trace.Wait() // it ends by the signal
	calls, text, err := readCounts(file)
	if err != nil {
		return err
	}
	fmt.Printf("%-10s %-9s %.3f system calls per message (%d messages in %v): %s\n", sh.name, kind,
		float64(calls)/float64(n), n, s.seconds.Round(time.Millisecond), text)
	return nil
}

// socketCalls are those that a server makes for its messages. The others are the Go runtime's: its monitor
// sleeps and wakes by the clock, whatever the server does.
var socketCalls = []string{
	"read", "write", "readv", "writev", "recvfrom", "sendto", "epoll_wait", "epoll_pwait", "epoll_ctl", "sendfile", "shutdown",
}

// readCounts adds up strace's table and lists the calls that count.
func readCounts(file *os.File) (total int64, text string, err error) {
	table, err := os.ReadFile(file.Name())
	if err != nil {
		return 0, "", err
	}
	var parts []string
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) < 5 || f[len(f)-1] == "total" {
			continue
		}
		n, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			continue // head line
		}
		if !slices.Contains(socketCalls, f[len(f)-1]) {
			continue
		}
		total += n
		parts = append(parts, f[len(f)-1]+" "+f[3])
	}
	return total, strings.Join(parts, ", "), nil
}
