package codec

import (
	"testing"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/buffer"
	"github.com/penstock-go/penstock/pipeline/pipelinetest"
	"github.com/stretchr/testify/require"
)

func TestADecoderValueServesOneHandlerAtATime(t *testing.T) {
	line := &Line{}
	one := pipelinetest.New(t, pipeline.Named("decoder", NewDecoder(line)))
	two := pipelinetest.New(t)
	one.Feed("half a li")
	require.NoError(t, two.Pipeline().AddLast(NewDecoder(line)))
	require.ErrorContains(t, two.ExpectError(pipeline.ErrNotShareable), "codec.Line is run by another handler")
	one.Feed("ne\n")
	require.Equal(t, "half a line", frameText(one), "the first one is not disturbed")
	require.NoError(t, one.Pipeline().Remove("decoder"))
	three := pipelinetest.New(t, NewDecoder(line))
	three.Feed("free again\n")
	require.Equal(t, "free again", frameText(three))
}

// frameText takes one frame.
func frameText(ch *pipelinetest.Channel) string {
	b := pipelinetest.In[*buffer.Buffer](ch)
	defer b.Release()
	return string(b.Bytes())
}
