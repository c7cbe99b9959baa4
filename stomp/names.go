package stomp

// Names that are in most frames are not copied: a decoded header gets the constant, which is valid for ever and is
// the same text in memory as that of whoever looks for it.

// commonName returns the constant that is spelled by name, "" when name is none of the common ones.
func commonName[T text](name T) string {
	if len(name) == 0 {
		return ""
	}
	if common := commonNames[nameSlot(name)]; string(name) == common {
		return common
	}
	return ""
}

// nameSlot is a perfect hash of the common names: no two of them have the same.
func nameSlot[T text](name T) uint8 {
	n := len(name)
	return (uint8(n) + 13*name[0] + 18*name[n-1]) % slots
}

const slots = 128

// commonNames has each name at its slot.
var commonNames = func() (table [slots]string) {
	for _, name := range [...]string{
		HeaderAcceptVersion, HeaderAck, HeaderContentLength, HeaderContentType, HeaderDestination, HeaderHeartBeat,
		HeaderHost, HeaderID, HeaderLogin, HeaderMessage, HeaderMessageID, HeaderPasscode, HeaderReceipt,
		HeaderReceiptID, HeaderServer, HeaderSession, HeaderSubscription, HeaderTransaction, HeaderVersion,
		// what brokers and clients in use add
		"timestamp", "priority", "expires", "expiration", "persistent", "reply-to", "correlation-id", "type",
		HeaderRedelivered, "selector", "prefetch-count", "content-encoding", "date", "user-id", "app-id", "durable",
		"auto-delete", "delivery-mode", "JMSXGroupID", "browser", "no-local", "client-id",
	} {
		table[nameSlot(name)] = name
	}
	return table
}()
