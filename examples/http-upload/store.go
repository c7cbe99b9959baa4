package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"os"

	"github.com/penstock-go/penstock/httpx"
)

// What may wait for the disk before the client has to.
const (
	maxOctets = 1 << 20
	maxPieces = 1 << 10
)

// upload is a body on its way to a file. Files block, so a goroutine writes it; the event loop passes pieces on.
type upload struct {
	x      *httpx.Exchange
	pieces chan *httpx.Content
	// Of the loop:
	octets, waiting int // octets and pieces that wait
	paused          bool
	// Of the goroutine:
	hash hash.Hash
	size int64
}

// store begins an upload.
func (u uploads) store(x *httpx.Exchange) error {
	w := &upload{x: x, pieces: make(chan *httpx.Content, maxPieces), hash: sha256.New()}
	go w.run(u.folder)
	x.OnGone(func(error) { close(w.pieces) })
	return x.OnBody(w.take)
}

// take passes a piece on, on the event loop.
func (w *upload) take(c *httpx.Content) error {
	w.octets += c.Len()
	w.waiting++
	if !w.paused && (w.octets > maxOctets || w.waiting == maxPieces) {
		w.paused = true // no piece comes behind this one, so sending it does not wait
		w.x.PauseBody()
	}
	last := c.Last
	w.pieces <- c
	if last {
		w.x.OnGone(func(error) {})
		close(w.pieces)
	}
	return nil
}

// written says, on the event loop, that a piece of n octets does not wait any more.
func (w *upload) written(n int) {
	w.octets -= n
	w.waiting--
	if w.paused && w.octets < maxOctets/4 && w.waiting < maxPieces/4 {
		w.paused = false
		w.x.ResumeBody()
	}
}

// run writes the file and answers.
func (w *upload) run(folder string) {
	var complete bool
	file, err := os.CreateTemp(folder, "upload-")
	for c := range w.pieces {
		n := c.Len()
		if err == nil {
			w.hash.Write(c.Bytes())
			_, err = file.Write(c.Bytes())
		}
		complete = complete || c.Last
		w.size += int64(n)
		c.Release()
		_ = w.x.Post(func() { w.written(n) }) // when the loop has ended nobody waits
	}
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	switch {
	case err != nil:
		_ = w.x.RespondText(500, "not stored\n") // a client that has left needs no answer
	case complete:
		_ = w.x.RespondText(201, fmt.Sprintf("%s %d octets, sha256 %x\n", file.Name(), w.size, w.hash.Sum(nil)))
		return
	}
	if file != nil {
		_ = os.Remove(file.Name()) // nobody wants a part of it
	}
}
