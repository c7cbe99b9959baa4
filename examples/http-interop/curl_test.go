//go:build interop

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sumOf(body string) string { return fmt.Sprintf("%d %x\n", len(body), sha256.Sum256([]byte(body))) }

// upload is a file of more than a megabyte.
func upload(t *testing.T) (path, body string) {
	t.Helper()
	body = strings.Repeat("Twelve times a thousand octets make an upload. ", 30_000)
	path = filepath.Join(t.TempDir(), "upload")
	require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	return path, body
}

func TestCurlGetsAnswersOfBothVersions(t *testing.T) {
	url := "http://" + serve(t)
	require.Equal(t, "hello\n1.1 200\n", output(t, "curl", "-sS", "-w", "%{http_version} %{http_code}\n", url+"/hello"))
	old := output(t, "curl", "-sS", "-0", "-i", url+"/hello")
	require.True(t, strings.HasSuffix(old, "\r\n\r\nhello\n"), old)
	old = output(t, "curl", "-sS", "-0", "-i", url+"/stream?pieces=2")
	require.NotContains(t, old, "chunked")
	require.True(t, strings.HasSuffix(old, "\r\n\r\npiece 0\npiece 1\n"), old)
}

func TestCurlKeepsOneConnection(t *testing.T) {
	url := "http://" + serve(t)
	args := []string{"-sS", "-w", "%{http_code} %{num_connects}\n"}
	for _, path := range []string{"/hello", "/stream?pieces=3", "/none", "/early", "/hello"} {
		args = append(args, "-o", "/dev/null", url+path)
	}
	require.Equal(t, "200 1\n200 0\n404 0\n200 0\n200 0\n", output(t, "curl", args...))
}

func TestCurlSeesHeadsOnly(t *testing.T) {
	url := "http://" + serve(t)
	out := output(t, "curl", "-sS", "-I", url+"/hello", "-I", url+"/stream?pieces=3")
	require.Equal(t, 2, strings.Count(out, "HTTP/1.1 200 OK\r\n"), out)
	require.Contains(t, out, "Content-Length: 6\r\n")
	require.NotContains(t, out, "piece")
}

func TestCurlWaitsForContinueBeforeItUploads(t *testing.T) {
	url := "http://" + serve(t)
	path, body := upload(t)
	out := output(t, "curl", "-sS", "-v", "-T", path, "-H", "Expect: 100-continue", "--expect100-timeout", "30", url+"/sum")
	require.Contains(t, out, "< HTTP/1.1 100 Continue")
	require.Contains(t, out, "< HTTP/1.1 200 OK")
	require.Contains(t, out, sumOf(body))
}

func TestCurlIsRefusedBeforeItUploads(t *testing.T) {
	url := "http://" + serve(t)
	path, _ := upload(t)
	out := output(t, "curl", "-sS", "-T", path, "-H", "Expect: 100-continue", "--expect100-timeout", "30",
		"-o", "/dev/null", "-w", "%{http_code} %{size_upload}\n", url+"/small")
	require.Equal(t, "413 0\n", out)
}

func TestCurlUploadsInChunks(t *testing.T) {
	url := "http://" + serve(t)
	_, body := upload(t)
	require.Equal(t, sumOf(body), outputFed(t, body, "curl", "-sS", "-T", "-", url+"/sum"))
	require.Equal(t, body, outputFed(t, body, "curl", "-sS", "-X", "POST", "-T", "-", url+"/echo"))
	require.Equal(t, "100 bytes\n", outputFed(t, body[:100], "curl", "-sS", "-X", "POST", "--data-binary", "@-", url+"/small"))
}

func TestCurlGetsRanges(t *testing.T) {
	url := "http://" + serve(t)
	whole := output(t, "curl", "-sS", url+"/files/lines.bin")
	require.Len(t, whole, fileSize)
	for _, c := range []struct{ ranges, want string }{
		{"0-99", whole[:100]},
		{"100-", whole[100:]},
		{"-5", whole[fileSize-5:]},
		{"500000-500000", whole[500000:500001]},
	} {
		require.Equal(t, c.want, output(t, "curl", "-sS", "-f", "-r", c.ranges, url+"/files/lines.bin"), c.ranges)
	}
	require.Equal(t, "206", output(t, "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-r", "0-9", url+"/files/lines.bin"))
	require.Equal(t, "416", output(t, "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-r", "9999999-", url+"/files/lines.bin"))
}

func TestCurlResumesADownload(t *testing.T) {
	url := "http://" + serve(t)
	whole := output(t, "curl", "-sS", url+"/files/lines.bin")
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(whole[:300_000]), 0o600))
	output(t, "curl", "-sS", "-f", "-C", "-", "-o", path, url+"/files/lines.bin")
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, whole, string(got))
}

func TestCurlGetsSeveralRangesAtOnce(t *testing.T) {
	url := "http://" + serve(t)
	out := output(t, "curl", "-sS", "-f", "-i", "-r", "0-15,32-47", url+"/files/lines.bin")
	require.Contains(t, out, "multipart/byteranges")
	for _, part := range []string{fileText[:16], fileText[32:48], "bytes 0-15/1048576", "bytes 32-47/1048576"} {
		require.Contains(t, out, part)
	}
	require.NotContains(t, out, fileText[16:32])
}

func TestCurlAsksWhetherAFileHasChanged(t *testing.T) {
	url := "http://" + serve(t)
	folder := t.TempDir()
	tag, file := filepath.Join(folder, "tag"), filepath.Join(folder, "file")
	require.Equal(t, "200 1048576", output(t, "curl", "-sS", "--etag-save", tag, "-o", file, "-w", "%{http_code} %{size_download}", url+"/files/lines.bin"))
	require.Equal(t, "304 0", output(t, "curl", "-sS", "--etag-compare", tag, "-o", "/dev/null", "-w", "%{http_code} %{size_download}", url+"/files/lines.bin"))
	require.Equal(t, "304", output(t, "curl", "-sS", "-z", "Thu, 31 Dec 2099 00:00:00 GMT", "-o", "/dev/null", "-w", "%{http_code}", url+"/files/lines.bin"))
	require.Equal(t, "200", output(t, "curl", "-sS", "-z", "Fri, 31 Dec 1999 00:00:00 GMT", "-o", "/dev/null", "-w", "%{http_code}", url+"/files/lines.bin"))
}

func TestCurlGetsCompressedAnswers(t *testing.T) {
	url := "http://" + serve(t)
	for path, codings := range map[string][]string{"/files/lines.txt": {"gzip"}, "/stream?pieces=5000": {"gzip", "deflate"}} {
		plain := output(t, "curl", "-sS", url+path)
		for _, coding := range codings {
			head := filepath.Join(t.TempDir(), "head")
			got := output(t, "curl", "-sS", "--compressed", "-H", "Accept-Encoding: "+coding, "-D", head, url+path)
			fields, err := os.ReadFile(head)
			require.NoError(t, err)
			require.Contains(t, strings.ToLower(string(fields)), "\r\ncontent-encoding: "+coding+"\r\n")
			require.Contains(t, strings.ToLower(string(fields)), "\r\nvary: accept-encoding\r\n")
			require.Equal(t, plain, got)
		}
		size, err := strconv.Atoi(output(t, "curl", "-sS", "--compressed", "-o", "/dev/null", "-w", "%{size_download}", url+path))
		require.NoError(t, err)
		require.Less(t, size, len(plain)/3)
	}
	require.NotContains(t, output(t, "curl", "-sS", "--compressed", "-I", url+"/files/lines.bin"), "Content-Encoding")
}

func TestCurlRunsManyRequestsAtOnce(t *testing.T) {
	url := "http://" + serve(t)
	out := output(t, "curl", "-sS", "-Z", "--parallel-max", "20", "-w", "%{http_code}\n", "-o", "/dev/null", url+"/stream?pieces=[1-100]")
	require.Equal(t, 100, strings.Count(out, "200\n"), out)
}

func TestCurlMayLeaveInTheMiddle(t *testing.T) {
	url := "http://" + serve(t)
	err := command(t, "curl", "-sS", "--limit-rate", "100k", "-m", "0.3", "-o", "/dev/null", url+"/stream?pieces=100000000").Run()
	require.Error(t, err, "100,000,000 pieces in 0.3 s")
	require.Equal(t, "hello\n", output(t, "curl", "-sS", url+"/hello"))
}
