package httpx

import (
	"bytes"
	"math/rand/v2"
	"mime/multipart"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestFormsOfTheStandardLibraryAreRead draws forms with contents that are full of what a boundary is made of.
func TestFormsOfTheStandardLibraryAreRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		require.NoError(t, w.SetBoundary(rapid.SampledFrom([]string{"b", "--", "boundary", "a-b"}).Draw(rt, "boundary")))
		var want []formPart
		pieces := []string{"\r", "\n", "-", "--", "\r\n", "\r\n-", "b", "x", "\r\n--c", "\x00\xff"}
		for range rapid.IntRange(1, 4).Draw(rt, "parts") {
			content := ""
			for range rapid.IntRange(0, 12).Draw(rt, "pieces") {
				content += rapid.SampledFrom(pieces).Draw(rt, "piece")
			}
			if bytes.Contains([]byte("\r\n"+content), []byte("\r\n--"+w.Boundary())) {
				continue // no content may
			}
			p := formPart{Name: rapid.SampledFrom([]string{"a", "ü \"q\"", "x\\y"}).Draw(rt, "name"), Content: content}
			var err error
			part := new(bytes.Buffer)
			if rapid.Bool().Draw(rt, "file") {
				p.File, p.FileName = true, "f.bin"
				to, createErr := w.CreateFormFile(p.Name, "dir/f.bin")
				require.NoError(t, createErr)
				_, err = to.Write([]byte(content))
			} else {
				part.WriteString(content)
				err = w.WriteField(p.Name, part.String())
			}
			require.NoError(t, err)
			want = append(want, p)
		}
		require.NoError(t, w.Close())
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		f := newFormReader(t, w.Boundary())
		err := f.feed(body.Bytes(), randomCuts(random, body.Len()))
		if len(want) == 0 {
			return // the standard library begins such a form with an empty line that belongs to no part
		}
		require.NoError(t, err, "%q", body.String())
		require.True(t, f.done)
		require.Equal(t, want, f.parts)
	})
}
