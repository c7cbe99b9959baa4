package websocket

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// utf8Cases are valid and invalid texts: in one frame, and cut between all octets, where what is wrong must be noticed as
// soon as it has come.
func utf8Cases() (cases []suiteCase) {
	cases = append(cases,
		good("6.1.1 empty text", []peerFrame{sendText("")}, gotText("")),
		good("6.1.2 text of empty frames", []peerFrame{fragment(1, false, ""), fragment(0, false, ""), fragment(0, true, "")}, gotText("")),
		good("6.1.3 text between empty frames", []peerFrame{fragment(1, false, ""), fragment(0, false, "middle"), fragment(0, true, "")}, gotText("middle")),
		good("6.2.1 text of several scripts", []peerFrame{sendText("Hello-µ@ßöäüàá-UTF-8!!")}, gotText("Hello-µ@ßöäüàá-UTF-8!!")),
		bad("6.4.1 wrong octet in a frame that is not the last", CodeInvalidPayload,
			[]peerFrame{fragment(1, false, "κόσμε"), fragment(0, false, "\xf4\x90\x80\x80"), fragment(0, true, "edited")}),
		bad("6.4.2 beginning of what can't become right", CodeInvalidPayload, []peerFrame{fragment(1, false, "κόσμε\xf4\x90")}),
	)
	for _, group := range utf8Groups() {
		for i, s := range group.texts {
			name := fmt.Sprintf("6.%d.%d %s", group.section, i+1, group.name)
			if utf8.ValidString(s) != group.valid {
				panic(name)
			}
			whole, single := []peerFrame{sendText(s)}, cut(1, s, 1)
			if group.valid {
				cases = append(cases, good(name, whole, gotText(s)), good(name+", octet by octet", single, gotText(s)))
				continue
			}
			cases = append(cases, bad(name, CodeInvalidPayload, whole), bad(name+", octet by octet", CodeInvalidPayload, single))
		}
	}
	return cases
}

type utf8Group struct {
	section int
	name    string
	valid   bool
	texts   []string
}

func utf8Groups() []utf8Group {
	var beginnings, lonely, surrogates, pairs, nonCharacters []string
	kosme := "κόσμε"
	for i := 1; i < len(kosme); i++ {
		if !utf8.ValidString(kosme[:i]) {
			beginnings = append(beginnings, kosme[:i])
		}
	}
	for _, r := range []struct{ from, to int }{{0xc0, 0xdf}, {0xe0, 0xef}, {0xf0, 0xf7}, {0xf8, 0xfb}, {0xfc, 0xfd}} {
		var all strings.Builder
		for b := r.from; b <= r.to; b++ {
			all.WriteByte(byte(b))
			all.WriteByte(' ')
		}
		lonely = append(lonely, all.String())
	}
	for _, b := range []string{"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xaf\xbf", "\xed\xb0\x80", "\xed\xbe\x80", "\xed\xbf\xbf"} {
		surrogates = append(surrogates, b)
		pairs = append(pairs, b+"\xed\xb0\x80", b+"\xed\xbf\xbf")
	}
	for plane := range 17 {
		nonCharacters = append(nonCharacters, string(rune(plane<<16|0xfffe)), string(rune(plane<<16|0xffff)))
	}
	return []utf8Group{
		{5, "text", true, []string{kosme, "a", "\x00", "\x7f", "日本語", "\U0001f600 \U0001f468\u200d\U0001f469"}},
		{6, "text that ends too early", false, beginnings},
		{7, "first of each length", true, []string{"\x00", "\u0080", "\u0800", "\U00010000"}},
		{8, "first of lengths that are none", false, []string{"\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80"}},
		{9, "last of each length", true, []string{"\x7f", "\u07ff", "\uffff", "\U0010ffff"}},
		{10, "beyond the last", false, []string{"\xf7\xbf\xbf\xbf", "\xfb\xbf\xbf\xbf\xbf", "\xfd\xbf\xbf\xbf\xbf\xbf", "\xf4\x90\x80\x80"}},
		{11, "other bounds", true, []string{"\ud7ff", "\ue000", "\ufffd", "\U0010ffff"}},
		{12, "continuation of nothing", false, []string{"\x80", "\xbf", "\x80\xbf", "\x80\xbf\x80", "\x80\xbf\x80\xbf", "a\x80"}},
		{13, "starts without an end", false, lonely},
		{14, "cut short", false, []string{"\xc3", "\xe0\xa0", "\xf0\x90\x80", "\xdf", "\xef\xbf", "\xf4\x8f\xbf"}},
		{15, "several cut short", false, []string{"\xc3\xe0\xa0\xf0\x90\x80"}},
		{16, "octets that never occur", false, []string{"\xfe", "\xff", "\xfe\xfe\xff\xff"}},
		{17, "longer than needed", false, []string{"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x80\x80\x80\xaf"}},
		{18, "just longer than needed", false, []string{"\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf"}},
		{19, "NUL in more than an octet", false, []string{"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80"}},
		{20, "surrogate", false, surrogates},
		{21, "pair of surrogates", false, pairs},
		{22, "non-character", true, nonCharacters},
		{23, "replacement character", true, []string{"\ufffd", "\ufffd\ufffd"}},
	}
}
