package transport

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/stretchr/testify/require"
)

func TestFilesAreSentBetweenBytes(t *testing.T) {
	content := fill(8<<20 + 123)
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	for name, goroutines := range map[string]bool{"on loops": false, "on goroutines": true} {
		t.Run(name, func(t *testing.T) {
			s := &Server{Goroutines: goroutines, Init: with(active(func(ctx *pipeline.Context) error {
				f, err := os.Open(path)
				if err != nil {
					return err
				}
				if err := ctx.Write(buffer.FromString("head")); err != nil {
					return err
				}
				if err := ctx.Write(pipeline.NewFileRegion(f, 100, len(content)-100, true)); err != nil {
					return err
				}
				if err := ctx.Write(buffer.FromString("tail")); err != nil {
					return err
				}
				ctx.Close()
				return nil
			}))}
			serve(t, s)
			all, err := io.ReadAll(connectTo(t, s, 0))
			require.NoError(t, err)
			require.Len(t, all, len(content)-100+8)
			require.Equal(t, "head", string(all[:4]))
			require.Equal(t, content[100:], all[4:len(all)-4])
			require.Equal(t, "tail", string(all[len(all)-4:]))
		})
	}
}

func TestFileThatIsTooShortEndsTheConnection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
	for name, goroutines := range map[string]bool{"on loops": false, "on goroutines": true} {
		t.Run(name, func(t *testing.T) {
			failed := make(chan error, 1)
			s := &Server{Goroutines: goroutines, Options: pipeline.Options{Logger: quiet}, Init: with(active(func(ctx *pipeline.Context) error {
				f, err := os.Open(path)
				if err != nil {
					return err
				}
				p := ctx.NewPromise()
				p.OnDone(func(err error) { failed <- err })
				ctx.WriteWith(pipeline.NewFileRegion(f, 0, 100, true), p)
				return nil
			}))}
			serve(t, s)
			all, _ := io.ReadAll(connectTo(t, s, 0)) // how it ends is the promise's business
			require.Equal(t, "short", string(all))
			require.ErrorIs(t, receive(t, failed), io.ErrUnexpectedEOF)
		})
	}
}

func TestSendFileSaysWhereTheFileEnds(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteString("short")
	require.NoError(t, err)
	for name, goroutines := range map[string]bool{"on loops": false, "on goroutines": true} {
		t.Run(name, func(t *testing.T) {
			s := &Server{Goroutines: goroutines, Init: echoInit}
			serve(t, s)
			connectTo(t, s, 0)
			ch := one(t, s)
			sender, ok := ch.Transport().(pipeline.FileSender)
			if !ok {
				return // not on this system: the channel reads the file itself
			}
			onLoop(t, ch, func() {
				n, err := sender.SendFile(f, 5, 10)
				require.Zero(t, n)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				require.NotErrorIs(t, err, io.EOF)
			})
		})
	}
}
