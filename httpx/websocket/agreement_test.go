package websocket

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/pipelinetest"
)

func TestAcceptIsThatOfTheRFC(t *testing.T) {
	require.Equal(t, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", Accept("dGhlIHNhbXBsZSBub25jZQ=="))
}

func TestAcceptIsThatOfThePublishedCase(t *testing.T) {
	text, err := os.ReadFile("../testdata/http.json")
	require.NoError(t, err)
	var cases []struct {
		ID     string
		Expect struct {
			Accept string `json:"sec_websocket_accept"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &cases))
	found := 0
	for _, c := range cases {
		if c.Expect.Accept != "" {
			found++
			require.Equal(t, c.Expect.Accept, Accept("dGhlIHNhbXBsZSBub25jZQ=="), c.ID)
		}
	}
	require.Equal(t, 1, found)
}

func TestKeysAreSixteenOctets(t *testing.T) {
	for key, good := range map[string]bool{
		"dGhlIHNhbXBsZSBub25jZQ==":     true,
		"AAAAAAAAAAAAAAAAAAAAAA==":     true,
		"":                             false,
		"dGhlIHNhbXBsZSBub25jZQ":       false,
		"dGhlIHNhbXBsZSBub25jZQA=":     false,
		"dGhlIHNhbXBsZSBub25jZQAA":     false,
		"dGhlIHNhbXBsZSBub25jZQ==AAAA": false,
		"dGhlIHNhbXBsZSBub25j!Q==":     false,
	} {
		require.Equal(t, good, validKey(key), "%q", key)
	}
}

func TestAChannelWithoutAHandshakeHasNoAgreement(t *testing.T) {
	_, ok := AgreementOf(pipelinetest.New(t).Channel())
	require.False(t, ok)
}
