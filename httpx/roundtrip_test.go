package httpx

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// wireOf encodes messages with e and returns the octets; it releases them.
func wireOf(t *rapid.T, e encoder, messages []any) []byte {
	var out buffer.Writer
	var octets []byte
	for _, m := range messages {
		out.Reset(nil, e.Size(m))
		require.NoError(t, e.Encode(&out, m))
		v := out.View()
		octets = append(octets, v.Bytes()...)
		v.Release()
		out.Discard()
		buffer.Release(m)
	}
	return octets
}

// drawBody is a body in pieces; whole is the sum of them.
func drawBody(t *rapid.T) (pieces []string, whole string) {
	pieces = rapid.SliceOfN(rapid.StringN(0, 2000, -1), 0, 4).Draw(t, "pieces")
	for _, p := range pieces {
		whole += p
	}
	return pieces, whole
}

// drawContents is the same as messages; the last piece, or one behind it, ends the body.
func drawContents(t *rapid.T, pieces []string, trailer *Header) []any {
	var messages []any
	for _, p := range pieces {
		messages = append(messages, contentOf(p))
	}
	if len(pieces) > 0 && rapid.Bool().Draw(t, "the last piece ends it") {
		last := messages[len(messages)-1].(*Content)
		last.Last, last.Trailer = true, trailer
		return messages
	}
	if trailer == nil {
		return append(messages, EmptyLast)
	}
	return append(messages, &Content{Last: true, Trailer: trailer})
}

func drawTrailer(t *rapid.T) (*Header, [][2]string) {
	if !rapid.Bool().Draw(t, "trailer") {
		return nil, [][2]string{}
	}
	h := new(Header)
	require.NoError(t, h.Add("X-Sum", "1"))
	return h, pairs(h)
}

// drawRequest is a request in some form, and what a server must find.
func drawRequest(t *rapid.T, i int) ([]any, message) {
	method := rapid.SampledFrom([]Method{MethodGet, MethodHead, MethodPost, MethodPut, "BREW"}).Draw(t, "method")
	target := fmt.Sprintf("/%d?x", i)
	pieces, body := drawBody(t)
	want := message{Method: string(method), Target: target, Body: body, Trailers: [][2]string{}}
	if rapid.Bool().Draw(t, "whole") {
		f := NewFullRequest(method, target)
		require.NoError(t, f.Header.Add("Host", "a"))
		f.SetBodyString(body)
		f.Trailer, want.Trailers = drawTrailer(t)
		return []any{f}, want
	}
	r := NewRequest(method, target)
	require.NoError(t, r.Header.Add("Host", "a"))
	r.Length = int64(len(body))
	var trailer *Header
	if rapid.Bool().Draw(t, "chunked") {
		r.Length = LengthChunked
		trailer, want.Trailers = drawTrailer(t)
	}
	return append([]any{r}, drawContents(t, pieces, trailer)...), want
}

// drawResponse is an answer in some form, and what a client must find.
func drawResponse(t *rapid.T, method string) ([]any, message) {
	status := rapid.SampledFrom([]int{200, 201, 204, 205, 304, 404, 599}).Draw(t, "status")
	pieces, body := drawBody(t)
	want := message{Status: status, Body: body, Trailers: [][2]string{}}
	bodiless := method == "HEAD" || status == 204 || status == 205 || status == 304
	var messages []any
	trailer, trailers := drawTrailer(t)
	switch rapid.IntRange(0, 2).Draw(t, "form") {
	case 0:
		f := NewFullResponse(status)
		f.SetBodyString(body)
		f.Trailer, want.Trailers = trailer, trailers
		messages = []any{f}
	case 1:
		r := NewResponse(status)
		require.NoError(t, r.Header.AddInt("Content-Length", int64(len(body))))
		messages = append([]any{r}, drawContents(t, pieces, nil)...)
	default:
		want.Trailers = trailers
		messages = append([]any{NewResponse(status)}, drawContents(t, pieces, trailer)...)
	}
	if bodiless {
		want.Body, want.Trailers = "", [][2]string{}
	}
	return messages, want
}

// bare leaves of messages what a draw knows.
func bare(got []message) []message {
	var out []message
	for _, m := range got {
		if !m.Interim {
			out = append(out, message{Method: m.Method, Target: m.Target, Status: m.Status, Body: m.Body, Trailers: m.Trailers})
		}
	}
	return out
}

// TestWhatOneSideWritesTheOtherReads sends random requests in random pieces one way and random answers back.
func TestWhatOneSideWritesTheOtherReads(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		client, server := new(State), new(State)
		asks, answers := NewRequestEncoder(client), NewResponseEncoder(server)
		n := rapid.IntRange(1, 12).Draw(rt, "requests")
		var wire []byte
		var want []message
		for i := range n {
			messages, m := drawRequest(rt, i)
			wire, want = append(wire, wireOf(rt, asks, messages)...), append(want, m)
		}
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(wire)), 0, 5).Draw(rt, "cuts")
		got := decodeCut(t, NewRequestDecoder(DecoderConfig{}, server), wire, sorted(cuts), true)
		require.Empty(rt, got.reason)
		require.Equal(rt, want, bare(got.messages))
		require.Equal(rt, n, server.Pending())

		wire, want = nil, nil
		for _, r := range got.messages {
			if rapid.Bool().Draw(rt, "interim") {
				wire = append(wire, wireOf(rt, answers, []any{NewResponse(103)})...)
			}
			messages, m := drawResponse(rt, r.Method)
			wire, want = append(wire, wireOf(rt, answers, messages)...), append(want, m)
		}
		cuts = rapid.SliceOfN(rapid.IntRange(0, len(wire)), 0, 5).Draw(rt, "cuts")
		got = decodeCut(t, NewResponseDecoder(DecoderConfig{}, client), wire, sorted(cuts), true)
		require.Empty(rt, got.reason)
		require.Equal(rt, want, bare(got.messages))
		require.Zero(rt, client.Pending()+server.Pending())
	})
}

func sorted(cuts []int) []int {
	slices.Sort(cuts)
	return cuts
}
