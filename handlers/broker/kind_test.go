package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultKindLooksAtTheFirstSegment(t *testing.T) {
	for _, name := range []string{"/queue/a", "queue/a", "queue.a", "/queue.a", "/queue", "/temp-queue/x", "temp-queue.x"} {
		require.Equal(t, KindQueue, DefaultKind(name), name)
	}
	for _, name := range []string{"/topic/a", "/queues/a", "a", "", "/", "//queue/a", "/temp-topic/x", "Queue.a", "a.queue"} {
		require.Equal(t, KindTopic, DefaultKind(name), name)
	}
	require.Equal(t, "queue topic", KindQueue.String()+" "+KindTopic.String())
}
