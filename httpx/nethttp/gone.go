package nethttp

import (
	"net"
	"os"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// brokenPipe is what writing to a client that has left gives. Code made for net/http looks for the system's error,
// code made for httpx for ErrGone.
type brokenPipe struct{}

// Error implements error.
func (brokenPipe) Error() string { return "write: broken pipe" }

// Unwrap gives what the error stands for.
func (brokenPipe) Unwrap() []error {
	return []error{os.NewSyscallError("write", syscall.EPIPE), httpx.ErrGone, net.ErrClosed}
}

// opError is err of an operation as connections of package net report it.
func opError(ch *pipeline.Channel, op string, err error) error {
	return &net.OpError{Op: op, Net: network(ch), Source: ch.LocalAddr(), Addr: ch.RemoteAddr(), Err: err}
}

func network(ch *pipeline.Channel) string {
	if a := ch.LocalAddr(); a != nil {
		return a.Network()
	}
	return ""
}
