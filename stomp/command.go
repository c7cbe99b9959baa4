package stomp

// Command is the first line of a frame: what the frame asks for or reports. Commands are case sensitive.
type Command string

// The commands of STOMP 1.0, 1.1 and 1.2. CommandNack and CommandStomp came with 1.1.
const (
	CommandConnect     Command = "CONNECT"     // client: open a session
	CommandStomp       Command = "STOMP"       // client: the same as CONNECT, told apart from HTTP
	CommandConnected   Command = "CONNECTED"   // server: the session is open
	CommandSend        Command = "SEND"        // client: publish, may have a body
	CommandSubscribe   Command = "SUBSCRIBE"   // client: receive from a destination
	CommandUnsubscribe Command = "UNSUBSCRIBE" // client: stop receiving
	CommandAck         Command = "ACK"         // client: consumed
	CommandNack        Command = "NACK"        // client: not consumed
	CommandBegin       Command = "BEGIN"       // client: start a transaction
	CommandCommit      Command = "COMMIT"      // client: carry a transaction out
	CommandAbort       Command = "ABORT"       // client: drop a transaction
	CommandDisconnect  Command = "DISCONNECT"  // client: end the session
	CommandMessage     Command = "MESSAGE"     // server: a delivery, may have a body
	CommandReceipt     Command = "RECEIPT"     // server: a frame was processed
	CommandError       Command = "ERROR"       // server: the session ends, may have a body
)

// Known reports whether c is one of the commands above.
func (c Command) Known() bool {
	switch c {
	case CommandMessage, CommandSend, CommandAck, CommandReceipt, CommandNack, CommandSubscribe,
		CommandUnsubscribe, CommandBegin, CommandCommit, CommandAbort, CommandConnect, CommandStomp,
		CommandConnected, CommandDisconnect, CommandError:
		return true
	}
	return false
}

// Handshake reports whether c travels before a version is agreed on: CONNECT, STOMP and CONNECTED. Their
// headers are never escaped and their lines may end in LF or CR LF whatever the version.
func (c Command) Handshake() bool {
	return c == CommandConnect || c == CommandConnected || c == CommandStomp
}

// Body reports whether frames of c may have a body. STOMP 1.2, "Body": SEND, MESSAGE and ERROR only.
func (c Command) Body() bool {
	return c == CommandMessage || c == CommandSend || c == CommandError
}

// commandOf returns the constant that is spelled by line, so that no frame needs memory for its command.
// It returns "" for anything else.
func commandOf(line []byte) Command {
	switch string(line) {
	case "MESSAGE":
		return CommandMessage
	case "SEND":
		return CommandSend
	case "ACK":
		return CommandAck
	case "RECEIPT":
		return CommandReceipt
	case "NACK":
		return CommandNack
	case "SUBSCRIBE":
		return CommandSubscribe
	case "UNSUBSCRIBE":
		return CommandUnsubscribe
	case "BEGIN":
		return CommandBegin
	case "COMMIT":
		return CommandCommit
	case "ABORT":
		return CommandAbort
	case "CONNECT":
		return CommandConnect
	case "STOMP":
		return CommandStomp
	case "CONNECTED":
		return CommandConnected
	case "DISCONNECT":
		return CommandDisconnect
	case "ERROR":
		return CommandError
	}
	return ""
}
