package stomp

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// FuzzAggregator adds subframes and frames in any order and compares with a model that keeps strings: the same frames
// come out, the same errors, and nothing is held afterwards. Each octet of script is one message.
func FuzzAggregator(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 2, 3}, uint16(100))
	f.Add([]byte{0, 0x41, 0xf1, 0xf1, 0xf2, 0, 2}, uint16(300))
	f.Add([]byte{1, 2, 0, 0, 1, 2, 3, 0, 3, 2, 4, 0, 1, 4, 2}, uint16(10))
	f.Add([]byte{0x50, 1, 2, 0xf0, 1, 2, 3}, uint16(7))
	f.Fuzz(func(t *testing.T, script []byte, limit uint16) {
		live := buffer.SharedStats().Live
		a := &Aggregator{MaxBody: int64(limit) + 1}
		m := aggregatorModel{limit: int(limit) + 1}
		for i, octet := range script[:min(len(script), 200)] {
			size := int(octet>>3) * 40
			text := strings.Repeat(string(rune('a'+i%26)), size)
			msg, want, wantErr := m.step(octet%5, i, text)
			if msg == nil {
				a.Reset()
				continue
			}
			frame, ok, err := a.Add(msg)
			require.Equal(t, want != nil, ok)
			require.Equal(t, wantErr, reasonOf(err))
			if ok {
				require.Equal(t, *want, plain(frame))
				frame.Release()
			}
		}
		a.Reset()
		require.Equal(t, live, buffer.SharedStats().Live)
	})
}

// aggregatorModel is what an Aggregator should do.
type aggregatorModel struct {
	limit int
	open  *plainFrame
	skip  bool
}

// step makes the message of a script's octet, nil for a reset, and says what must come of it.
func (m *aggregatorModel) step(kind byte, i int, text string) (msg any, want *plainFrame, err Reason) {
	switch kind {
	case 0:
		headers := []string{"n", strconv.Itoa(i)}
		if len(text)%80 == 0 {
			headers = append(headers, HeaderContentLength, strconv.Itoa(len(text)))
		}
		h := NewHeaders(CommandSend, headers...)
		return h, nil, m.headers(h.Headers.Own())
	case 1, 2:
		want, err = m.content(text, kind == 2)
		return NewContent(sliceOf(text), kind == 2), want, err
	case 3:
		f := NewFrame(CommandMessage, "n", strconv.Itoa(i))
		f.Body.AppendString(text)
		if m.open != nil || m.skip {
			m.open, m.skip = nil, true
			return f, nil, ErrOutOfOrder
		}
		p := plain(f)
		return f, &p, ""
	}
	*m = aggregatorModel{limit: m.limit}
	return nil, nil, ""
}

func (m *aggregatorModel) headers(h Headers) Reason {
	if m.open != nil || m.skip {
		m.open, m.skip = nil, true
		return ErrOutOfOrder
	}
	if n, _ := strconv.Atoi(h.Get(HeaderContentLength)); n > m.limit {
		m.skip = true
		return ErrBodyTooLarge
	}
	m.open = &plainFrame{CommandSend, h, ""}
	return ""
}

func (m *aggregatorModel) content(text string, last bool) (*plainFrame, Reason) {
	if m.open == nil {
		skipped := m.skip
		m.skip = m.skip && !last
		if !skipped {
			return nil, ErrOutOfOrder
		}
		return nil, ""
	}
	if len(m.open.Body)+len(text) > m.limit {
		m.open, m.skip = nil, !last
		return nil, ErrBodyTooLarge
	}
	m.open.Body += text
	if !last {
		return nil, ""
	}
	p := m.open
	m.open = nil
	return p, ""
}
