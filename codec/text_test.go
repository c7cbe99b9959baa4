package codec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestTextEcho(t *testing.T) {
	ch := pipelinetest.New(t, NewDecoder(&Line{}), NewMessageDecoder(TextDecoder{}), NewEncoder(LineEncoder{}),
		pipeline.OnRead(func(ctx *pipeline.Context, m *Text) error { return ctx.Write(NewText("<" + m.String() + ">")) }))
	ch.Feed("hello\nwörld\r\n\n")
	require.Equal(t, "<hello>\n<wörld>\n<>\n", ch.Wire())
}

func TestTextMustBeUTF8UnlessAllowed(t *testing.T) {
	ch := pipelinetest.New(t, NewDecoder(&Line{}), NewMessageDecoder(TextDecoder{}))
	ch.Feed("\xff\n")
	ch.ExpectError(ErrCorrupted)
	ch = pipelinetest.New(t, NewDecoder(&Line{}), NewMessageDecoder(TextDecoder{AllowInvalid: true}))
	ch.Feed("\xff\n")
	require.Equal(t, "\xff", pipelinetest.In[*Text](ch).S)
}

func TestTextEncoderWritesTheTextAlone(t *testing.T) {
	ch := pipelinetest.New(t, NewEncoder(TextEncoder{}))
	ch.WriteOutbound(NewText("a"), NewText(""), NewText("b"))
	require.Equal(t, "ab", ch.Wire())
}
