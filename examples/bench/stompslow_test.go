package main

import (
	"testing"
	"time"

	"github.com/penstock-go/penstock/handlers/broker"
)

func TestEachPolicyIsAppliedToASlowSubscriberAndCounted(t *testing.T) {
	for _, policy := range slowPolicies {
		t.Run(policy.String(), func(t *testing.T) {
			t.Parallel()
			load := slowLoad{subscribers: 4, rate: 1000, backlog: 150}
			if policy == broker.PolicyPause {
				load.backlog = 40 // the publisher waits until the slow one has read half of what it was paused at
			}
			r, err := load.run(policy, true, 600*time.Millisecond)
			if err == nil {
				err = r.counts.check(policy, load)
			}
			if err != nil || r.delivery <= 0 || r.whole < r.delivery || r.rate <= 0 {
				t.Fatal(r, err)
			}
		})
	}
	t.Run("nobody is slow", func(t *testing.T) {
		t.Parallel()
		load := slowLoad{subscribers: 4, rate: 1000, backlog: 400}
		r, err := load.run(broker.PolicyDropOldest, false, 300*time.Millisecond)
		c := r.counts
		if err != nil || c.dropped != 0 || c.pauses != 0 || c.ended || c.delivered != 4*c.published {
			t.Fatal(r, err)
		}
	})
}

func TestCountsThatDoNotFitAreFound(t *testing.T) {
	load := slowLoad{subscribers: 4, backlog: 10}
	good := slowCounts{published: 100, delivered: 330, dropped: 60, consumers: 4, backlog: 10, slow: true, slowDelivered: 30, slowDropped: 60}
	if err := good.check(broker.PolicyDropOldest, load); err != nil {
		t.Error(err)
	}
	bad := good
	bad.slowDropped, bad.dropped = 59, 59
	if bad.check(broker.PolicyDropOldest, load) == nil || good.check(broker.PolicyPause, load) == nil || good.check(broker.PolicyDisconnect, load) == nil {
		t.Error("no error")
	}
}
