package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/embedded"
)

// codecRequest is what the codecs are fed.
type codecRequest struct{ name, text string }

var codecRequests = []codecRequest{
	{"TechEmpower, 3 fields", "GET /plaintext HTTP/1.1\r\nHost: server\r\n" +
		"Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.7\r\n" +
		"Connection: keep-alive\r\n\r\n"},
	{"browser, 12 fields", "GET /index.html?page=3 HTTP/1.1\r\nHost: www.example.com\r\nConnection: keep-alive\r\n" +
		"Cache-Control: max-age=0\r\n" +
		"sec-ch-ua: \"Chromium\";v=\"126\", \"Not.A/Brand\";v=\"24\"\r\nsec-ch-ua-mobile: ?0\r\n" +
		"sec-ch-ua-platform: \"Linux\"\r\nUpgrade-Insecure-Requests: 1\r\n" +
		"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36\r\n" +
		"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
		"Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9\r\n" +
		"Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n\r\n"},
}

// codecOp reads one request and appends the answer to out.
type codecOp func(out []byte) ([]byte, error)

// codecPeers make the op of each codec. Ours runs in a pipeline on the embedded channel, and once more without anything
// around it, as those of the peers.
var codecPeers = []struct {
	name string
	open func(request []byte) (codecOp, error)
}{
	{ourPeer, openOurCodec},
	{againLabel, openOurCodec},
	{"penstock-codec", openBareCodec},
	{"fasthttp", openFastCodec},
	{"net/http", openStdCodec},
}

// codecDate is the date in all answers but those of fasthttp, which has its own.
const codecDate = "Thu, 01 Jan 1970 00:00:00 GMT"

func openOurCodec(request []byte) (codecOp, error) {
	fields := answerFields(codecDate)
	ch, err := embedded.NewInit(embedded.Config{}, func(ch *pipeline.Channel) error {
		return addCodec(ch, func() *httpx.Header { return fields })
	})
	if err != nil {
		return nil, err
	}
	return func(out []byte) ([]byte, error) {
		err := ch.Feed(request)
		return ch.AppendWire(out), err
	}, nil
}

func openBareCodec(request []byte) (codecOp, error) {
	fields := answerFields(codecDate)
	state := new(httpx.State)
	decoder := httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)
	encoder := httpx.NewResponseEncoder(state)
	pool := buffer.NewPool(buffer.PoolConfig{})
	var w buffer.Writer
	return func(out []byte) ([]byte, error) {
		in := pool.Get(len(request))
		in.Append(request)
		m, ok, err := decoder.Decode(in)
		if !ok || err != nil {
			return out, errors.Join(err, errors.New("no request"))
		}
		buffer.Release(m) // before in, which is then given straight back
		pool.Put(in)
		answer := newAnswer(fields)
		w.Reset(pool, encoder.Size(answer))
		err = encoder.Encode(&w, answer)
		answer.Release()
		b, _ := w.Take().(*buffer.Buffer)
		out = append(out, b.Bytes()...)
		pool.Put(b)
		return out, err
	}, nil
}

func openFastCodec(request []byte) (codecOp, error) {
	octets := bytes.NewReader(request)
	in := bufio.NewReader(octets)
	var buf bytes.Buffer
	w := bufio.NewWriter(&buf)
	var asked fasthttp.RequestHeader
	var answer fasthttp.ResponseHeader
	return func(out []byte) ([]byte, error) {
		octets.Reset(request)
		in.Reset(octets)
		asked.Reset()
		if err := asked.Read(in); err != nil {
			return out, err
		}
		answer.Reset()
		answer.SetContentType(answerType)
		answer.SetServer(answerServer)
		answer.SetContentLength(len(answerBody))
		buf.Reset()
		if err := answer.Write(w); err != nil {
			return out, err
		}
		if _, err := w.WriteString(answerBody); err != nil {
			return out, err
		}
		err := w.Flush()
		return append(out, buf.Bytes()...), err
	}, nil
}

func openStdCodec(request []byte) (codecOp, error) {
	octets := bytes.NewReader(request)
	in := bufio.NewReader(octets)
	var buf bytes.Buffer
	return func(out []byte) ([]byte, error) {
		octets.Reset(request)
		in.Reset(octets)
		if _, err := http.ReadRequest(in); err != nil {
			return out, err
		}
		h := http.Header{
			"Content-Type": plaintextType, "Server": plaintextServer, "Date": {codecDate}, "Content-Length": plaintextLength,
		}
		buf.Reset()
		buf.WriteString("HTTP/1.1 200 OK\r\n")
		err := h.Write(&buf)
		buf.WriteString("\r\n" + answerBody)
		return append(out, buf.Bytes()...), err
	}, nil
}

// codecResult is one measurement.
type codecResult struct{ nanos, allocs float64 } // per op; processor time

// compareHTTPCodecs prints, for each request, how many times faster ours is than each peer.
func compareHTTPCodecs(s settings) error {
	fmt.Printf("%d rounds of %v; processor ns per request, times = the peer's / penstock's in the same round: median (min … max)\n",
		s.rounds, s.seconds)
	for _, request := range codecRequests {
		results, err := codecRounds(s, request)
		if err != nil {
			return fmt.Errorf("%s: %w", request.name, err)
		}
		fmt.Println(request.name)
		for _, peer := range codecPeers {
			var times, nanos, allocs []float64
			for i, r := range results[peer.name] {
				times = append(times, r.nanos/results[ourPeer][i].nanos)
				nanos, allocs = append(nanos, r.nanos), append(allocs, r.allocs)
			}
			fmt.Printf("  %-15s times %-26s ns %-26s allocations %.2f\n", peer.name, spread(times), spread(nanos), slices.Max(allocs))
		}
	}
	return nil
}

func codecRounds(s settings, request codecRequest) (map[string][]codecResult, error) {
	ops := make([]codecOp, len(codecPeers))
	for i, peer := range codecPeers {
		op, err := peer.open([]byte(request.text))
		if err != nil {
			return nil, err
		}
		if err := checkCodec(op); err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
		ops[i] = op
	}
	results := make(map[string][]codecResult)
	for round := range s.rounds {
		for at := range codecPeers {
			if round%2 == 1 {
				at = len(codecPeers) - 1 - at
			}
			r, err := measureCodec(ops[at], s.seconds)
			if err != nil {
				return nil, err
			}
			results[codecPeers[at].name] = append(results[codecPeers[at].name], r)
		}
	}
	return results, nil
}

// checkCodec runs op twice and looks at its answers as checkAnswers does.
func checkCodec(op codecOp) error {
	for range 2 {
		out, err := op(nil)
		if err != nil {
			return err
		}
		in := bufio.NewReader(bytes.NewReader(out))
		if err := checkAnswer(in); err != nil {
			return err
		}
		if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
			return errors.New("more than one answer")
		}
	}
	return nil
}

// measureCodec runs op for about d. Its time is that of the whole process, so that collecting garbage counts, too.
func measureCodec(op codecOp, d time.Duration) (r codecResult, err error) {
	out := make([]byte, 0, 1<<10)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	began, err := processorTime()
	if err != nil {
		return r, err
	}
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 1000 {
			if out, err = op(out[:0]); err != nil || len(out) < len(answerBody) {
				return r, errors.Join(err, errors.New("no answer"))
			}
		}
		n += 1000
	}
	ended, err := processorTime()
	runtime.ReadMemStats(&after)
	return codecResult{float64(ended-began) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n)}, err
}

// processorTime is what this process has used.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
