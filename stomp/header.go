package stomp

import "slices"

// The header names of the specification.
const (
	HeaderAcceptVersion = "accept-version"
	HeaderAck           = "ack"
	HeaderContentLength = "content-length"
	HeaderContentType   = "content-type"
	HeaderDestination   = "destination"
	HeaderHeartBeat     = "heart-beat"
	HeaderHost          = "host"
	HeaderID            = "id"
	HeaderLogin         = "login"
	HeaderMessage       = "message"
	HeaderMessageID     = "message-id"
	HeaderPasscode      = "passcode"
	HeaderReceipt       = "receipt"
	HeaderReceiptID     = "receipt-id"
	HeaderRedelivered   = "redelivered"
	HeaderServer        = "server"
	HeaderSession       = "session"
	HeaderSubscription  = "subscription"
	HeaderTransaction   = "transaction"
	HeaderVersion       = "version"
)

// Header is one entry, unescaped. The strings of a decoded entry are valid until its Frame or HeadersSubframe is
// released: take strings.Clone of what is kept for longer. Names of the specification are always valid.
type Header struct {
	Name  string // case sensitive
	Value string
}

// Headers is the list of a frame's entries in wire order, repeated names included. A name's first entry is
// its value. STOMP 1.2, "Repeated Header Entries". Look-ups walk the list: frames have few headers. What they return
// of a decoded frame is valid until the frame is released.
type Headers []Header

// Lookup returns the value of name, and whether there is one.
func (h Headers) Lookup(name string) (value string, ok bool) {
	for i := range h {
		if h[i].Name == name {
			return h[i].Value, true
		}
	}
	return "", false
}

// Get returns the value of name, "" when there is none.
func (h Headers) Get(name string) string {
	value, _ := h.Lookup(name)
	return value
}

// Values returns all values of name in wire order, in a slice of its own.
func (h Headers) Values(name string) []string {
	var values []string
	for i := range h {
		if h[i].Name == name {
			values = append(values, h[i].Value)
		}
	}
	return values
}

// Add appends an entry. When name is there already its value stays what it was.
func (h *Headers) Add(name, value string) { *h = append(*h, Header{name, value}) }

// Set makes value the only value of name: in the place of its first entry, at the end when there is none.
func (h *Headers) Set(name, value string) {
	first := slices.IndexFunc(*h, func(e Header) bool { return e.Name == name })
	if first < 0 {
		h.Add(name, value)
		return
	}
	(*h)[first].Value = value
	rest := (*h)[first+1:]
	rest.Del(name)
	*h = (*h)[:first+1+len(rest)]
}

// Del removes every entry of name.
func (h *Headers) Del(name string) {
	*h = slices.DeleteFunc(*h, func(e Header) bool { return e.Name == name })
}

// Clone returns a list of its own with the same entries. The strings are the same ones, see Own.
func (h Headers) Clone() Headers { return slices.Clone(h) }
