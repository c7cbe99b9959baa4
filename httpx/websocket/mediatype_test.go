package websocket

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMessageOfIsTextForTextInUTF8AndBinaryForAllElse(t *testing.T) {
	leakCheck(t)
	for name, c := range map[string]struct {
		contentType, octets string
		want                Type
	}{
		"plain text":               {"text/plain", "SEND\n\nhello\x00", TypeText},
		"any subtype of text":      {"text/x.y+z", "hello", TypeText},
		"parameters":               {"text/plain;charset=utf-8", "Grüße", TypeText},
		"a space before them":      {"application/json ; v=1", "{}", TypeText},
		"spaces around":            {" text/html ", "<p>", TypeText},
		"case does not matter":     {"Text/PLAIN", "hello", TypeText},
		"JSON":                     {"application/json", "{}", TypeText},
		"JSON, any case":           {"Application/JSON", "{}", TypeText},
		"nothing to send":          {"text/plain", "", TypeText},
		"code points of four":      {"text/plain", "\U0001f600", TypeText},
		"no type":                  {"", "hello", TypeBinary},
		"octets":                   {"application/octet-stream", "hello", TypeBinary},
		"another type with json":   {"application/json-seq", "hello", TypeBinary},
		"text only as a beginning": {"texture/plain", "hello", TypeBinary},
		"text without a subtype":   {"text/", "hello", TypeBinary},
		"text in a parameter":      {"image/png;x=text/plain", "hello", TypeBinary},
		"text that is not UTF-8":   {"text/plain", "gr\xfc\xdfe", TypeBinary},
		"a surrogate":              {"text/plain", "\xed\xa0\x80", TypeBinary},
		"cut inside a code point":  {"text/plain", "hello \xe2\x82", TypeBinary},
		"UTF-16":                   {"text/plain;charset=utf-16", "\xff\xfeh\x00i\x00", TypeBinary},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := MessageOf(c.contentType, buffer.FromString(c.octets))
			require.NoError(t, err)
			require.Equal(t, c.want, m.Type)
			require.Equal(t, c.octets, m.Text())
			m.Release()
		})
	}
}

func TestMessageOfLooksAtCodePointsOverParts(t *testing.T) {
	leakCheck(t)
	text := "a€b\U0001f600"
	for cut := range len(text) {
		for want, octets := range map[Type]string{TypeText: text, TypeBinary: text[:len(text)-1]} {
			rope := buffer.NewComposite()
			rope.Append(buffer.FromString(octets[:cut]))
			rope.Append(buffer.FromString(octets[cut:]))
			m, err := MessageOf("text/plain", rope)
			require.NoError(t, err)
			require.Equal(t, want, m.Type, "cut at %d", cut)
			require.Equal(t, octets, m.Text())
			m.Release()
		}
	}
}

func TestMessageOfKeepsTheOctetsWhereTheyAre(t *testing.T) {
	leakCheck(t)
	body := buffer.FromString(strings.Repeat("x", 1<<20))
	at := &body.Bytes()[0]
	rope := buffer.NewComposite()
	rope.Append(buffer.FromString("MESSAGE\n\n"))
	rope.Append(body)
	m, err := MessageOf("text/plain", rope)
	require.NoError(t, err)
	require.Equal(t, 2, m.Parts())
	require.Same(t, at, &m.Part(1)[0])
	m.Release()
}

func TestMessageOfIsCheckedOnceOnly(t *testing.T) {
	leakCheck(t)
	m, err := MessageOf("text/plain", buffer.FromString("hello"))
	require.NoError(t, err)
	require.True(t, m.valid)
	m.AppendString("\xff")
	require.ErrorIs(t, new(Encoder).check(m), ErrText, "what is appended later is checked again")
	m.Release()
}

func TestMessageOfRefusesWhatIsNoOctets(t *testing.T) {
	leakCheck(t)
	_, err := MessageOf("text/plain", NewText("it is released"))
	require.ErrorContains(t, err, "*websocket.Message")
	_, err = MessageOf("text/plain", 7)
	require.Error(t, err)
}
