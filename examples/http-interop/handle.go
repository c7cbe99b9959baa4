package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

func hello(_ *pipeline.Context, x *httpx.Exchange) error { return x.RespondText(200, "hello\n") }

// late answers when others that came behind it have been answered already. The query is the answer.
func late(ctx *pipeline.Context, x *httpx.Exchange) error {
	text := string(x.Request.RawQuery()) + "\n"
	ctx.After(5*time.Millisecond, func() { _ = x.RespondText(200, text) }) // an error says that the client has left
	return nil
}

// sum reads a body of any size as it comes and answers with its length and SHA-256.
func sum(_ *pipeline.Context, x *httpx.Exchange) error {
	hash, n := sha256.New(), 0
	return x.OnBody(func(c *httpx.Content) error {
		defer c.Release()
		hash.Write(c.Bytes())
		n += c.Len()
		if !c.Last {
			return nil
		}
		return x.RespondText(200, fmt.Sprintf("%d %x\n", n, hash.Sum(nil)))
	})
}

// small takes bodies up to 64 KiB.
func small(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.ReadBody(64<<10, func(body []byte, err error) error {
		if err != nil {
			return err
		}
		return x.RespondText(200, fmt.Sprintf("%d bytes\n", len(body)))
	})
}

// echo sends a body back while it comes, no faster than the client takes it.
func echo(_ *pipeline.Context, x *httpx.Exchange) error {
	r := httpx.NewResponse(200)
	if kind := x.Request.Header.Get("content-type"); kind != nil {
		if err := r.Header.AddBytes("Content-Type", kind); err != nil {
			r.Release()
			return err
		}
	}
	if err := x.Begin(r); err != nil {
		return err
	}
	x.OnWritable(x.ResumeBody)
	return x.OnBody(func(c *httpx.Content) error {
		if err := x.Write(c); err != nil {
			return err
		}
		if !x.Writable() {
			x.PauseBody()
		}
		return nil
	})
}

// stream sends as many pieces as the query asks for, and their number as a trailer.
func stream(_ *pipeline.Context, x *httpx.Exchange) error {
	var query httpx.Params
	if err := httpx.ParseQuery(&query, x.Request.RawQuery(), httpx.ParamLimits{}); err != nil {
		return err
	}
	pieces, err := strconv.Atoi(string(query.Get("pieces")))
	if err != nil || pieces < 0 {
		return x.RespondText(400, "pieces is a number\n")
	}
	r, trailer := httpx.NewResponse(200), new(httpx.Header)
	if err = errors.Join(r.Header.Add("Content-Type", "text/plain"), r.Header.Add("Trailer", "X-Pieces"), trailer.AddInt("X-Pieces", int64(pieces))); err != nil {
		r.Release()
		return err
	}
	if err = x.Begin(r); err != nil {
		return err
	}
	next := 0
	more := func() {
		for ; next < pieces && x.Writable(); next++ {
			if x.WriteBytes(fmt.Appendf(nil, "piece %d\n", next)) != nil {
				return // the client has left
			}
		}
		if next == pieces {
			next++ // not again
			_ = x.EndWith(trailer)
		}
	}
	x.OnWritable(more)
	more()
	return nil
}

// early sends a hint in front of its answer. RFC 8297.
func early(_ *pipeline.Context, x *httpx.Exchange) error {
	hint := httpx.NewResponse(103)
	if err := hint.Header.Add("Link", "</style.css>; rel=preload"); err != nil {
		hint.Release()
		return err
	}
	if err := x.Interim(hint); err != nil {
		return err
	}
	return x.RespondText(200, "late\n")
}

// upgrade leaves HTTP for a protocol in which everything comes back.
func upgrade(_ *pipeline.Context, x *httpx.Exchange) error {
	if !x.Request.Upgrade || !x.Request.Header.HasToken("upgrade", "echo") {
		return x.RespondText(426, "Upgrade: echo\n")
	}
	r := httpx.NewResponse(101)
	if err := errors.Join(r.Header.Add("Connection", "Upgrade"), r.Header.Add("Upgrade", "echo")); err != nil {
		r.Release()
		return err
	}
	return x.Upgrade(r, pipeline.OnRead(func(ctx *pipeline.Context, b *buffer.Buffer) error { return ctx.Write(b) }))
}

// memory answers with the bytes of memory in use. It collects garbage first, which holds up the event loop.
func memory(_ *pipeline.Context, x *httpx.Exchange) error {
	runtime.GC()
	runtime.GC() // pools give up what nobody took since the first
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return x.RespondText(200, strconv.FormatUint(stats.HeapAlloc, 10)+"\n")
}
