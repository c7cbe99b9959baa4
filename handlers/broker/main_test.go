package broker

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inbox is a consumer's side that keeps what it gets. One goroutine at a time uses it.
type inbox struct {
	*Consumer
	all    []*Delivery // in order, settled ones too
	closed []error
}

// attach makes a consumer that collects in the result. It closes at the end of the test.
func attach(t *testing.T, b *Broker, destination string, cfg ConsumerConfig) *inbox {
	t.Helper()
	in := new(inbox)
	cfg.Deliver = func(d *Delivery) { in.all = append(in.all, d) }
	cfg.Closed = func(err error) { in.closed = append(in.closed, err) }
	c, err := b.Attach(destination, cfg)
	require.NoError(t, err)
	in.Consumer = c
	t.Cleanup(c.Close)
	return in
}

// take returns what came since the last call.
func (in *inbox) take() []*Delivery {
	got := in.all
	in.all = nil
	return got
}

// texts is the bodies of what came since the last call, with a * for each redelivered one. The deliveries stay unsettled.
func (in *inbox) texts() []string {
	return texts(in.take())
}

func texts(list []*Delivery) []string {
	all := make([]string, 0, len(list))
	for _, d := range list {
		text := d.Message.Text()
		if d.Redelivered {
			text += "*"
		}
		all = append(all, text)
	}
	return all
}

// publish publishes messages with these bodies.
func publish(t *testing.T, b *Broker, destination string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		_, err := b.Publish(message(destination, body))
		require.NoError(t, err)
	}
}

func message(destination, body string) *Message {
	m := NewMessage(destination)
	m.AppendString(body)
	return m
}

// leakCheck fails the test when pooled memory is not given back.
func leakCheck(t *testing.T) {
	t.Helper()
	before := buffer.SharedStats().Live
	t.Cleanup(func() { require.Equal(t, before, buffer.SharedStats().Live, "live buffers") })
}
