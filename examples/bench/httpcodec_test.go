package main

import "testing"

func TestEveryCodecGivesTheSameAnswer(t *testing.T) {
	for _, request := range codecRequests {
		for _, peer := range codecPeers {
			op, err := peer.open([]byte(request.text))
			if err == nil {
				err = checkCodec(op)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", request.name, peer.name, err)
			}
		}
	}
}
