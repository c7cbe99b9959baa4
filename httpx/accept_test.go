package httpx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncodingIsTheOneTheClientWantsMost(t *testing.T) {
	for name, c := range map[string]struct {
		accept  []string // field lines; nil = no field
		offered string
		want    string
		refused bool
	}{
		"no field: nothing is known of the client":     {nil, "gzip", "", false},
		"an empty field: identity only":                {[]string{""}, "gzip", "", false},
		"the only one":                                 {[]string{"gzip"}, "gzip", "gzip", false},
		"either case":                                  {[]string{"GZip"}, "gzip", "gzip", false},
		"equal weights: the server's order":            {[]string{"gzip, deflate, br, zstd"}, "zstd gzip", "zstd", false},
		"the heavier one":                              {[]string{"gzip;q=1.0, zstd;q=0.5"}, "zstd gzip", "gzip", false},
		"thousandths count":                            {[]string{"gzip;q=0.501, zstd;q=0.5"}, "zstd gzip", "gzip", false},
		"blanks around the weight":                     {[]string{"gzip ;\tq=0.2 , zstd; Q=0.3"}, "gzip zstd", "zstd", false},
		"two lines are one list":                       {[]string{"br", "gzip"}, "gzip", "gzip", false},
		"empty elements":                               {[]string{", ,gzip,,"}, "gzip", "gzip", false},
		"none of the offered":                          {[]string{"br"}, "gzip", "", false},
		"weight zero refuses":                          {[]string{"gzip;q=0"}, "gzip", "", false},
		"weight zero with digits refuses":              {[]string{"gzip;q=0.000"}, "gzip", "", false},
		"the star is every other":                      {[]string{"*"}, "gzip", "gzip", false},
		"the star does not change a named one":         {[]string{"gzip;q=0, *"}, "gzip zstd", "zstd", false},
		"a lighter star":                               {[]string{"gzip, *;q=0.1"}, "zstd gzip", "gzip", false},
		"a named identity that is heavier":             {[]string{"gzip;q=0.5, identity"}, "gzip", "", false},
		"a named identity that is as heavy":            {[]string{"gzip, identity"}, "gzip", "gzip", false},
		"identity refused, another accepted":           {[]string{"gzip, identity;q=0"}, "gzip", "gzip", false},
		"identity refused, nothing else":               {[]string{"br, identity;q=0"}, "gzip", "", true},
		"the star refuses identity":                    {[]string{"br, *;q=0"}, "gzip", "", true},
		"the star does not refuse a named identity":    {[]string{"identity, *;q=0"}, "gzip", "", false},
		"nothing offered":                              {[]string{"gzip"}, "", "", false},
		"old name of gzip":                             {[]string{"x-gzip"}, "gzip", "gzip", false},
		"old names of two codings only":                {[]string{"x-zstd"}, "zstd", "", false},
		"a longer name":                                {[]string{"gzipped"}, "gzip", "", false},
		"the first of two about one coding":            {[]string{"gzip;q=0, gzip"}, "gzip", "", false},
		"an element with another parameter is ignored": {[]string{"gzip;level=9, zstd"}, "gzip zstd", "zstd", false},
		"a weight above one is ignored":                {[]string{"gzip;q=1.001"}, "gzip", "", false},
		"four digits are ignored":                      {[]string{"gzip;q=0.1234"}, "gzip", "", false},
		"no digits are ignored":                        {[]string{"gzip;q="}, "gzip", "", false},
		"no number is ignored":                         {[]string{"gzip;q=a"}, "gzip", "", false},
		"no token is ignored":                          {[]string{"(gzip)"}, "gzip", "", false},
		"two words are ignored":                        {[]string{"gzip br"}, "gzip", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			var h Header
			for _, line := range c.accept {
				require.NoError(t, h.Add("Accept-Encoding", line))
			}
			got, ok := PreferEncoding(&h, strings.Fields(c.offered)...)
			require.Equal(t, c.want, got)
			require.Equal(t, c.refused, !ok)
		})
	}
}

func TestWeightsAreThousandths(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "1": 1000, "0.": 0, "1.": 1000, "0.5": 500, "0.05": 50, "0.999": 999, "1.000": 1000,
		"": -1, "2": -1, ".5": -1, "0.5.": -1, "0,5": -1, "1.001": -1, "0.0000": -1, "-0": -1, "0\t": -1,
	} {
		got, ok := parseWeight([]byte(text))
		require.Equal(t, want >= 0, ok, text)
		if ok {
			require.Equal(t, want, got, text)
		}
	}
}
