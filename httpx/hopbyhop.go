package httpx

// hopByHop are fields that concern one connection only. Connection itself and what it lists come on top. RFC 9110, 7.6.1
// and 11.7.
var hopByHop = [...]string{
	"keep-alive", "te", "transfer-encoding", "upgrade", "proxy-connection", "proxy-authenticate", "proxy-authorization",
}

// AddEndToEnd appends the lines of o that an intermediary passes on: all but those that concern its own connection, which
// are Connection, what that lists, and the fields known to be so. Host and Content-Length are kept even when Connection
// lists them, since nobody may take away whom a message is for or where it ends. It does not keep o. RFC 9110, 7.6.1.
func (h *Header) AddEndToEnd(o *Header) {
	h.own()
	for i := range o.fields {
		f := &o.fields[i]
		if name := o.nameAt(f); !o.endsHere(name, f.is) {
			appendField(h, name, o.valueAt(f), f.is)
		}
	}
}

// endsHere reports whether a field of h concerns one connection only.
func (h *Header) endsHere(name []byte, is fieldName) bool {
	switch is {
	case fieldHost, fieldContentLength:
		return false
	case fieldConnection, fieldTransferEncoding, fieldUpgrade:
		return true
	default:
	}
	for _, known := range hopByHop {
		if equalFold(name, known) {
			return true
		}
	}
	if !h.present.has(fieldConnection) {
		return false
	}
	for i := h.find(fieldConnection, 0); i >= 0; i = h.find(fieldConnection, i+1) {
		for list := h.valueAt(&h.fields[i]); len(list) > 0; {
			var option []byte
			if option, list = nextElement(list); equalFold(option, name) {
				return true
			}
		}
	}
	return false
}
