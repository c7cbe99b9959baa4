package httpx

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCookiesAreWrittenWithTheirAttributes(t *testing.T) {
	expires := time.Date(2030, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	for want, c := range map[string]SetCookie{
		"a=b":                        {Name: "a", Value: "b"},
		"a=":                         {Name: "a"},
		"a=b; Path=/c d":             {Name: "a", Value: "b", Path: "/c d"},
		"a=b; Domain=x.example":      {Name: "a", Value: "b", Domain: "x.example"},
		"a=b; Domain=y.example":      {Name: "a", Value: "b", Domain: ".y.example"},
		"a=b; Domain=127.0.0.1":      {Name: "a", Value: "b", Domain: "127.0.0.1"},
		"a=b; Max-Age=60":            {Name: "a", Value: "b", MaxAge: time.Minute},
		"a=b; Max-Age=1":             {Name: "a", Value: "b", MaxAge: time.Nanosecond},
		"a=b; Max-Age=2":             {Name: "a", Value: "b", MaxAge: time.Second + 1},
		"a=b; Max-Age=9223372037":    {Name: "a", Value: "b", MaxAge: 1<<63 - 1},
		"a=b; Max-Age=0":             {Name: "a", Value: "b", MaxAge: -1},
		"a=b; Secure":                {Name: "a", Value: "b", Secure: true},
		"a=b; HttpOnly":              {Name: "a", Value: "b", HTTPOnly: true},
		"a=b; SameSite=Lax":          {Name: "a", Value: "b", SameSite: SameSiteLax},
		"a=b; SameSite=Strict":       {Name: "a", Value: "b", SameSite: SameSiteStrict},
		"a=b; Secure; SameSite=None": {Name: "a", Value: "b", SameSite: SameSiteNone, Secure: true},
		"a=b; Secure; Partitioned":   {Name: "a", Value: "b", Secure: true, Partitioned: true},
		"__Host-a=b; Path=/; Secure": {Name: "__Host-a", Value: "b", Path: "/", Secure: true},
		"__Secure-a=b; Secure":       {Name: "__Secure-a", Value: "b", Secure: true},
		"a=b; Path=/; Domain=e.example; Expires=Wed, 02 Jan 2030 02:04:05 GMT; Max-Age=1; Secure; HttpOnly; SameSite=Strict; Partitioned": {
			Name: "a", Value: "b", Path: "/", Domain: "e.example", Expires: expires, MaxAge: time.Second,
			Secure: true, HTTPOnly: true, SameSite: SameSiteStrict, Partitioned: true,
		},
	} {
		t.Run(want, func(t *testing.T) {
			var h Header
			require.NoError(t, h.AddCookie(&c))
			require.Equal(t, want, string(h.Get("set-cookie")))
			require.LessOrEqual(t, len(want), c.size())
		})
	}
}

func TestCookiesThatInjectOrAreDroppedByBrowsersAreRefused(t *testing.T) {
	for name, c := range map[string]SetCookie{
		"no name":                       {Value: "b"},
		"name with a blank":             {Name: "a b"},
		"name with an equals sign":      {Name: "a=b"},
		"name with a semicolon":         {Name: "a;b"},
		"value with a semicolon":        {Name: "a", Value: "b; Domain=evil.example"},
		"value with a line end":         {Name: "a", Value: "b\r\nX: y"},
		"value with a blank":            {Name: "a", Value: "b c"},
		"value with a comma":            {Name: "a", Value: "b,c"},
		"value with quotes":             {Name: "a", Value: `"b"`},
		"value with a backslash":        {Name: "a", Value: `b\c`},
		"value above ASCII":             {Name: "a", Value: "ü"},
		"path with a semicolon":         {Name: "a", Path: "/;Secure"},
		"path with a line end":          {Name: "a", Path: "/\n"},
		"path with a tab":               {Name: "a", Path: "/\t"},
		"path that is not absolute":     {Name: "a", Path: "b"},
		"path too long":                 {Name: "a", Path: "/" + strings.Repeat("p", 1024)},
		"domain with a semicolon":       {Name: "a", Domain: "e.example;Secure"},
		"domain with a port":            {Name: "a", Domain: "e.example:80"},
		"domain with an empty label":    {Name: "a", Domain: "e..example"},
		"domain of a point":             {Name: "a", Domain: "."},
		"domain with a point behind":    {Name: "a", Domain: "e.example."},
		"domain with a hyphen in front": {Name: "a", Domain: "-e.example"},
		"year before 1601":              {Name: "a", Expires: time.Date(1600, 12, 31, 0, 0, 0, 0, time.UTC)},
		"year of five digits":           {Name: "a", Expires: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"no such SameSite":              {Name: "a", SameSite: 9},
		"SameSite=None without Secure":  {Name: "a", SameSite: SameSiteNone},
		"Partitioned without Secure":    {Name: "a", Partitioned: true},
		"__Secure- without Secure":      {Name: "__Secure-a"},
		"__Host- without Secure":        {Name: "__Host-a", Path: "/"},
		"__host- with a domain":         {Name: "__host-a", Path: "/", Secure: true, Domain: "e.example"},
		"__Host- with another path":     {Name: "__Host-a", Path: "/b", Secure: true},
		"too large":                     {Name: "a", Value: strings.Repeat("b", MaxCookieBytes)},
	} {
		t.Run(name, func(t *testing.T) {
			var h Header
			requireStatus(t, 0, h.AddCookie(&c))
			require.Zero(t, h.Len())
		})
	}
}

// FuzzSetCookie checks that a cookie is refused, or is one line that the standard library reads as exactly that cookie.
func FuzzSetCookie(f *testing.F) {
	f.Add("a", "b", "/", "e.example", int64(60), false)
	f.Add("__Host-a", "b", "/", "", int64(-1), true)
	f.Add("a", "b;c", "/\r\n", "e", int64(0), true)
	f.Fuzz(func(t *testing.T, name, value, path, domain string, age int64, secure bool) {
		c := SetCookie{Name: name, Value: value, Path: path, Domain: domain, MaxAge: time.Duration(age), Secure: secure}
		var h Header
		if h.AddCookie(&c) != nil {
			require.Zero(t, h.Len())
			return
		}
		require.Equal(t, 1, h.Len())
		line := string(h.Get("Set-Cookie"))
		got, err := http.ParseSetCookie(line)
		require.NoError(t, err, "%q", line)
		require.Equal(t, name, got.Name)
		require.Equal(t, value, got.Value)
		if !strings.ContainsAny(path, "\" ,\\") {
			require.Equal(t, path, got.Path) // a path with those is not parsed there
			require.Empty(t, got.Unparsed)
		}
		require.Equal(t, strings.TrimPrefix(domain, "."), got.Domain)
		require.Equal(t, secure, got.Secure)
		require.False(t, got.HttpOnly)
	})
}
