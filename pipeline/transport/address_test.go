package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressesAreTakenApart(t *testing.T) {
	for text, want := range map[string]endpoint{
		"tcp://127.0.0.1:80":  {network: "tcp", address: "127.0.0.1:80"},
		"tcp4://:0":           {network: "tcp4", address: ":0"},
		"tcp6://[::1]:http":   {network: "tcp6", address: "[::1]:http"},
		"localhost:7007":      {network: "tcp", address: "localhost:7007"},
		"unix:///run/app":     {network: "unix", address: "/run/app"},
		"unix://@app":         {network: "unix", address: "@app"},
		"unix://relative/app": {network: "unix", address: "relative/app"},
		"fd://3":              {network: "fd", address: "3", fd: 3},
	} {
		got, err := parseAddress(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "localhost", "tcp://", "tcp://host", "unix://", "fd://", "fd://x", "fd://-1", "fd://99999999999", "udp://:1", "://:1"} {
		_, err := parseAddress(text)
		require.ErrorIs(t, err, ErrAddress, text)
	}
}

func TestAddressesToConnectTo(t *testing.T) {
	for text, c := range map[string]struct {
		ours, foreign endpoint // none: it is refused
	}{
		"localhost:7007":   {endpoint{network: "tcp", address: "localhost:7007"}, endpoint{network: "tcp", address: "localhost:7007"}},
		"tcp4://host:80":   {endpoint{network: "tcp4", address: "host:80"}, endpoint{network: "tcp4", address: "host:80"}},
		"unix:///run/app":  {endpoint{network: "unix", address: "/run/app"}, endpoint{network: "unix", address: "/run/app"}},
		"ssh://jump:22":    {endpoint{}, endpoint{network: "ssh", address: "jump:22"}},
		"pipe://whatever":  {endpoint{}, endpoint{network: "pipe", address: "whatever"}},
		"tcp://host":       {},
		"host":             {},
		"fd://3":           {},
		"://host:80":       {},
		"unix://":          {},
		"tcp6://localhost": {},
	} {
		for _, by := range []struct {
			parse func(string) (endpoint, error)
			want  endpoint
		}{{parseTarget, c.ours}, {parseForeign, c.foreign}} {
			got, err := by.parse(text)
			require.Equal(t, by.want, got, text)
			if by.want == (endpoint{}) {
				require.ErrorIs(t, err, ErrAddress, text)
			} else {
				require.NoError(t, err, text)
			}
		}
	}
}
