package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNotesAreAddedReadAndRemoved(t *testing.T) {
	routes, err := new(notes).routes()
	require.NoError(t, err)
	ch := pipelinetest.NewInit(t, pipelinetest.Config{}, httpx.Init(httpx.ServerConfig{Handle: routes.Serve}))
	for _, step := range []struct{ method, path, body, status, answer string }{
		{"GET", "/notes/1", "", "404", `{"error":"no such note"}`},
		{"POST", "/notes", `{"text":"buy milk"}`, "201", `{"id":1,"text":"buy milk"}`},
		{"POST", "/notes", `{"text":"more"}`, "201", `{"id":2,"text":"more"}`},
		{"GET", "/notes/1", "", "200", `{"id":1,"text":"buy milk"}`},
		{"DELETE", "/notes/1", "", "204", ""},
		{"GET", "/notes/1", "", "404", `{"error":"no such note"}`},
		{"GET", "/notes/x", "", "404", `{"error":"no such note"}`},
		{"POST", "/notes", `{}`, "400", `{"error":"the body is an object with a text"}`},
		{"POST", "/notes", strings.Repeat(" ", 5000), "413", "Content Too Large"},
		{"PUT", "/notes", "", "405", "Method Not Allowed"},
	} {
		var request strings.Builder
		request.WriteString(step.method + " " + step.path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
		for body := step.body; body != ""; {
			n := min(len(body), 16)
			request.WriteString("10\r\n" + body[:n] + strings.Repeat(" ", 16-n) + "\r\n")
			body = body[n:]
		}
		ch.Feed(request.String() + "0\r\n\r\n")
		wire := ch.Wire()
		require.True(t, strings.HasPrefix(wire, "HTTP/1.1 "+step.status+" "), "%s %s: %s", step.method, step.path, wire)
		require.Contains(t, wire, step.answer)
	}
}
