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

// httpPath is what the load asks for.
const httpPath = "/plaintext"

// pipelineScript lets wrk send the same request several times at once, as often as its argument says, and wait for all
// the answers.
const pipelineScript = `init = function(args)
  local one = wrk.format()
  local all = {}
  for i = 1, tonumber(args[1]) do all[i] = one end
  batch = table.concat(all)
end
request = function() return batch end
`

func writeScript() (name string, err error) {
	f, err := os.CreateTemp("", "wrk*.lua")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(pipelineScript)
	return f.Name(), errors.Join(err, f.Close())
}

// httpLoad is what wrk says of a run.
type httpLoad struct {
	requests int64
	rate     float64
}

// runWrk loads addr for d, which wrk takes in whole seconds.
func runWrk(addr string, c httpCase, d time.Duration, script string) (httpLoad, error) {
	seconds := int(max(d.Round(time.Second)/time.Second, 1))
	args := []string{"-t1", fmt.Sprintf("-c%d", c.conns), fmt.Sprintf("-d%ds", seconds), "http://" + addr + httpPath}
	if c.pipelined > 1 {
		args = append([]string{"-s", script}, append(args, "--", strconv.Itoa(c.pipelined))...)
	}
	out, err := exec.Command("wrk", args...).CombinedOutput()
	if err != nil {
		return httpLoad{}, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	return parseWrk(string(out))
}

// parseWrk reads wrk's report. Requests that failed are an error: a server that drops some is not to be compared.
func parseWrk(report string) (l httpLoad, err error) {
	for line := range strings.Lines(report) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, " requests in "):
			l.requests, err = strconv.ParseInt(strings.Fields(line)[0], 10, 64)
		case strings.HasPrefix(line, "Requests/sec:"):
			l.rate, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(line, "Requests/sec:")), 64)
		case strings.HasPrefix(line, "Socket errors:"), strings.HasPrefix(line, "Non-2xx"):
			err = errors.New("wrk: " + line)
		}
		if err != nil {
			return l, err
		}
	}
	if l.requests == 0 || l.rate == 0 {
		return l, fmt.Errorf("wrk counted nothing:\n%s", report)
	}
	return l, nil
}
