package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormsAreReadLikeQueries(t *testing.T) {
	var p Params
	require.NoError(t, ParseForm(&p, []byte("name=J%C3%BCrgen+K.&note=&name=x"), ParamLimits{}))
	require.Equal(t, []string{"name=Jürgen K.", "note=", "name=x"}, paramPairs(&p))
	requireStatus(t, 400, ParseForm(&p, []byte("a=%x"), ParamLimits{}))
}

func TestFormsBeyondTheirLimitsAreTooLarge(t *testing.T) {
	requireStatus(t, 413, ParseForm(new(Params), make([]byte, DefaultParamBytes+1), ParamLimits{}))
	requireStatus(t, 413, ParseForm(new(Params), []byte(strings.Repeat("a&", DefaultParams+1)), ParamLimits{}))
	requireStatus(t, 413, ParseForm(new(Params), []byte("a&b"), ParamLimits{Count: 1}))
}

func TestFormsAreKnownByTheirMediaType(t *testing.T) {
	for value, want := range map[string]bool{
		"application/x-www-form-urlencoded":                true,
		"Application/X-WWW-Form-Urlencoded; charset=utf-8": true,
		"multipart/form-data; boundary=x":                  false,
		"application/x-www-form-urlencoded, text/plain":    false,
		"": false,
	} {
		var h Header
		require.NoError(t, h.Add("Content-Type", value))
		require.Equal(t, want, IsForm(&h), value)
	}
	require.False(t, IsForm(new(Header)))
}
