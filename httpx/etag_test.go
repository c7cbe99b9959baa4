package httpx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntityTagsAreQuoted(t *testing.T) {
	for tag, want := range map[string]bool{
		`"a"`: true, `W/"a"`: true, `""`: true, `"a,b"`: true, "\"\xe4\"": true, `"\"`: true,
		``: false, `a`: false, `"a`: false, `a"`: false, `w/"a"`: false, `W/a`: false, `W/`: false, `"a b"`: false, `"a"b`: false,
		"\"a\x7f\"": false, `"`: false,
	} {
		require.Equal(t, want, ValidETag(tag), tag)
	}
}

func TestEntityTagsAreCompared(t *testing.T) {
	for name, c := range map[string]struct {
		list, tag    string
		weak, strong tagMatch
	}{
		"the same":                {`"a"`, `"a"`, tagListed, tagListed},
		"another":                 {`"a"`, `"b"`, tagUnlisted, tagUnlisted},
		"case counts":             {`"a"`, `"A"`, tagUnlisted, tagUnlisted},
		"both weak":               {`W/"a"`, `W/"a"`, tagListed, tagUnlisted},
		"one weak":                {`W/"a"`, `"a"`, tagListed, tagUnlisted},
		"the other weak":          {`"a"`, `W/"a"`, tagListed, tagUnlisted},
		"last of a list":          {`"a", "b"	,"c"`, `"c"`, tagListed, tagListed},
		"empty elements":          {`,, "a",`, `"a"`, tagListed, tagListed},
		"a comma within":          {`"a,b"`, `"b"`, tagUnlisted, tagUnlisted},
		"nothing":                 {``, `"a"`, tagUnlisted, tagUnlisted},
		"star":                    {`*`, `"a"`, tagListed, tagListed},
		"star, nothing there":     {`*`, ``, tagUnlisted, tagUnlisted},
		"star within a list":      {`*, "b"`, `"a"`, tagMalformed, tagMalformed},
		"without quotes":          {`a`, `"a"`, tagMalformed, tagMalformed},
		"own without quotes":      {`a`, `a`, tagMalformed, tagMalformed},
		"found in front of junk":  {`"a" junk`, `"a"`, tagListed, tagListed},
		"junk behind another":     {`"b" "a"`, `"a"`, tagMalformed, tagMalformed},
		"nothing is never listed": {`"a"`, ``, tagUnlisted, tagUnlisted},
	} {
		t.Run(name, func(t *testing.T) {
			var h Header
			require.NoError(t, h.Add("If-Match", c.list))
			require.Equal(t, c.weak, matchTags(&h, "if-match", &Representation{ETag: c.tag}, false))
			require.Equal(t, c.strong, matchTags(&h, "if-match", &Representation{ETag: c.tag}, true))
			require.Equal(t, tagAbsent, matchTags(&h, "if-none-match", &Representation{ETag: c.tag}, true))
		})
	}
}
