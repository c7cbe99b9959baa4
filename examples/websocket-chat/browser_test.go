//go:build interop

package main

import (
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/transport"
)

// TestTwoBrowsersTalk runs Chromium, driven by Node's playwright-core, and takes a picture of the page: with -artifacts
// it stays.
func TestTwoBrowsersTalk(t *testing.T) {
	routes, err := new(room).routes()
	require.NoError(t, err)
	server := transport.Server{Init: httpx.Init(httpx.ServerConfig{Handle: routes.Serve})}
	require.NoError(t, server.Listen(t.Context(), "tcp://127.0.0.1:0"))
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.Background()) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.NoError(t, <-served)
	})

	picture := filepath.Join(t.ArtifactDir(), "chat.png")
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "testdata/browser.js", "http://"+server.Addrs()[0].String()+"/", picture).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "done\n")
	file, err := os.Open(picture)
	require.NoError(t, err)
	defer file.Close()
	shot, err := png.Decode(file)
	require.NoError(t, err)
	require.Equal(t, 1280, shot.Bounds().Dx())
}
