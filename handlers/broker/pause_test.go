package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// fill publishes n messages and returns the pauses.
func fill(t *testing.T, b *Broker, destination string, n int) (pauses []*Pause) {
	t.Helper()
	for range n {
		p, err := b.Publish(message(destination, "x"))
		require.NoError(t, err)
		if p != nil {
			pauses = append(pauses, p)
		}
	}
	return pauses
}

func TestPublisherPausesAboveHalfAndResumesAtAQuarter(t *testing.T) {
	b := Broker{MaxMessages: 8}
	defer b.Close()
	pauses := fill(t, &b, "/queue/a", 6)
	require.Len(t, pauses, 2, "above half")
	resumed := 0
	for _, p := range pauses {
		p.OnResume(func() { resumed++ })
	}
	in := attach(t, &b, "/queue/a", ConsumerConfig{Policy: PolicyPause, Credit: 6})
	got := in.take()
	for _, d := range got[:3] {
		d.Accept()
	}
	require.Zero(t, resumed, "three are left")
	got[3].Accept()
	require.Equal(t, 2, resumed, "a quarter is left: every publisher goes on")
	got[4].Accept()
	require.Equal(t, 2, resumed, "once")
}

func TestPauseWaitsForAllSubscriptionsThatAreBehind(t *testing.T) {
	b := Broker{MaxMessages: 4}
	defer b.Close()
	one := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyPause, Credit: 4})
	wild := attach(t, &b, "/topic/#", ConsumerConfig{Policy: PolicyPause, Credit: 4})
	attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyDropOldest})
	pauses := fill(t, &b, "/topic/a", 3)
	require.Len(t, pauses, 1)
	resumed := 0
	pauses[0].OnResume(func() { resumed++ })
	for _, d := range one.take() {
		d.Accept()
	}
	require.Zero(t, resumed)
	for _, d := range wild.take() {
		d.Accept()
	}
	require.Equal(t, 1, resumed)
}

func TestResumeComesAtOnceWhenTheBacklogIsLowAlready(t *testing.T) {
	b := Broker{MaxMessages: 4}
	defer b.Close()
	in := attach(t, &b, "/queue/a", ConsumerConfig{Policy: PolicyPause, Credit: 4})
	pauses := fill(t, &b, "/queue/a", 3)
	for _, d := range in.take() {
		d.Accept()
	}
	resumed := 0
	pauses[0].OnResume(func() { resumed++ })
	require.Equal(t, 1, resumed)
}

func TestPublishersGoOnWhenWhatTheyWaitForEnds(t *testing.T) {
	tests := map[string]func(b *Broker, in *inbox){
		"subscription closes": func(_ *Broker, in *inbox) { in.Close() },
		"broker closes":       func(b *Broker, _ *inbox) { b.Close() },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			b := Broker{MaxMessages: 4}
			defer b.Close()
			in := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyPause})
			pauses := fill(t, &b, "/topic/a", 4)
			require.Len(t, pauses, 2)
			resumed := 0
			pauses[0].OnResume(func() { resumed++ })
			end(&b, in)
			require.Equal(t, 1, resumed)
			pauses[1].OnResume(func() { resumed++ })
			require.Equal(t, 2, resumed, "asked too late")
		})
	}
}

func TestCanceledPauseIsNotCalled(t *testing.T) {
	b := Broker{MaxMessages: 4}
	defer b.Close()
	in := attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyPause})
	attach(t, &b, "/topic/a", ConsumerConfig{Policy: PolicyPause})
	pauses := fill(t, &b, "/topic/a", 4)
	pauses[1].Cancel() // nobody asked
	pauses[0].OnResume(func() { t.Error("called") })
	pauses[0].Cancel()
	pauses[0].Cancel()
	require.Empty(t, in.queue.pauses, "nothing is left behind")
}

func TestDroppedPausesLeaveNothingBehind(t *testing.T) {
	b := Broker{MaxMessages: 1000}
	defer b.Close()
	require.Len(t, fill(t, &b, "/queue/a", 1000), 500)
	require.Empty(t, b.registry.find("/queue/a").queue.pauses)
}

func TestMergedPauseWaitsForBoth(t *testing.T) {
	b := Broker{MaxMessages: 2}
	defer b.Close()
	one, two := fill(t, &b, "/queue/a", 2)[0], fill(t, &b, "/queue/b", 2)[0]
	require.Nil(t, (*Pause)(nil).merge(nil))
	require.Same(t, one, one.merge(nil))
	require.Same(t, two, (*Pause)(nil).merge(two))
	resumed := 0
	one.merge(two).OnResume(func() { resumed++ })
	a := attach(t, &b, "/queue/a", ConsumerConfig{Policy: PolicyPause, Credit: 2})
	for _, d := range a.take() {
		d.Accept()
	}
	require.Zero(t, resumed)
	c := attach(t, &b, "/queue/b", ConsumerConfig{Policy: PolicyPause, Credit: 2})
	for _, d := range c.take() {
		d.Accept()
	}
	require.Equal(t, 1, resumed)
}

func TestAConsumerKnowsThatPublishersWaitForIt(t *testing.T) {
	b := &Broker{MaxMessages: 4}
	defer b.Close()
	var held []*Delivery
	c, err := b.Attach("/queue/a", ConsumerConfig{Credit: 10, Deliver: func(d *Delivery) { held = append(held, d) }})
	require.NoError(t, err)
	defer c.Close()
	var p *Pause
	for range 3 {
		p, err = b.Publish(NewMessage("/queue/a"))
		require.NoError(t, err)
	}
	require.False(t, c.HoldsUp(), "nobody waits yet")
	p.OnResume(func() {})
	require.True(t, c.HoldsUp())
	for _, d := range held {
		d.Accept()
	}
	require.False(t, c.HoldsUp())
}
