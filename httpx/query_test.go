package httpx

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func paramPairs(p *Params) (list []string) {
	for name, value := range p.All() {
		list = append(list, string(name)+"="+string(value))
	}
	return list
}

func TestQueriesAreReadInOrder(t *testing.T) {
	for raw, want := range map[string][]string{
		"":                      nil,
		"a=b":                   {"a=b"},
		"b=1&a=2&b=3":           {"b=1", "a=2", "b=3"},
		"a":                     {"a="},
		"a=":                    {"a="},
		"=b":                    {"=b"},
		"=":                     {"="},
		"a=b=c":                 {"a=b=c"},
		"&&a=b&&":               {"a=b"},
		"a=b;c=d":               {"a=b;c=d"},
		"a+b=c+d":               {"a b=c d"},
		"a%2Bb=%26%3d%25":       {"a+b=&=%"},
		"%E4%BD%a0=%00":         {"\u4f60=\x00"},
		"a=%41&b=c&d=%42&e=f+g": {"a=A", "b=c", "d=B", "e=f g"},
		"%61=x&a=y":             {"a=x", "a=y"},
	} {
		t.Run(raw, func(t *testing.T) {
			var p Params
			require.NoError(t, ParseQuery(&p, []byte(raw), ParamLimits{}))
			require.Equal(t, want, paramPairs(&p))
			require.Equal(t, len(want), p.Len())
		})
	}
}

func TestParamsAreFoundByName(t *testing.T) {
	var p Params
	require.NoError(t, ParseQuery(&p, []byte("a=1&b&a=%32&A=3"), ParamLimits{}))
	require.Equal(t, "1", string(p.Get("a")))
	require.Nil(t, p.Get("c"))
	require.NotNil(t, p.Get("b"))
	require.Empty(t, p.Get("b"))
	require.True(t, p.Has("b"))
	require.False(t, p.Has("c"))
	var values []string
	for value := range p.Values("a") {
		values = append(values, string(value))
	}
	require.Equal(t, []string{"1", "2"}, values)
	for range p.Values("a") {
		break
	}
	for range p.All() {
		break
	}
	name, value := p.At(3)
	require.Equal(t, "A=3", string(name)+"="+string(value))
	p.Reset()
	require.Zero(t, p.Len())
}

func TestQueriesWithABadEscapeAreRefused(t *testing.T) {
	for _, raw := range []string{"%", "a=%", "a=%4", "%zz=b", "a=%4g", "a=b&c=%%41"} {
		requireStatus(t, 400, ParseQuery(new(Params), []byte(raw), ParamLimits{}))
	}
}

func requireStatus(t *testing.T, want int, err error) {
	t.Helper()
	var refused *Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, want, refused.Status)
}

func TestQueriesAreLimited(t *testing.T) {
	limits := ParamLimits{Count: 2, Bytes: 8}
	require.NoError(t, ParseQuery(new(Params), []byte("a=1&b=22"), limits))
	requireStatus(t, 414, ParseQuery(new(Params), []byte("a=1&b=223"), limits))
	requireStatus(t, 400, ParseQuery(new(Params), []byte("a&b&c"), limits))
	raw := []byte(strings.Repeat("a&", DefaultParams))
	require.NoError(t, ParseQuery(new(Params), raw, ParamLimits{}))
	requireStatus(t, 400, ParseQuery(new(Params), append(raw, 'a'), ParamLimits{}))
	requireStatus(t, 414, ParseQuery(new(Params), make([]byte, DefaultParamBytes+1), ParamLimits{}))
}

func TestParamsForgetWhatTheyHad(t *testing.T) {
	var p Params
	for _, raw := range []string{"a=%41%42&b=%43", "c=%44", "d=" + strings.Repeat("%45", 99) + "&e=%46", "f=%47&g=h"} {
		require.NoError(t, ParseQuery(&p, []byte(raw), ParamLimits{}))
		var fresh Params
		require.NoError(t, ParseQuery(&fresh, []byte(raw), ParamLimits{}))
		require.Equal(t, paramPairs(&fresh), paramPairs(&p))
	}
}

// FuzzQuery checks against the standard library, and that what was read can be written and read again.
func FuzzQuery(f *testing.F) {
	f.Add([]byte("a=b&c=%41+d&a"))
	f.Add([]byte("&=&;%00=+"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var p Params
		before := string(raw)
		err := ParseQuery(&p, raw, ParamLimits{})
		require.Equal(t, before, string(raw), "the query was changed")
		if len(raw) > DefaultParamBytes || strings.Count(before, "&") >= DefaultParams || strings.Contains(before, ";") {
			return // the standard library has no such limits, and refuses semicolons
		}
		want, wantErr := url.ParseQuery(before)
		require.Equal(t, wantErr != nil, err != nil, "%q", raw)
		if err != nil {
			return
		}
		got := url.Values{}
		var again []string
		for name, value := range p.All() {
			got.Add(string(name), string(value))
			again = append(again, url.QueryEscape(string(name))+"="+url.QueryEscape(string(value)))
		}
		require.Equal(t, want, got, "%q", raw)
		var second Params
		require.NoError(t, ParseQuery(&second, []byte(strings.Join(again, "&")), ParamLimits{}))
		require.True(t, slices.Equal(paramPairs(&p), paramPairs(&second)))
	})
}
