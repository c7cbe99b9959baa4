package httpx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

// formPart is what a test sees of a part.
type formPart struct {
	Name, FileName string
	File           bool
	Content        string
}

// formReader collects what a Multipart finds.
type formReader struct {
	*Multipart
	tb    testing.TB
	parts []formPart
	ended bool
	done  bool
}

func newFormReader(tb testing.TB, boundary string) *formReader {
	tb.Helper()
	r := &Request{}
	require.NoError(tb, r.Header.Add("Content-Type", "multipart/form-data; boundary="+boundary))
	m, err := NewMultipart(r)
	require.NoError(tb, err)
	f := &formReader{Multipart: m, tb: tb, ended: true}
	m.Begin = func(p *Part) error {
		require.True(tb, f.ended)
		f.ended = false
		f.parts = append(f.parts, formPart{p.Name, p.FileName, p.File, ""})
		return nil
	}
	m.Data = func(_ *Part, data buffer.Slice) error {
		require.False(tb, f.ended)
		require.NotZero(tb, data.Len())
		f.parts[len(f.parts)-1].Content += string(data.Bytes())
		data.Release()
		return nil
	}
	m.End = func(p *Part) error {
		require.False(tb, f.ended)
		require.Equal(tb, f.parts[len(f.parts)-1].Name, p.Name)
		f.ended = true
		return nil
	}
	m.Done = func() error {
		require.True(tb, f.ended && !f.done)
		f.done = true
		return nil
	}
	return f
}

// feed hands over input in pieces that end at the cuts, and the end.
func (f *formReader) feed(input []byte, cuts []int) error {
	f.tb.Helper()
	from := 0
	for _, to := range append(cuts, len(input)) {
		b := buffer.FromBytes(input[from:to])
		c := NewContent(b.ReadSlice(to - from))
		b.Release()
		last := to == len(input)
		c.Last = last
		from = to
		if err := f.Take(c); err != nil || last {
			return err
		}
	}
	return f.Take(EmptyLast)
}

// readForm reads input whole and at every cut, octet by octet and cut at random; all must come out alike.
func readForm(t *testing.T, boundary, input string, set func(f *formReader)) (parts []formPart, done bool, err error) {
	t.Helper()
	held := buffer.SharedStats().Live
	read := func(cuts []int) ([]formPart, bool, error) {
		f := newFormReader(t, boundary)
		if set != nil {
			set(f)
		}
		err := f.feed([]byte(input), cuts)
		return f.parts, f.done, err
	}
	parts, done, err = read(nil)
	same := func(cuts []int) {
		p, d, e := read(cuts)
		require.Equal(t, err, e, "cut at %v", cuts)
		require.Equal(t, done, d, "cut at %v", cuts)
		if err == nil {
			require.Equal(t, parts, p, "cut at %v", cuts)
		}
	}
	every := make([]int, 0, len(input))
	for i := range len(input) {
		if i > 0 {
			every = append(every, i)
			same([]int{i})
		}
	}
	same(every)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		same(randomCuts(random, len(input)))
	}
	require.Equal(t, held, buffer.SharedStats().Live, "buffers still held")
	return parts, done, err
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

const browserForm = `------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="note"

Grüße
------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="upload"; filename="a.txt"
Content-Type: text/plain

line one

--line two
------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="empty"; filename=""
Content-Type: application/octet-stream


------WebKitFormBoundary7MA4YWxkTrZu0gW--
`

func TestFormOfABrowserIsRead(t *testing.T) {
	parts, done, err := readForm(t, "----WebKitFormBoundary7MA4YWxkTrZu0gW", crlf(browserForm), nil)
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, []formPart{
		{"note", "", false, "Grüße"},
		{"upload", "a.txt", true, "line one\r\n\r\n--line two"},
		{"empty", "", true, ""},
	}, parts)
}

func TestFormsAreCutAtTheirBoundaries(t *testing.T) {
	const head = "Content-Disposition: form-data; name=a\n"
	for name, c := range map[string]struct{ input, want string }{
		"one part":                    {"--b\n" + head + "\nx\n--b--", "x"},
		"preamble and epilogue":       {"before\n\n--bb\n--b\n" + head + "\nx\n--b--\nafter\n--b\n", ""},
		"preamble":                    {"before\n\n--c\n--b\n" + head + "\nx\n--b--", "x"},
		"epilogue":                    {"--b\n" + head + "\nx\n--b--\nafter\n--b\n", "x"},
		"blanks behind a boundary":    {"--b \t \n" + head + "\nx\n--b--  ", "x"},
		"empty content":               {"--b\n" + head + "\n\n--b--", ""},
		"nothing but a header":        {"--b\n" + head + "\n--b--", ""},
		"content of a line end":       {"--b\n" + head + "\n\n\n--b--", "\n"},
		"content that begins with it": {"--b\n" + head + "\n--x\n--b--", "--x"},
		"nearly a boundary":           {"--b\n" + head + "\n\n--\n--a\n\n--b--", "\n--\n--a\n"},
		"many line ends":              {"--b\n" + head + "\n\n\n\n\n--b--", "\n\n\n"},
		"bare CR":                     {"--b\n" + head + "\n\r\r\n\r\n--b--", "\r\r\n\r"},
		"no parts":                    {"--b--", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			parts, done, err := readForm(t, "b", crlf(c.input), nil)
			if strings.Contains(c.input, "--bb") {
				requireStatus(t, 400, err) // RFC 2046, 5.1.1: a line that begins like a boundary is one
				return
			}
			require.NoError(t, err)
			require.True(t, done)
			if c.want == "none" {
				require.Empty(t, parts)
				return
			}
			require.Equal(t, []formPart{{"a", "", false, crlf(c.want)}}, parts)
		})
	}
}

func TestFormsThatBreakTheRulesAreRefused(t *testing.T) {
	const head = "Content-Disposition: form-data; name=a\n"
	for name, input := range map[string]string{
		"nothing":                       "",
		"no boundary":                   "hello",
		"no end":                        "--b\n" + head + "\nx",
		"ends in a header":              "--b\n" + head,
		"ends behind a boundary":        "--b\n" + head + "\nx\n--b",
		"ends within the last one":      "--b\n" + head + "\nx\n--b-",
		"one hyphen":                    "--b\n" + head + "\nx\n--b-x",
		"text behind the last one":      "--b\n" + head + "\nx\n--b--x",
		"CR behind the last one":        "--b\n" + head + "\nx\n--b--\rx",
		"ends in a CR":                  "--b\n" + head + "\nx\n--b--\r",
		"text behind a boundary":        "--bx\n" + head + "\nx\n--b--",
		"bare LF in a header":           "--b\nContent-Disposition: form-data; name=a\x00\n\nx\n--b--",
		"no colon":                      "--b\nhello\n\nx\n--b--",
		"a folded line":                 "--b\nContent-Disposition: form-data;\n name=a\n\nx\n--b--",
		"no disposition":                "--b\nContent-Type: a/b\n\nx\n--b--",
		"two dispositions":              "--b\n" + head + head + "\nx\n--b--",
		"another disposition":           "--b\nContent-Disposition: attachment; name=a\n\nx\n--b--",
		"no name":                       "--b\nContent-Disposition: form-data; filename=a\n\nx\n--b--",
		"two names":                     "--b\nContent-Disposition: form-data; name=a; name=b\n\nx\n--b--",
		"a name that is not closed":     "--b\nContent-Disposition: form-data; name=\"a\n\nx\n--b--",
		"a transfer encoding":           "--b\n" + head + "Content-Transfer-Encoding: base64\n\nx\n--b--",
		"a second part that is refused": "--b\n" + head + "\nx\n--b\n\ny\n--b--",
	} {
		t.Run(name, func(t *testing.T) {
			_, done, err := readForm(t, "b", crlf(input), nil)
			requireStatus(t, 400, err)
			require.False(t, done)
		})
	}
	_, _, err := readForm(t, "b", "--b\nContent-Disposition: form-data; name=a\n\nx\n--b--", nil)
	requireStatus(t, 400, err)
	_, _, err = readForm(t, "b", "--b\r\nContent-Disposition: form-data; name=a\n\r\nx\r\n--b--", nil)
	requireStatus(t, 400, err)
}

func formOf(parts ...string) string {
	var b strings.Builder
	for i, p := range parts {
		fmt.Fprintf(&b, "--b\r\nContent-Disposition: form-data; name=n%d\r\n\r\n%s\r\n", i, p)
	}
	return b.String() + "--b--"
}

func TestFormsAreLimited(t *testing.T) {
	const head = "--b\r\nContent-Disposition: form-data; name=a\r\n"
	for name, c := range map[string]struct {
		input string
		set   func(f *formReader)
		want  int
	}{
		"parts":             {formOf("1", "2"), func(f *formReader) { f.MaxParts = 2 }, 0},
		"too many parts":    {formOf("1", "2", "3"), func(f *formReader) { f.MaxParts = 2 }, 413},
		"octets":            {formOf("1"), func(f *formReader) { f.MaxBytes = int64(len(formOf("1"))) }, 0},
		"too many octets":   {formOf("12"), func(f *formReader) { f.MaxBytes = int64(len(formOf("1"))) }, 413},
		"a header":          {head + "\r\n\r\n--b--", func(f *formReader) { f.MaxPartHead = len(head) - len("--b\r\n") }, 0},
		"too long a header": {head + "\r\n\r\n--b--", func(f *formReader) { f.MaxPartHead = len(head) - len("--b\r\n") - 1 }, 431},
		"an endless header": {head + strings.Repeat("x", 100), func(f *formReader) { f.MaxPartHead = 99 }, 431},
		"too many fields":   {head + "A: b\r\nC: d\r\n\r\n\r\n--b--", func(f *formReader) { f.MaxFields = 2 }, 431},
		"fields":            {head + "A: b\r\n\r\n\r\n--b--", func(f *formReader) { f.MaxFields = 2 }, 0},
		"a long value": {formOf("12"), func(f *formReader) {
			f.MaxValue = 2
			f.Value = func(*Part, []byte) error { return nil }
		}, 0},
		"too long a value": {formOf("123"), func(f *formReader) {
			f.MaxValue = 2
			f.Value = func(*Part, []byte) error { return nil }
		}, 413},
	} {
		t.Run(name, func(t *testing.T) {
			_, done, err := readForm(t, "b", c.input, c.set)
			require.Equal(t, c.want == 0, done)
			if c.want != 0 {
				requireStatus(t, c.want, err)
			}
		})
	}
}

func TestFormValuesComeWhole(t *testing.T) {
	var values []string
	input := formOf("one", "\r\n--two\r\n", "") + "\r\n"
	input = "--b\r\nContent-Disposition: form-data; name=f; filename=g\r\n\r\nfile\r\n" + input
	parts, done, err := readForm(t, "b", input, func(f *formReader) {
		values = nil
		f.Value = func(p *Part, value []byte) error {
			values = append(values, p.Name+"="+string(value))
			return nil
		}
	})
	require.NoError(t, err)
	require.True(t, done)
	require.Equal(t, []string{"n0=one", "n1=\r\n--two\r\n", "n2="}, values)
	require.Equal(t, []formPart{{"f", "g", true, "file"}}, parts)
}

func TestFormEndsWithTheFirstErrorOfAFunction(t *testing.T) {
	sick := errors.New("sick")
	for name, set := range map[string]func(f *formReader){
		"begin": func(f *formReader) { f.Begin = func(*Part) error { return sick } },
		"data": func(f *formReader) {
			f.Data = func(_ *Part, data buffer.Slice) error { data.Release(); return sick }
		},
		"end":   func(f *formReader) { f.End = func(*Part) error { return sick } },
		"value": func(f *formReader) { f.Value = func(*Part, []byte) error { return sick } },
		"done":  func(f *formReader) { f.Done = func() error { return sick } },
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readForm(t, "b", formOf("one", "two"), set)
			require.ErrorIs(t, err, sick)
		})
	}
	f := newFormReader(t, "b")
	require.Error(t, f.feed([]byte("x"), nil))
	requireStatus(t, 400, f.Take(EmptyLast))
}

func TestFormIsReadWithoutFunctions(t *testing.T) {
	_, _, err := readForm(t, "b", formOf("one", "\r\n--two"), func(f *formReader) {
		f.Begin, f.Data, f.End, f.Done = nil, nil, nil, nil
	})
	require.NoError(t, err)
}

func TestFormNeedsItsMediaTypeAndABoundary(t *testing.T) {
	for value, want := range map[string]int{
		"multipart/form-data; boundary=b":                          0,
		`Multipart/Form-Data; Boundary="a b?"`:                     0,
		"multipart/form-data; boundary=" + strings.Repeat("b", 70): 0,
		"multipart/form-data; boundary=" + strings.Repeat("b", 71): 400,
		"multipart/form-data":                                      400,
		`multipart/form-data; boundary=""`:                         400,
		`multipart/form-data; boundary="a "`:                       400,
		`multipart/form-data; boundary="a;"`:                       400,
		"multipart/form-data; boundary=a; boundary=b":              415,
		"multipart/mixed; boundary=b":                              415,
		"application/x-www-form-urlencoded":                        415,
		"":                                                         415,
	} {
		r := &Request{}
		require.NoError(t, r.Header.Add("Content-Type", value))
		_, err := NewMultipart(r)
		if want == 0 {
			require.NoError(t, err, value)
		} else {
			requireStatus(t, want, err)
		}
	}
}

// A line end at every place makes a delimiter seem to begin again and again.
func TestFormsOfNearlyBoundariesTakeLinearTime(t *testing.T) {
	var work [2]int
	for i, n := range []int{1000, 4000} {
		f := newFormReader(t, "bbbbbbbb")
		pieces := 0
		f.Data = func(_ *Part, data buffer.Slice) error {
			pieces++
			data.Release()
			return nil
		}
		input := "--bbbbbbbb\r\nContent-Disposition: form-data; name=a\r\n\r\n" + strings.Repeat("\r\n--bbbbbbb\r", n) + "\r\n--bbbbbbbb--"
		require.NoError(t, f.feed([]byte(input), []int{len(input) / 2}))
		work[i] = pieces
	}
	require.LessOrEqual(t, work[1], 4, "pieces are not cut at what is no boundary")
	require.Equal(t, work[0], work[1])
}

// FuzzMultipart checks that every cut gives the same, and that the standard library finds the same parts.
func FuzzMultipart(f *testing.F) {
	const boundary = "b"
	f.Add([]byte(strings.ReplaceAll(crlf(browserForm), "----WebKitFormBoundary7MA4YWxkTrZu0gW", boundary)), uint64(1))
	f.Add([]byte(formOf("one", "\r\n--two", "")), uint64(2))
	f.Add([]byte("before\r\n--b \r\nContent-Disposition: form-data; name=a\r\n\r\n--b--\r\nafter"), uint64(3))
	f.Fuzz(func(t *testing.T, input []byte, seed uint64) {
		whole := newFormReader(t, boundary)
		wantErr := whole.feed(input, nil)
		random := rand.New(rand.NewPCG(seed, 0))
		for range 3 {
			cut := newFormReader(t, boundary)
			err := cut.feed(input, randomCuts(random, len(input)))
			require.Equal(t, wantErr, err)
			if err == nil {
				require.Equal(t, whole.parts, cut.parts)
			}
		}
		if wantErr == nil {
			requireStandardForm(t, input, boundary, whole.parts)
		}
	})
}

func requireStandardForm(t *testing.T, input []byte, boundary string, want []formPart) {
	t.Helper()
	if bytes.Count(input, []byte("\n")) != bytes.Count(input, []byte("\r\n")) {
		return // LF alone ends a line there
	}
	r := multipart.NewReader(bytes.NewReader(input), boundary)
	for i := 0; ; i++ {
		p, err := r.NextRawPart()
		if err != nil {
			require.True(t, errors.Is(err, io.EOF) && i == len(want) || strings.Contains(err.Error(), "malformed MIME"), "%v: %q", err, input)
			return
		}
		content, err := io.ReadAll(p)
		require.NoError(t, err)
		require.Equal(t, want[i].Content, string(content), "%q", input)
		if p.FormName() != "" && !strings.ContainsAny(string(input), `\*`) {
			require.Equal(t, want[i].Name, p.FormName(), "%q", input)
		}
	}
}

func TestFormIsReadFromAnExchange(t *testing.T) {
	type saved struct{ name, content string }
	var files []saved
	serve := func(_ *pipeline.Context, x *Exchange) error {
		form, err := NewMultipart(x.Request)
		if err != nil {
			return err
		}
		form.Begin = func(p *Part) error {
			files = append(files, saved{name: p.FileName})
			return nil
		}
		form.Data = func(_ *Part, data buffer.Slice) error {
			files[len(files)-1].content += string(data.Bytes())
			data.Release()
			return nil
		}
		form.Done = func() error { return x.RespondText(200, "thanks") }
		return x.OnBody(form.Take)
	}
	ch := pipelinetest.NewInit(t, pipelinetest.Config{Whole: true}, Init(ServerConfig{Handle: serve}))
	const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: "
	body := "--b\r\nContent-Disposition: form-data; name=f; filename=g\r\n\r\n" + strings.Repeat("x", 5000) + "\r\n--b--"
	ch.Feed(fmt.Sprintf("%s%d\r\n\r\n%s", head, len(body), body))
	require.Contains(t, ch.Wire(), "HTTP/1.1 200 OK")
	require.Equal(t, []saved{{"g", strings.Repeat("x", 5000)}}, files)
	ch.Feed(head + "5\r\n\r\nhello")
	require.Contains(t, ch.Wire(), "HTTP/1.1 400 ")
	ch.Feed("POST / HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Contains(t, ch.Wire(), "HTTP/1.1 415 ")
}
