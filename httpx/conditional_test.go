package httpx

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	atOne    = "Thu, 01 Jan 2026 00:00:01 GMT"
	atTwo    = "Thu, 01 Jan 2026 00:00:02 GMT"
	atTwoOld = "Thursday, 01-Jan-26 00:00:02 GMT"
	atThree  = "Thu, 01 Jan 2026 00:00:03 GMT"
)

// version is what the tests ask about; its time has a fraction, as files have.
var version = Representation{ETag: `"a"`, Modified: time.Date(2026, 1, 1, 0, 0, 2, 999, time.UTC)}

func TestConditionsAreEvaluatedInTheirOrder(t *testing.T) {
	weak, none, noTag := version, Representation{}, version
	weak.ETag, noTag.ETag = `W/"a"`, ""
	untimed := Representation{ETag: `"a"`}
	bare := Representation{Exists: true}
	for name, c := range map[string]struct {
		v      Representation
		method Method
		fields string // lines
		want   int
	}{
		"no condition":                          {version, "GET", "", 0},
		"if-match holds":                        {version, "PUT", `If-Match: "b", "a"`, 0},
		"if-match fails":                        {version, "PUT", `If-Match: "b"`, 412},
		"if-match fails for GET":                {version, "GET", `If-Match: "b"`, 412},
		"if-match compares strongly":            {weak, "PUT", `If-Match: W/"a"`, 412},
		"if-match star":                         {bare, "PUT", `If-Match: *`, 0},
		"if-match star, nothing there":          {none, "PUT", `If-Match: *`, 412},
		"if-match unreadable":                   {version, "PUT", `If-Match: a`, 412},
		"if-match makes the date moot":          {version, "PUT", "If-Match: \"a\"\nIf-Unmodified-Since: " + atOne, 0},
		"if-unmodified-since holds":             {version, "PUT", "If-Unmodified-Since: " + atTwo, 0},
		"if-unmodified-since fails":             {version, "PUT", "If-Unmodified-Since: " + atOne, 412},
		"if-unmodified-since is no date":        {version, "PUT", "If-Unmodified-Since: yesterday", 0},
		"if-unmodified-since, no time":          {untimed, "PUT", "If-Unmodified-Since: " + atOne, 0},
		"if-none-match fails for GET":           {version, "GET", `If-None-Match: "a"`, 304},
		"if-none-match fails for HEAD":          {version, "HEAD", `If-None-Match: W/"a"`, 304},
		"if-none-match fails for others":        {version, "PUT", `If-None-Match: "a"`, 412},
		"if-none-match holds":                   {version, "GET", `If-None-Match: "b"`, 0},
		"if-none-match compares weakly":         {weak, "GET", `If-None-Match: "a"`, 304},
		"if-none-match star creates":            {none, "PUT", `If-None-Match: *`, 0},
		"if-none-match star does not overwrite": {bare, "PUT", `If-None-Match: *`, 412},
		"if-none-match unreadable, GET":         {version, "GET", `If-None-Match: a`, 0},
		"if-none-match unreadable, PUT":         {version, "PUT", `If-None-Match: a`, 412},
		"if-none-match makes the date moot":     {version, "GET", "If-None-Match: \"b\"\nIf-Modified-Since: " + atThree, 0},
		"if-modified-since fails":               {version, "GET", "If-Modified-Since: " + atTwo, 304},
		"if-modified-since, old form":           {version, "GET", "If-Modified-Since: " + atTwoOld, 304},
		"if-modified-since holds":               {version, "HEAD", "If-Modified-Since: " + atOne, 0},
		"if-modified-since is for reading":      {version, "POST", "If-Modified-Since: " + atThree, 0},
		"if-modified-since is no date":          {version, "GET", "If-Modified-Since: x", 0},
		"if-modified-since, no time":            {untimed, "GET", "If-Modified-Since: " + atThree, 0},
		"if-match and if-none-match":            {version, "GET", "If-Match: \"a\"\nIf-None-Match: \"a\"", 304},
		"both dates":                            {noTag, "GET", "If-Unmodified-Since: " + atTwo + "\nIf-Modified-Since: " + atTwo, 304},
		"OPTIONS has no conditions":             {version, "OPTIONS", `If-Match: "b"`, 0},
		"two lines":                             {version, "GET", "If-None-Match: \"b\"\nIf-None-Match: \"a\"", 304},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Request{Method: c.method}
			for line := range strings.Lines(c.fields) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				require.NoError(t, r.Header.Add(name, value))
			}
			require.Equal(t, c.want, c.v.Check(r))
			requireStandardConditions(t, &c.v, r, c.want)
		})
	}
}

// requireStandardConditions compares with what the file server of the standard library answers.
func requireStandardConditions(t *testing.T, v *Representation, r *Request, want int) {
	t.Helper()
	if v.Modified.IsZero() || v.ETag == "" || r.Method != MethodGet && r.Method != MethodHead {
		return // it reads only, and always has a time
	}
	request := httptest.NewRequest(string(r.Method), "/", nil)
	for name, value := range r.Header.All() {
		request.Header.Add(string(name), string(value))
	}
	if len(request.Header["If-None-Match"]) > 1 {
		return // it looks at one line only
	}
	w := httptest.NewRecorder()
	w.Header().Set("ETag", v.ETag)
	http.ServeContent(w, request, "", v.Modified, strings.NewReader("x"))
	if want == 0 {
		want = 200
	}
	require.Equal(t, want, w.Code)
}

func TestRangesAreAllowedForTheSameRepresentationOnly(t *testing.T) {
	weak, noTag := version, version
	weak.ETag, noTag.ETag = `W/"a"`, ""
	for name, c := range map[string]struct {
		v       Representation
		ifRange string
		want    bool
	}{
		"the tag":                       {version, `"a"`, true},
		"another tag":                   {version, `"b"`, false},
		"a weak tag":                    {version, `W/"a"`, false},
		"both weak":                     {weak, `W/"a"`, false},
		"a list":                        {version, `"a", "b"`, false},
		"the date":                      {version, atTwo, true},
		"the date without a tag":        {noTag, atTwo, true},
		"the date beside a weak tag":    {weak, atTwo, false},
		"a later date":                  {version, atThree, false},
		"an earlier date":               {version, atOne, false},
		"no date":                       {version, "x", false},
		"nothing to compare":            {Representation{}, `"a"`, false},
		"a tag where there is only one": {noTag, `"a"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			var h Header
			require.True(t, c.v.AllowsRange(&h))
			require.NoError(t, h.Add("If-Range", c.ifRange))
			require.Equal(t, c.want, c.v.AllowsRange(&h))
			require.NoError(t, h.Add("If-Range", c.ifRange))
			require.False(t, c.v.AllowsRange(&h), "two lines")
		})
	}
}

func TestValidatorsAreWritten(t *testing.T) {
	var h Header
	require.NoError(t, version.Validators(&h))
	require.Equal(t, `"a"`, string(h.Get("etag")))
	require.Equal(t, atTwo, string(h.Get("last-modified")))
	h.Reset()
	require.NoError(t, new(Representation).Validators(&h))
	require.Zero(t, h.Len())
	requireStatus(t, 0, (&Representation{ETag: "a", Modified: someDay}).Validators(&h))
	require.Zero(t, h.Len())
}
