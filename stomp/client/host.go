package client

import (
	"net"
	"strings"
)

// host returns what stands in the host header.
func (c *Client) host() string {
	if c.Host != "" {
		return c.Host
	}
	return hostOf(c.Address)
}

// hostOf returns the host of an address, which may be a URL. STOMP 1.2, "CONNECT or STOMP Frame": it is recommended to
// ask for the host that the connection goes to.
func hostOf(address string) string {
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	address, _, _ = strings.Cut(address, "/")
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	if address == "" {
		return "localhost" // a socket without a host: no server has another
	}
	return address
}
