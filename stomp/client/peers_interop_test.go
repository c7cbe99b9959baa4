//go:build interop

package client_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// foreign is a broker of somebody else, on 127.0.0.1, as a process of its own.
type foreign struct {
	name    string
	address string
	nacked  string // where messages go that were refused; "" = back to their queue
	start   func() *exec.Cmd
	pid     func() int // of the process that has the sockets

	cmd  *exec.Cmd
	logs string
}

// foreigns are the brokers, running. They end with the test.
func foreigns(t *testing.T) []*foreign {
	t.Helper()
	all := []*foreign{rabbitMQ(t), activeMQ(t)}
	for _, f := range all {
		f.run(t)
	}
	for _, f := range all {
		f.wait(t)
	}
	return all
}

// freePort is a port that nobody listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// rabbitMQ is Debian's rabbitmq-server with its plugin for STOMP, all its files in a folder of the test, and the port mapper
// that Erlang needs, which would stay behind if RabbitMQ started it.
func rabbitMQ(t *testing.T) *foreign {
	t.Helper()
	dir := t.TempDir()
	servers, err := filepath.Glob("/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server")
	require.NoError(t, err)
	require.NotEmpty(t, servers, "rabbitmq-server is not installed")
	f := &foreign{name: "RabbitMQ", address: "127.0.0.1:" + freePort(t)}
	mapper, amqp, dist := freePort(t), freePort(t), freePort(t)
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	env := append(os.Environ(),
		"HOME="+dir, "RABBITMQ_NODENAME=peer@localhost", "RABBITMQ_DIST_PORT="+dist, "RABBITMQ_PID_FILE="+filepath.Join(dir, "pid"),
		"RABBITMQ_MNESIA_BASE="+filepath.Join(dir, "mnesia"), "RABBITMQ_LOG_BASE="+filepath.Join(dir, "log"),
		"RABBITMQ_CONFIG_FILE="+file("rabbitmq.conf", "log.console = false\n"+
			"listeners.tcp.1 = 127.0.0.1:"+amqp+"\nstomp.listeners.tcp.1 = "+f.address+"\n"),
		"RABBITMQ_ENABLED_PLUGINS_FILE="+file("enabled_plugins", "[rabbitmq_stomp].\n"),
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
		"ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT="+mapper)
	epmd := exec.Command("epmd", "-port", mapper, "-address", "127.0.0.1")
	require.NoError(t, epmd.Start())
	t.Cleanup(func() {
		require.NoError(t, epmd.Process.Kill())
		_ = epmd.Wait()
	})
	f.start = func() *exec.Cmd {
		cmd := exec.Command(servers[0])
		cmd.Env = env
		return cmd
	}
	f.pid = func() int {
		text, err := os.ReadFile(filepath.Join(dir, "pid"))
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		return pid
	}
	return f
}

// activeMQ is Debian's ActiveMQ with a connector for STOMP and nothing else.
func activeMQ(t *testing.T) *foreign {
	t.Helper()
	dir := t.TempDir()
	f := &foreign{name: "ActiveMQ", address: "127.0.0.1:" + freePort(t), nacked: "/queue/ActiveMQ.DLQ"}
	f.start = func() *exec.Cmd {
		return exec.Command("java", "-cp", "/usr/share/activemq/lib/*:/usr/share/activemq/lib/optional/*",
			"testdata/interop/ActiveMQ.java", "stomp://"+f.address, dir)
	}
	f.pid = func() int { return f.cmd.Process.Pid }
	return f
}

// run starts the process.
func (f *foreign) run(t *testing.T) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer out.Close()
	f.logs = out.Name()
	f.cmd = f.start()
	f.cmd.Stdout, f.cmd.Stderr = out, out
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a ^C is for the test
	require.NoError(t, f.cmd.Start())
	cmd := f.cmd
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			f.stop(t)
		}
	})
}

// wait returns when the broker accepts connections.
func (f *foreign) wait(t *testing.T) {
	t.Helper()
	ready := func() bool {
		conn, err := net.Dial("tcp", f.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	if !eventually(ready, 90*time.Second) {
		text, _ := os.ReadFile(f.logs)
		require.FailNow(t, f.name+" does not listen", "%s", text)
	}
}

// stop ends the process as its administrator would, and waits for that.
func (f *foreign) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, f.cmd.Process.Signal(syscall.SIGTERM))
	kill := time.AfterFunc(30*time.Second, func() { _ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL) })
	_ = f.cmd.Wait() // a program that a signal has ended
	require.True(t, kill.Stop(), "%s did not end", f.name)
}

// signal sends one to the process that has the sockets.
func (f *foreign) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	require.NoError(t, syscall.Kill(f.pid(), s), fmt.Sprint(s))
}

// eventually asks until the answer is yes or the time is over.
func eventually(yes func() bool, within time.Duration) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.NewTimer(within)
	defer end.Stop()
	for !yes() {
		select {
		case <-tick.C:
		case <-end.C:
			return yes()
		}
	}
	return true
}
