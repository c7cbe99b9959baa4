package stomp

// Wrap passes the octets of m, which the writer gave, through the hook for m's type. It takes encoded, also
// when it fails. The driver calls it between Encode and the write.
func (e *Encoder) Wrap(m, encoded any) (any, error) {
	switch m := m.(type) {
	case *Frame:
		if e.WrapFrame != nil {
			return e.WrapFrame(m, encoded)
		}
	case *Delivery:
		if e.WrapFrame != nil {
			return e.WrapFrame(m.Tail.Frame(), encoded)
		}
	case *ContentSubframe:
		if e.WrapContent != nil {
			return e.WrapContent(m, encoded)
		}
	case *HeadersSubframe:
		if e.WrapHeaders != nil {
			return e.WrapHeaders(m, encoded)
		}
	case *EOL:
		if e.WrapEOL != nil {
			return e.WrapEOL(encoded)
		}
	}
	return encoded, nil
}
