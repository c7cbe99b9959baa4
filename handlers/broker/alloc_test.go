//go:build !race && !bufdebug

package broker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// subscribe attaches n chains and returns a function that accepts all that they have.
func subscribe(t testing.TB, b *Broker, destination string, n int) (acceptAll func()) {
	t.Helper()
	all := make([]chain, n)
	for i := range all {
		c, err := b.Attach(destination, ConsumerConfig{Deliver: all[i].deliver, Credit: 16})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
	}
	return func() {
		for i := range all {
			all[i].acceptAll()
		}
	}
}

func TestFanOutAllocatesNothing(t *testing.T) {
	whole := buffer.FromBytes(make([]byte, 1000))
	defer whole.Release()
	body := whole.Slice(0, 1000)
	defer body.Release()
	for _, tt := range []struct {
		destination, attached string
		subscribers           int
	}{
		{"/topic/nobody", "/topic/a", 0},
		{"/topic/a", "/topic/a", 1},
		{"/topic/a", "/topic/a", 1000},
		{"/topic/a", "/topic/*", 10},
		{"/queue/a", "/queue/a", 3},
	} {
		t.Run(tt.destination+" "+tt.attached, func(t *testing.T) {
			var b Broker
			acceptAll := subscribe(t, &b, tt.attached, tt.subscribers)
			require.Zero(t, testing.AllocsPerRun(100, func() {
				if !send(&b, tt.destination, body) {
					t.Fatal("refused")
				}
				acceptAll()
			}))
		})
	}
}

func TestFormThatIsThereAllocatesNothing(t *testing.T) {
	type key struct{}
	m := NewMessage("/topic/a")
	defer m.Release()
	form := buffer.FromString("form")
	build := func(*Message) (buffer.Counted, error) { return form, nil }
	for _, k := range []any{1, key{}, m} {
		_, err := m.Form(k, build)
		require.NoError(t, err)
		form.Retain()
	}
	form.Release()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range 1000 {
			if f, _ := m.Form(key{}, build); f != form {
				t.Fatal("another form")
			}
		}
	}))
}

func TestRedeliveryAllocatesNothing(t *testing.T) {
	b := Broker{MaxDeliveries: 1 << 30}
	var in chain
	c, err := b.Attach("/queue/a", ConsumerConfig{Deliver: in.deliver, Credit: 1})
	require.NoError(t, err)
	defer c.Close()
	publish(t, &b, "/queue/a", "1")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d := in.head
		in.head = nil
		d.Retry()
		c.Grant(1)
	}))
}
