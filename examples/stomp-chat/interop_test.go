//go:build interop

package main

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peer runs a program for Node with the chat's address and more arguments.
func peer(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, "node", append([]string{"testdata/" + program}, args...)...)
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
	require.Contains(t, string(out), "done\n")
}

// TestStompJSInNode runs @stomp/stompjs as Node's npm has it, over its package ws, in each version.
func TestStompJSInNode(t *testing.T) {
	addr := listen(t)
	for _, version := range []string{"1.0", "1.1", "1.2"} {
		t.Run(version, func(t *testing.T) { peer(t, "stompjs.mjs", "ws://"+addr+"/chat", version) })
	}
}

// TestTwoBrowsersTalk runs Chromium, driven by Node's playwright-core, on the chat's page: texts and a picture. With
// -artifacts a picture of the page stays.
func TestTwoBrowsersTalk(t *testing.T) {
	given := filepath.Join(t.TempDir(), "given.png")
	drawn := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range drawn.Pix {
		drawn.Pix[i] = byte(i*i) | 0x80
	}
	drawn.Set(0, 0, color.White)
	file, err := os.Create(given)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, drawn))
	require.NoError(t, file.Close())

	picture := filepath.Join(t.ArtifactDir(), "stomp-chat.png")
	peer(t, "browser.cjs", "http://"+listen(t)+"/", given, picture)
	file, err = os.Open(picture)
	require.NoError(t, err)
	defer file.Close()
	shot, err := png.Decode(file)
	require.NoError(t, err)
	require.Equal(t, 1280, shot.Bounds().Dx())
}
