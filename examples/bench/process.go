package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// server is a child process that runs one kind of server.
type server struct {
	kind, addr string
	cmd        *exec.Cmd
	lines      *bufio.Scanner
}

func start(kind string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "serve", kind)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{kind: kind, cmd: cmd, lines: bufio.NewScanner(out)}
	if s.addr, err = s.line("address "); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// line waits for a line of the server that begins with prefix; gnet logs to the same output.
func (s *server) line(prefix string) (string, error) {
	for s.lines.Scan() {
		if rest, ok := strings.CutPrefix(s.lines.Text(), prefix); ok {
			return rest, nil
		}
	}
	return "", fmt.Errorf("server %s has ended", s.kind)
}

func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	killed := time.AfterFunc(20*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer killed.Stop()
	return s.cmd.Wait()
}

// cpu is the processor time that the process has used.
func (s *server) cpu() (time.Duration, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/schedstat")
	if err == nil {
		if d, err := threadTimes(s.cmd.Process.Pid); err == nil {
			return d, nil
		}
		return time.Duration(firstNumber(string(stat))), nil
	}
	return 0, err
}

// threadTimes adds up the nanoseconds that all threads were on a processor.
func threadTimes(pid int) (time.Duration, error) {
	dir := fmt.Sprintf("/proc/%d/task", pid)
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, t := range tasks {
		stat, err := os.ReadFile(dir + "/" + t.Name() + "/schedstat")
		if err != nil {
			return 0, err
		}
		total += firstNumber(string(stat))
	}
	return time.Duration(total), nil
}

// tick is the unit of times in /proc/PID/stat on Linux.
const tick = 10 * time.Millisecond

// times are the processor time that the process has used, and the part of it outside the kernel. They come from
// /proc/PID/stat, which has those of ended threads too.
func (s *server) times() (all, user time.Duration, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	// The name of the program, in brackets, may have blanks in it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const utime, stime = 11, 12
	if len(fields) <= stime {
		return 0, 0, errors.New("too few fields in /proc/PID/stat")
	}
	user = time.Duration(firstNumber(fields[utime])) * tick
	return user + time.Duration(firstNumber(fields[stime]))*tick, user, nil
}

func firstNumber(s string) int64 {
	n, _ := strconv.ParseInt(strings.Fields(s)[0], 10, 64)
	return n
}

// rss is the resident memory in bytes after a collection.
func (s *server) rss() (int64, error) {
	if err := s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return 0, err
	}
	if _, err := s.line("collected"); err != nil {
		return 0, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return firstNumber(rest) << 10, nil
		}
	}
	return 0, errors.New("no VmRSS in /proc")
}
