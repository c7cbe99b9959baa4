package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrAddress is what an address that can't be understood gives, and fd:// where a connection is to be made.
var ErrAddress = errors.New("transport: want tcp://host:port, tcp4://…, tcp6://…, unix:///path or fd://number")

// endpoint is an address taken apart.
type endpoint struct {
	network string // "tcp", "tcp4", "tcp6", "unix" or "fd"
	address string // as package net takes it
	fd      int
}

// parseAddress understands the addresses of Server.Listen. Without a scheme it is tcp.
func parseAddress(s string) (endpoint, error) {
	scheme, rest, found := strings.Cut(s, "://")
	if !found {
		scheme, rest = "tcp", s
	}
	e := endpoint{network: scheme, address: rest}
	switch scheme {
	case "tcp", "tcp4", "tcp6":
		if strings.LastIndexByte(rest, ':') < 0 {
			return endpoint{}, badAddress(s)
		}
	case "unix":
		if rest == "" {
			return endpoint{}, badAddress(s)
		}
	case "fd":
		n, err := strconv.ParseUint(rest, 10, 31)
		if err != nil {
			return endpoint{}, badAddress(s)
		}
		e.fd = int(n)
	default:
		return endpoint{}, badAddress(s)
	}
	return e, nil
}

// parseTarget is parseAddress for connecting, where fd:// has no meaning.
func parseTarget(s string) (endpoint, error) {
	e, err := parseAddress(s)
	if err == nil && e.network == "fd" {
		return endpoint{}, badAddress(s)
	}
	return e, err
}

// parseForeign is parseTarget for a dialer of the user, which may know other networks.
func parseForeign(s string) (endpoint, error) {
	scheme, rest, found := strings.Cut(s, "://")
	switch scheme {
	case "", "tcp", "tcp4", "tcp6", "unix", "fd":
		found = false
	}
	if !found {
		return parseTarget(s)
	}
	return endpoint{network: scheme, address: rest}, nil
}

func badAddress(s string) error {
	return fmt.Errorf("transport: address %.64q: %w", s, ErrAddress)
}
