package nethttp

import (
	"net"
	"os"
	"syscall"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

// pipeError is what writing to a client that has left gives. Code made for net/http looks for the system's error,
// code made for httpx for ErrGone.
type pipeError struct{}

// Error implements error.
func (pipeError) Error() string { return "write: broken pipe" }

// Unwrap gives what the error stands for.
func (pipeError) Unwrap() []error {
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
