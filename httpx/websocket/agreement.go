package websocket

import (
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it; nothing depends on its strength
	"encoding/base64"

	"github.com/penstock-go/penstock/pipeline"
)

// Agreement is what the two ends of a connection agreed on by the handshake.
type Agreement struct {
	// Protocol is the subprotocol; "" = none.
	Protocol string
	// Deflate is permessage-deflate as it is used; nil: messages are not compressed. Do not change it.
	Deflate *Deflate
}

var agreements = pipeline.NewKey[Agreement]("websocket agreement")

// AgreementOf returns what the handshake on ch has agreed on, and whether there was one. Handlers behind the handshake can
// ask from HandleAdded on. Call it on the event loop only.
func AgreementOf(ch *pipeline.Channel) (Agreement, bool) { return agreements.Get(ch) }

// The fields of the handshake. RFC 6455, 11.3.
const (
	fieldKey        = "Sec-WebSocket-Key"
	fieldAccept     = "Sec-WebSocket-Accept"
	fieldVersion    = "Sec-WebSocket-Version"
	fieldProtocol   = "Sec-WebSocket-Protocol"
	fieldExtensions = "Sec-WebSocket-Extensions"

	version = "13"
)

// Accept returns the value of Sec-WebSocket-Accept that answers a Sec-WebSocket-Key. Safe for concurrent use. RFC 6455,
// 4.2.2.
func Accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // see above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// validKey reports whether key is 16 octets in base64. RFC 6455, 4.1.
func validKey(key string) bool {
	const encoded = 24
	var nonce [18]byte
	n, err := base64.StdEncoding.Decode(nonce[:], []byte(key[:min(len(key), encoded)]))
	return err == nil && n == 16 && len(key) == encoded
}
