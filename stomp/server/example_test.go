package server_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/handlers/broker"
	"github.com/penstock-go/penstock/pipeline"
	"github.com/penstock-go/penstock/pipeline/embedded"
	"github.com/penstock-go/penstock/stomp/server"
)

// A server with passwords, on which everybody writes to destinations of their own only.
func ExampleInit() {
	passcodes := map[string]string{"alice": "secret"}
	init := server.Init(server.Config{
		Broker: &broker.Broker{},
		Authenticate: func(_ *pipeline.Context, l *server.Login) {
			if wanted, known := passcodes[l.Login]; known && wanted == l.Passcode {
				l.Accept()
				return
			}
			l.Refuse("wrong login or passcode")
		},
		Authorize: func(s *server.Session, op server.Op, destination string) error {
			if op == server.OpSend && !strings.HasPrefix(destination, "/topic/"+s.Login()+"/") {
				return errors.New("that is somebody else's")
			}
			return nil
		},
	})
	ch, err := embedded.NewInit(embedded.Config{}, init) // a transport.Server has the same Init
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, frame := range []string{
		"CONNECT\naccept-version:1.2\nhost:h\nlogin:alice\npasscode:secret\n\n\x00",
		"SEND\ndestination:/topic/alice/news\nreceipt:1\n\nhello\x00",
		"SEND\ndestination:/topic/bob/news\nreceipt:2\n\nhello\x00",
	} {
		if err := ch.FeedString(frame); err != nil {
			fmt.Println(err)
		}
		for _, line := range strings.Split(ch.WireString(), "\n") {
			if strings.HasPrefix(line, "message:") || line == "CONNECTED" || line == "RECEIPT" || line == "ERROR" {
				fmt.Println(line)
			}
		}
	}
	// Output:
	// CONNECTED
	// RECEIPT
	// ERROR
	// message:that is somebody else's
}
