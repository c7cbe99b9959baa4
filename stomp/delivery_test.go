package stomp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// frameOf is the frame whose octets d must have.
func frameOf(d *Delivery) *Frame {
	f := NewFrame(CommandMessage)
	if d.Subscription != "" {
		f.Headers.Add(HeaderSubscription, d.Subscription)
	}
	if d.MessageID != (ID{}) {
		f.Headers.Add(HeaderMessageID, d.MessageID.String())
	}
	if d.Ack != (ID{}) {
		f.Headers.Add(HeaderAck, d.Ack.String())
	}
	if d.Redelivered {
		f.Headers.Add(HeaderRedelivered, "true")
	}
	f.Headers = append(f.Headers, d.Tail.Frame().Headers...)
	f.Body.AppendBody(&d.Tail.Frame().Body)
	return f
}

func TestDeliveryIsTheFrameWithTheSameHeaders(t *testing.T) {
	live := buffer.SharedStats().Live
	heads := []Delivery{
		{},
		{Subscription: "0", MessageID: ID{Number: 7}},
		{Subscription: "a:b", MessageID: ID{Text: "m-", Number: 18446744073709551615}, Ack: ID{Text: "only text"}},
		{Subscription: strings.Repeat("s", 300), Ack: ID{Number: 1}, Redelivered: true},
	}
	long := append(shared(), Header{"long", strings.Repeat("y", 2000)})
	for v := range VersionUnknown + 4 {
		for _, headers := range []Headers{nil, shared(), long, {{HeaderContentLength, "3"}, {"x", "y"}}} {
			for _, body := range []string{"", "abc", "a\x00c", strings.Repeat("x", refThreshold-1), strings.Repeat("x", 70_000)} {
				if headers.Get(HeaderContentLength) != "" && len(body) != 3 {
					continue
				}
				tail := tailOf(t, v, headers, body)
				for i := range heads {
					requireSameOctets(t, tail, &heads[i])
				}
				tail.Release()
			}
		}
	}
	require.Equal(t, live, buffer.SharedStats().Live)
}

func requireSameOctets(t *testing.T, tail *Tail, head *Delivery) {
	t.Helper()
	d := NewDelivery(tail)
	defer d.Release()
	d.Subscription, d.MessageID, d.Ack, d.Redelivered = head.Subscription, head.MessageID, head.Ack, head.Redelivered
	f := frameOf(d)
	defer f.Release()
	e := &Encoder{State: &State{Version: tail.Version()}}
	want, errFrame := encodeTo(t, e, f)
	got, err := encodeTo(t, e, d)
	require.NoError(t, errFrame)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.True(t, strings.HasSuffix(got, tail.Frame().Body.String()+"\x00"))
	require.Greater(t, len(got), tail.Len())
}

func TestDeliveryThatIsRefusedWritesNothing(t *testing.T) {
	tests := []struct {
		name    string
		version Version // of the tail
		encoder Version
		set     func(d *Delivery)
		want    error
	}{
		{"version of another connection", Version11, Version12, func(*Delivery) {}, ErrWrongTail},
		{"NUL in the subscription", Version12, Version12, func(d *Delivery) { d.Subscription = "a\x00" }, ErrUnencodable},
		{"LF in the subscription of 1.0", Version10, Version10, func(d *Delivery) { d.Subscription = "a\nack:1" }, ErrUnencodable},
		{"LF in the message id of 1.0", Version10, Version10, func(d *Delivery) { d.MessageID.Text = "a\nb" }, ErrUnencodable},
		{"NUL in the ack", Version12, Version12, func(d *Delivery) { d.Ack.Text = "\x00" }, ErrUnencodable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tail := tailOf(t, tt.version, shared(), "body")
			d := NewDelivery(tail)
			tt.set(d)
			e := &Encoder{State: &State{Version: tt.encoder}}
			wire, err := encodeTo(t, e, d)
			require.ErrorIs(t, err, tt.want)
			require.Empty(t, wire)
			d.Release()
			tail.Release()
		})
	}
	_, err := encodeTo(t, encoder12(), &Delivery{})
	require.ErrorIs(t, err, ErrWrongTail, "no tail at all")
}

func TestDeliveryWaitsForTheEndOfAStreamedFrame(t *testing.T) {
	e := encoder12()
	tail := tailOf(t, Version12, nil, "")
	defer tail.Release()
	d := NewDelivery(tail)
	defer d.Release()
	_, err := encodeTo(t, e, &HeadersSubframe{Command: CommandMessage})
	require.NoError(t, err)
	_, err = encodeTo(t, e, d)
	require.ErrorIs(t, err, ErrOutOfOrder)
}

func TestDeliveriesShareTheBody(t *testing.T) {
	live := buffer.SharedStats().Live
	body := bodyOf(strings.Repeat("x", 1<<20))
	tail, err := NewTail(Version12, shared(), body)
	require.NoError(t, err)
	first := body.Part(0)
	var wrapped []*Frame
	e := encoder12()
	e.WrapFrame = func(m *Frame, encoded any) (any, error) {
		wrapped = append(wrapped, m)
		return encoded, nil
	}
	for range 2 {
		d := NewDelivery(tail)
		d.Subscription = "s"
		require.Less(t, e.Size(d), 256, "only the head is written")
		require.NoError(t, e.EncodeMessage(d, func(m any) {
			c := m.(*buffer.Composite)
			require.Equal(t, 3, c.Parts(), "head, body, NUL")
			require.Same(t, &first[0], &c.Part(1)[0], "the same memory")
			c.Release()
		}))
		d.Release()
	}
	require.Equal(t, []*Frame{tail.Frame(), tail.Frame()}, wrapped)
	body.Reset()
	tail.Release()
	require.Equal(t, live, buffer.SharedStats().Live)
}

func TestDeliveryIsCountedAndDescribed(t *testing.T) {
	tail := tailOf(t, Version12, Headers{{"a", "b"}}, "secret")
	d := NewDelivery(tail)
	tail.Release()
	d.Retain()
	d.Release()
	require.Equal(t, "delivery (29 B shared)", d.String())
	require.Equal(t, "delivery of nothing", new(Delivery).String())
	d.Release()
	require.PanicsWithValue(t, "stomp: delivery released twice", d.Release)
}

func TestIDs(t *testing.T) {
	require.Empty(t, ID{}.String())
	require.Equal(t, "a", ID{Text: "a"}.String())
	require.Equal(t, "7", ID{Number: 7}.String())
	require.Equal(t, "a-7", ID{Text: "a-", Number: 7}.String())
}
