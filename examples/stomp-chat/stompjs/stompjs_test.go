package stompjs

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScriptAndLicenseAreServed(t *testing.T) {
	routes := &httpx.Router{}
	require.NoError(t, errors.Join(routes.Handle("GET "+Path, Script), routes.Handle("GET "+LicensePath, License)))
	for path, want := range map[string][]string{
		Path:        {"200 OK", "text/javascript", "StompJs={}", ".stomp"},
		LicensePath: {"200 OK", "text/plain", "Apache License"},
	} {
		ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
		ch.Feed("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
		answer := ch.Wire()
		for _, text := range want {
			require.Contains(t, answer, text)
		}
	}
}
