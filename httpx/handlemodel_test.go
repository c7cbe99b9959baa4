package httpx_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func randomRequest(r *rand.Rand, i int) string {
	body := strings.Repeat("b", r.IntN(40))
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", i)
	case 1:
		return fmt.Sprintf("HEAD /%d HTTP/1.1\r\nHost: x\r\n\r\n", i)
	case 2:
		return fmt.Sprintf("POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", i, len(body), body)
	case 3:
		var b strings.Builder
		fmt.Fprintf(&b, "POST /%d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", i)
		for range r.IntN(4) {
			n := 1 + r.IntN(20)
			fmt.Fprintf(&b, "%x\r\n%s\r\n", n, strings.Repeat("c", n))
		}
		b.WriteString("0\r\n")
		if r.IntN(2) == 0 {
			b.WriteString("X-T: 1\r\n")
		}
		return b.String() + "\r\n"
	case 4:
		return fmt.Sprintf("POST /%d HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", i, len(body)+1, body+"e")
	case 5:
		return fmt.Sprintf("GET /%d HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", i)
	}
	return fmt.Sprintf("PUT /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", i)
}

type randomSite struct {
	r       *rand.Rand
	sync    bool
	t       *testing.T
	waiting []func()
	asked   int
}

func (s *randomSite) serve(_ *pipeline.Context, x *httpx.Exchange) error {
	s.asked++
	mode := 0
	if !s.sync {
		mode = s.r.IntN(6)
	}
	target := string(x.Request.Target())
	if mode == 1 { // late read
		s.waiting = append(s.waiting, func() { require.NoError(s.t, s.read(x, target)) })
		return nil
	}
	return s.read(x, target)
}

func (s *randomSite) read(x *httpx.Exchange, target string) error {
	if !s.sync && s.r.IntN(3) == 0 {
		n, held := 0, false
		return x.OnBody(func(c *httpx.Content) error {
			n += c.Len()
			last := c.Last
			c.Release()
			if s.r.IntN(3) == 0 {
				x.PauseBody()
				held = true
				s.waiting = append(s.waiting, x.ResumeBody)
			}
			if last {
				s.answer(x, held, fmt.Sprintf("%s %d", target, n))
			}
			return nil
		})
	}
	return x.ReadBody(0, func(b []byte, err error) error {
		if err != nil {
			return err
		}
		s.answer(x, false, fmt.Sprintf("%s %d", target, len(b)))
		return nil
	})
}

func (s *randomSite) answer(x *httpx.Exchange, held bool, text string) {
	mode := 0
	if !s.sync {
		mode = s.r.IntN(5)
		if held {
			mode = max(mode, 1)
		}
	}
	full := func() *httpx.FullResponse {
		f := httpx.NewFullResponse(200)
		f.SetBodyString(text)
		return f
	}
	switch mode {
	case 0:
		require.NoError(s.t, x.Reply(full()))
	case 1:
		require.NoError(s.t, x.Respond(full()))
	case 2:
		s.waiting = append(s.waiting, func() { require.NoError(s.t, x.Respond(full())) })
	case 3:
		s.waiting = append(s.waiting, func() {
			done := make(chan error)
			go func() { done <- x.Respond(full()) }()
			require.NoError(s.t, <-done)
		})
	case 4:
		h := httpx.NewResponse(200)
		require.NoError(s.t, h.Header.Add("content-length", fmt.Sprint(len(text))))
		if s.r.IntN(2) == 0 {
			require.NoError(s.t, x.Begin(h))
			s.pieces(x, text)
		} else {
			s.waiting = append(s.waiting, func() { require.NoError(s.t, x.Begin(h)); s.pieces(x, text) })
		}
	}
}

func (s *randomSite) pieces(x *httpx.Exchange, text string) {
	if text == "" {
		require.NoError(s.t, x.End())
		return
	}
	n := 1 + s.r.IntN(len(text))
	require.NoError(s.t, x.WriteBytes([]byte(text[:n])))
	s.waiting = append(s.waiting, func() { s.pieces(x, text[n:]) })
}

func (s *randomSite) someOne() bool {
	if len(s.waiting) == 0 {
		return false
	}
	i := s.r.IntN(len(s.waiting))
	f := s.waiting[i]
	s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
	f()
	return true
}

func normal(wire string) string {
	wire = strings.ReplaceAll(wire, "HTTP/1.1 100 Continue\r\n\r\n", "")
	return strings.ReplaceAll(strings.ToLower(wire), "\r\n", "\n")
}

// However requests are cut and whenever they are answered, the answers are those of one by one.
func TestRandomPipelinesAreAnsweredLikeOneByOne(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var all string
		n := 1 + r.IntN(12)
		for i := range n {
			all += randomRequest(r, i)
		}
		pending := []int{0, 1, 2, 3}[r.IntN(4)]
		run := func(s *randomSite, cuts int) []string {
			ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, httpx.Init(httpx.ServerConfig{Handle: s.serve, NoDate: true, MaxPending: pending}))
			rest := all
			for rest != "" {
				k := len(rest)
				if cuts > 0 {
					k = 1 + r.IntN(min(len(rest), cuts))
				}
				ch.Feed(rest[:k])
				rest = rest[k:]
				for range r.IntN(3) {
					s.someOne()
					ch.RunPending()
				}
			}
			for s.someOne() {
				ch.RunPending()
			}
			ch.RunPending()
			wire := normal(ch.Wire())
			var parts []string
			for p := range strings.SplitSeq(wire, "http/1.1 ") {
				head, body, _ := strings.Cut(p, "\n\n")
				lines := strings.Split(head, "\n")
				slices.Sort(lines)
				parts = append(parts, strings.Join(lines, "|")+"||"+body)
			}
			ch.Finish()
			return parts
		}
		want := run(&randomSite{r: r, t: t, sync: true}, 0)
		require.Len(t, want, n+1, "%d %q", seed, all)
		for range 4 {
			got := run(&randomSite{r: r, t: t}, 1+r.IntN(60))
			require.Equal(t, want, got, "seed %d %q", seed, all)
		}
	}
}
