package httpx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// echo answers whole requests with their body; with hold it waits until the test lets it.
type echo struct {
	hold     bool
	queue    []func() error
	targets  []string
	trailers []string
}

func (e *echo) HandleRead(ctx *pipeline.Context, msg any) error {
	r := msg.(*httpx.FullRequest)
	defer r.Release()
	e.targets = append(e.targets, string(r.Target()))
	if r.Trailer != nil {
		e.trailers = append(e.trailers, string(r.Trailer.Get("x-t")))
	}
	answer := httpx.NewFullResponse(200)
	answer.SetBodyString(string(r.Body()))
	if e.hold {
		e.queue = append(e.queue, func() error { return ctx.Write(answer) })
		return nil
	}
	return ctx.Write(answer)
}

// release lets the oldest answer that is held go.
func (e *echo) release(t *testing.T, ch *pipelinetest.Channel) {
	t.Helper()
	answer := e.queue[0]
	e.queue = e.queue[1:]
	require.NoError(t, ch.Channel().Post(func() { require.NoError(t, answer()) }))
	ch.RunPending()
}

func aggregated(t *testing.T, max int, h pipeline.Handler, whole bool) *pipelinetest.Channel {
	t.Helper()
	cfg := httpx.ServerConfig{Handlers: func(*pipeline.Channel) []pipeline.Handler {
		return []pipeline.Handler{&httpx.Aggregator{MaxBytes: max}, h}
	}}
	return pipelinetest.NewConfig(t, pipelinetest.Config{Whole: whole}, &installs{cfg})
}

const (
	postHead    = "POST /p HTTP/1.1\r\nHost: a\r\n"
	chunkedHead = postHead + "Transfer-Encoding: chunked\r\n\r\n"
	expectHead  = postHead + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n"
	continued   = "HTTP/1.1 100 Continue\r\n\r\n"
)

func TestAggregatorMakesWholeRequests(t *testing.T) {
	large := strings.Repeat("0123456789", 300)
	for name, row := range map[string]struct{ input, body, trailer string }{
		"no body":      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "", ""},
		"length 0":     {postHead + "Content-Length: 0\r\n\r\n", "", ""},
		"length":       {postHead + "Content-Length: 5\r\n\r\nhello", "hello", ""},
		"large":        {postHead + "Content-Length: 3000\r\n\r\n" + large, large, ""},
		"chunked":      {chunkedHead + "5\r\nhello\r\n3;x\r\n wo\r\n3\r\nrld\r\n0\r\n\r\n", "hello world", ""},
		"trailers":     {chunkedHead + "2\r\nhi\r\n0\r\nX-T: 1\r\n\r\n", "hi", "1"},
		"long head":    {postHead + "X: " + large + "\r\nContent-Length: 2\r\n\r\nhi", "hi", ""},
		"empty chunks": {chunkedHead + "0\r\nX-T: 2\r\n\r\n", "", "2"},
	} {
		for _, whole := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				e := &echo{}
				ch := aggregated(t, 0, e, whole)
				ch.Feed(row.input + row.input)
				wire := ch.Wire()
				require.Equal(t, []string{"200", "200"}, statuses(wire))
				require.True(t, strings.HasSuffix(wire, "\r\n\r\n"+row.body))
				require.Len(t, e.targets, 2)
				if row.trailer != "" {
					require.Equal(t, []string{row.trailer, row.trailer}, e.trailers)
				}
			})
		}
	}
}

func TestAggregatorRefusesALengthBeforeTheBodyIsSent(t *testing.T) {
	e := &echo{}
	ch := aggregated(t, 100, e, false)
	ch.Feed(postHead + "Content-Length: 100\r\n\r\n" + strings.Repeat("x", 100))
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	ch.Feed(postHead + "Content-Length: 101\r\n\r\n")
	wire := ch.Wire()
	require.Equal(t, []string{"413"}, statuses(wire))
	require.Contains(t, wire, "Connection: close")
	require.True(t, ch.Channel().Closed())
	require.Len(t, e.targets, 1)
}

func TestAggregatorRefusesABodyThatGrowsTooLarge(t *testing.T) {
	for _, whole := range []bool{false, true} {
		e := &echo{}
		ch := aggregated(t, 100, e, whole)
		ch.Feed(chunkedHead + "3c\r\n" + strings.Repeat("x", 60) + "\r\n3c\r\n" + strings.Repeat("x", 60) + "\r\n0\r\n\r\n" +
			"GET /evil HTTP/1.1\r\nHost: a\r\n\r\n")
		require.Equal(t, []string{"413"}, statuses(ch.Wire()))
		require.True(t, ch.Channel().Closed())
		require.Empty(t, e.targets)
	}
}

func TestAggregatorRefusesWhenItIsTheRequestsTurn(t *testing.T) {
	e := &echo{hold: true}
	ch := aggregated(t, 4, e, true)
	ch.Feed("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n" + postHead + "Content-Length: 5\r\n\r\n")
	ch.Feed("hello" + "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n")
	require.Empty(t, ch.Wire())
	e.release(t, ch)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	e.release(t, ch)
	require.Equal(t, []string{"200", "413"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
	require.Equal(t, []string{"/1", "/2"}, e.targets)
}

func TestAggregatorLetsAWaitingClientSendItsBody(t *testing.T) {
	e := &echo{}
	ch := aggregated(t, 5, e, true)
	ch.Feed(expectHead)
	require.Equal(t, continued, ch.Wire())
	ch.Feed("he")
	ch.Feed("llo")
	require.Equal(t, "HTTP/1.1 200 OK\r\n"+dateLine+"Content-Length: 5\r\n\r\nhello", ch.Wire())

	ch.Feed(expectHead + "h")
	require.Empty(t, ch.Wire(), "the client did not wait")
	ch.Feed("ello")
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	ch.Feed(expectHead + "hello")
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
}

func TestAggregatorLetsNobodySendWhatItWillRefuse(t *testing.T) {
	ch := aggregated(t, 4, &echo{}, true)
	ch.Feed(expectHead)
	require.Equal(t, []string{"413"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

func TestAggregatorContinuesWhenItIsTheRequestsTurn(t *testing.T) {
	e := &echo{hold: true}
	ch := aggregated(t, 0, e, true)
	ch.Feed("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n" + expectHead)
	require.Empty(t, ch.Wire())
	e.release(t, ch)
	require.Equal(t, []string{"200", "100"}, statuses(ch.Wire()))
	ch.Feed("hello")
	e.release(t, ch)
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))

	ch.Feed("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n" + expectHead)
	ch.Feed("hello")
	e.release(t, ch)
	e.release(t, ch)
	require.Equal(t, []string{"200", "200"}, statuses(ch.Wire()), "the client did not wait")
}

func TestAggregatorWithoutAServerAnswersAtOnce(t *testing.T) {
	state := new(httpx.State)
	ch := pipelinetest.New(t, codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, state)),
		codec.NewEncoder[any](httpx.NewResponseEncoder(state)), &httpx.Aggregator{MaxBytes: 5}, &echo{})
	ch.Feed(expectHead)
	require.Equal(t, continued, ch.Wire())
	ch.Feed("hello")
	require.Equal(t, []string{"200"}, statuses(ch.Wire()))
	ch.Feed(chunkedHead + "6\r\nhello")
	ch.Feed("!")
	require.Equal(t, []string{"413"}, statuses(ch.Wire()))
	require.True(t, ch.Channel().Closed())
}

// clientOf is the codec of a client's connection that has sent a request for each method.
func clientOf(t *testing.T, max int, methods ...httpx.Method) *pipelinetest.Channel {
	t.Helper()
	state := new(httpx.State)
	ch := pipelinetest.New(t, codec.NewDecoder[any](httpx.NewResponseDecoder(httpx.DecoderConfig{}, state)),
		codec.NewEncoder[any](httpx.NewRequestEncoder(state)), &httpx.Aggregator{MaxBytes: max})
	for _, m := range methods {
		r := httpx.NewFullRequest(m, "http://a/")
		ch.WriteOutbound(r)
	}
	ch.Wire()
	return ch
}

func TestAggregatorMakesWholeResponses(t *testing.T) {
	ch := clientOf(t, 0, "GET", "HEAD", "GET", "GET")
	ch.Feed("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	early := pipelinetest.In[*httpx.Response](ch)
	require.Equal(t, 103, early.Status)
	early.Release()
	require.Equal(t, "hello", takeBody(t, ch, 200))
	ch.Feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
	require.Empty(t, takeBody(t, ch, 200))
	ch.Feed("HTTP/1.1 404 Nope\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\nX: 1\r\n\r\n")
	whole := pipelinetest.In[*httpx.FullResponse](ch)
	require.Equal(t, "Nope", whole.Reason)
	require.Equal(t, "1", string(whole.Trailer.Get("x")))
	require.Equal(t, "abcd", string(whole.Body()))
	require.EqualValues(t, 4, whole.Length)
	whole.Release()
	ch.Feed("HTTP/1.1 200 OK\r\n\r\nuntil the end")
	ch.Socket.PeerClose()
	ch.RunPending()
	require.Equal(t, "until the end", takeBody(t, ch, 200))
}

func takeBody(t *testing.T, ch *pipelinetest.Channel, status int) string {
	t.Helper()
	whole := pipelinetest.In[*httpx.FullResponse](ch)
	defer whole.Release()
	require.Equal(t, status, whole.Status)
	return string(whole.Body())
}

func TestAggregatorReportsAResponseThatIsTooLarge(t *testing.T) {
	for _, input := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde",
		"HTTP/1.1 200 OK\r\n\r\nabcde",
	} {
		ch := clientOf(t, 4, "GET")
		ch.Feed(input)
		require.ErrorContains(t, ch.ExpectError(nil), "httpx: body too large")
	}
}

// takesErrors lets a channel go on behind an error.
type takesErrors struct{ errs *[]error }

func (e takesErrors) HandleError(_ *pipeline.Context, err error) error {
	*e.errs = append(*e.errs, err)
	return nil
}

func TestAggregatorKeepsNothingOfWhatDoesNotEnd(t *testing.T) {
	part := postHead + "Content-Length: 500\r\n\r\n" + strings.Repeat("x", 300)
	t.Run("close", func(t *testing.T) {
		ch := aggregated(t, 0, &echo{}, false)
		ch.Feed(part)
		ch.Channel().CloseWith(pipeline.CloseNow, nil)
	})
	t.Run("removal", func(t *testing.T) {
		ch := aggregated(t, 0, &echo{}, false)
		ch.Feed(part)
		_, ctx := pipeline.Find[*httpx.Aggregator](ch.Channel().Pipeline())
		ctx.Remove()
	})
	t.Run("a chunk that is wrong", func(t *testing.T) {
		ch := aggregated(t, 0, &echo{}, false)
		ch.Feed(chunkedHead + "5\r\nhello\r\nx\r\n")
		require.Equal(t, []string{"400"}, statuses(ch.Wire()))
	})
	t.Run("a head inside a body", func(t *testing.T) {
		var errs []error
		ch := pipelinetest.New(t, &httpx.Aggregator{}, takesErrors{&errs})
		first := httpx.NewRequest("PUT", "/")
		first.Length = 5
		second := httpx.NewRequest("PUT", "/")
		second.Length = 5
		ch.WriteInbound(first, second)
		require.Equal(t, []error{httpx.ErrOrder}, errs)
		b := buffer.FromString("hello")
		last := httpx.NewContent(b.ReadSlice(5))
		b.Release()
		last.Last = true
		ch.WriteInbound(last, httpx.NewRequest("GET", "/next"))
		next := pipelinetest.In[*httpx.FullRequest](ch)
		require.Equal(t, "/next", string(next.Target()))
		next.Release()
	})
}

func TestAggregatorPassesWhatBelongsToNoMessage(t *testing.T) {
	ch := pipelinetest.New(t, &httpx.Aggregator{})
	ch.WriteInbound(httpx.EmptyLast, "something else")
	require.Same(t, httpx.EmptyLast, pipelinetest.In[*httpx.Content](ch))
	require.Equal(t, "something else", pipelinetest.In[string](ch))
}

func TestAggregatorLeavesAHeadToThoseWhoHoldIt(t *testing.T) {
	var held *httpx.Request
	watch := pipeline.OnRead(func(ctx *pipeline.Context, r *httpx.Request) error {
		r.Retain()
		held = r
		ctx.FireRead(r)
		return nil
	})
	ch := pipelinetest.NewConfig(t, pipelinetest.Config{SkipCheck: true},
		codec.NewDecoder[any](httpx.NewRequestDecoder(httpx.DecoderConfig{}, nil)), watch, &httpx.Aggregator{})
	ch.Feed("GET /held HTTP/1.1\r\nHost: a\r\nX-Y: z\r\n\r\n")
	whole := pipelinetest.In[*httpx.FullRequest](ch)
	require.Equal(t, "/held", string(held.Target()))
	require.Equal(t, "/held", string(whole.Target()))
	held.Release()
	require.Equal(t, "z", string(whole.Header.Get("x-y")))
	require.Equal(t, "a", string(whole.Host()))
	whole.Release()
}
