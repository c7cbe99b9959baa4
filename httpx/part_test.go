package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileNamesAreMadeHarmless(t *testing.T) {
	for name, want := range map[string]string{
		"a.txt":                    "a.txt",
		"Grüße aus 東京.txt":         "Grüße aus 東京.txt",
		"/etc/passwd":              "passwd",
		"../../a":                  "a",
		`C:\Users\a\b.txt`:         "b.txt",
		`a\..\b/c`:                 "c",
		"dir/":                     "",
		".":                        "",
		"..":                       "",
		"...":                      "",
		" .. ":                     "",
		".profile":                 ".profile",
		"a\x00b\nc\x7f\u0085":      "abc",
		"a\u202egnp.exe":           "agnp.exe",
		"a\xffb":                   "ab",
		"  a  ":                    "a",
		"":                         "",
		strings.Repeat("a", 300):   strings.Repeat("a", 255),
		strings.Repeat("ü", 200):   strings.Repeat("ü", 127),
		strings.Repeat(" a", 200):  strings.Repeat(" a", 200)[1:256],
		strings.Repeat("a ", 200):  strings.Repeat("a ", 200)[:255],
		strings.Repeat("\x00", 99): "",
	} {
		got := cleanFileName(name)
		require.Equal(t, want, got, "%q", name)
		require.Equal(t, got, cleanFileName(got), "made harmless twice")
	}
}

func TestDispositionIsReadAsBrowsersWriteIt(t *testing.T) {
	for value, want := range map[string]formPart{
		`form-data; name="a"`:                             {"a", "", false, ""},
		`Form-Data;name=a;filename=b`:                     {"a", "b", true, ""},
		`form-data; name="a\"b\\c"`:                       {`a"b\c`, "", false, ""},
		`form-data; name="a"; filename="C:\dir\x.txt"`:    {"a", "x.txt", true, ""},
		`form-data; name="a%22b"; filename="%2e%2e"`:      {"a%22b", "%2e%2e", true, ""},
		`form-data; name=""; filename=".."`:               {"", "", true, ""},
		`form-data; name="a"; filename*=UTF-8''x`:         {"a", "", false, ""},
		`form-data; name="ü"; filename="ü"; x=y`:          {"ü", "ü", true, ""},
		`form-data; filename="b;name=c"; name="a"`:        {"a", "b;name=c", true, ""},
		`form-data; name="a"; filename="b/c\\d\e.tar.gz"`: {"a", "e.tar.gz", true, ""},
	} {
		var p Part
		require.NoError(t, p.Header.Add("Content-Disposition", value))
		require.NoError(t, p.parse(), value)
		require.Equal(t, want, formPart{p.Name, p.FileName, p.File, ""}, value)
	}
}
