//go:build interop

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrkFindsNoFault(t *testing.T) {
	url := "http://" + serve(t)
	for name, args := range map[string][]string{
		"one by one": {url + "/hello"},
		"chunks":     {url + "/stream?pieces=10"},
		"pipelined":  {"-s", "testdata/pipeline.lua", url + "/hello"},
	} {
		t.Run(name, func(t *testing.T) {
			out := output(t, "wrk", append([]string{"-t", "1", "-c", "16", "-d", "1s"}, args...)...)
			require.NotContains(t, out, "Socket errors")
			require.NotContains(t, out, "Non-2xx")
			require.Regexp(t, `[1-9]\d* requests in `, out)
		})
	}
}

func TestApacheBenchFindsNoFault(t *testing.T) {
	url := "http://" + serve(t)
	path, _ := upload(t)
	for name, c := range map[string]struct {
		args []string
		kept string
	}{
		"closing":          {[]string{url + "/hello"}, ""},
		"keep-alive":       {[]string{"-k", url + "/hello"}, "1000"},
		"HEAD":             {[]string{"-k", "-i", url + "/hello"}, "1000"},
		"posting":          {[]string{"-k", "-n", "50", "-p", path, "-T", "text/plain", url + "/sum"}, "50"},
		"until the close":  {[]string{url + "/stream?pieces=10"}, ""},
		"streams kept not": {[]string{"-k", url + "/stream?pieces=10"}, "0"}, // HTTP/1.0 has no chunks: the end is the close
	} {
		t.Run(name, func(t *testing.T) {
			out := output(t, "ab", append([]string{"-q", "-n", "1000", "-c", "16"}, c.args...)...)
			require.Regexp(t, `Failed requests: +0\n`, out)
			require.NotContains(t, out, "Non-2xx")
			require.NotContains(t, out, "Write errors: +[1-9]")
			if c.kept != "" {
				require.Regexp(t, `Keep-Alive requests: +`+c.kept+`\n`, out)
			}
		})
	}
}
