package broker

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegistryMakesEachNameOnce(t *testing.T) {
	var b Broker
	found := make([]map[string]*destination, 4)
	var all sync.WaitGroup
	for i := range found {
		found[i] = map[string]*destination{}
		all.Go(func() {
			for n := range 200 {
				name := fmt.Sprintf("/queue/%d", n)
				d, err := b.open(name, KindQueue, nil)
				if err != nil {
					t.Errorf("open: %v", err)
				}
				found[i][name] = d
			}
		})
	}
	all.Wait()
	for _, other := range found[1:] {
		require.Equal(t, found[0], other)
	}
	require.Len(t, b.registry.all(), 200)
	require.EqualValues(t, 200, b.registry.count.Load())
	require.Nil(t, b.registry.find("/queue/200"))
	b.Close()
	require.Empty(t, b.registry.all())
	require.Zero(t, b.registry.count.Load())
}

func TestForgettingAnOldDestinationLeavesTheNewOne(t *testing.T) {
	var b Broker
	first, err := b.open("/queue/a", KindQueue, nil)
	require.NoError(t, err)
	b.forget(first)
	second, err := b.open("/queue/a", KindQueue, nil)
	require.NoError(t, err)
	b.forget(first)
	require.Same(t, second, b.registry.find("/queue/a"))
	require.EqualValues(t, 1, b.registry.count.Load())
}

func TestNamesSpreadOverTheShards(t *testing.T) {
	var r registry
	used := map[*shard]bool{}
	for i := range 1000 {
		used[r.shard(fmt.Sprintf("/queue/%d", i))] = true
	}
	require.Len(t, used, shardCount)
}
