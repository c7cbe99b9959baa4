package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/penstock-go/penstock/codec"
	"github.com/penstock-go/penstock/stomp"
)

func stompEntry() entry {
	return entry{name: "stomp", kinds: []string{"decode", "encode", "session"}, parse: parseSTOMP, stream: streamSTOMP}
}

// stompCase is a case as its file has it.
type stompCase struct {
	about
	octets
	Version      string            `json:"version"`
	Role         string            `json:"role"`  // session: server or negotiate
	Needs        string            `json:"needs"` // session: "broker", which every session has
	InputSteps   []stompStep       `json:"input_steps"`
	Frame        *stompFrame       `json:"frame"`
	Options      stompOptions      `json:"options"`
	Expect       json.RawMessage   `json:"expect"`
	AlsoAccepted []json.RawMessage `json:"also_accepted"`
}

type stompOptions struct {
	Strict            *bool   `json:"strict"` // nil: comes out alike in both modes
	AllowUnknown      bool    `json:"allow_unknown"`
	MaxLine           int     `json:"max_line"`
	MaxHeaders        int     `json:"max_headers"`
	MaxBody           int64   `json:"max_body"`
	AutoContentLength bool    `json:"auto_content_length"`
	ReceiptOrder      string  `json:"receipt_order"`
	ClientHeartBeat   *string `json:"client_heart_beat"`
	ServerHeartBeat   *string `json:"server_heart_beat"`
}

type stompFrame struct {
	Command stomp.Command `json:"command"`
	Headers [][2]string   `json:"headers"`
	BodyHex string        `json:"body_hex"`
}

// stompDecoded is what a decode case expects.
type stompDecoded struct {
	Frames     []stompFrame      `json:"frames,omitempty"`
	Error      string            `json:"error,omitempty"`
	Incomplete bool              `json:"incomplete,omitempty"`
	EOLs       *uint64           `json:"eols,omitempty"`
	Get        map[string]string `json:"get,omitempty"`
}

// stompEncoded is what an encode case expects.
type stompEncoded struct {
	OutputHex  string `json:"output_hex,omitempty"`
	OutputUTF8 string `json:"output_utf8,omitempty"`
	Error      string `json:"error,omitempty"`
}

func parseSTOMP(raw []byte) (*testCase, error) {
	var c stompCase
	if err := strictly(raw, &c); err != nil {
		return nil, err
	}
	if stomp.ParseVersion(c.Version) == stomp.VersionUnknown {
		return nil, fmt.Errorf("unknown version %q", c.Version)
	}
	switch {
	case c.Kind == "decode":
		return c.decode()
	case c.Kind == "encode" && c.Frame != nil:
		return c.encode()
	case c.Kind == "session" && c.Role == "negotiate":
		return c.negotiate()
	case c.Kind == "session" && c.Role == "server":
		return c.serve()
	}
	return nil, errOther
}

// decode makes a case that runs strict and lenient, unless it says which, and with frames whole and streamed.
func (c *stompCase) decode() (*testCase, error) {
	pieces, err := c.pieces()
	if err != nil {
		return nil, err
	}
	var asked stompDecoded
	if err := strictly(c.Expect, &asked); err != nil {
		return nil, err
	}
	t := &testCase{}
	for _, strict := range []bool{false, true} {
		if c.Options.Strict != nil && *c.Options.Strict != strict {
			continue
		}
		for _, streamed := range []bool{false, true} {
			mode := fmt.Sprintf(", strict %t, streamed %t", strict, streamed)
			t.ways = append(t.ways, inputWays(mode, pieces, func(pieces [][]byte) (any, error) {
				return decodeSTOMP(c.decoder(strict, streamed), pieces, false, asked.Get)
			})...)
		}
	}
	t.differences, err = expectations(func(want, got *stompDecoded) {
		if want.EOLs == nil {
			got.EOLs = nil
		}
		if want.Get == nil {
			got.Get = nil
		}
	}, c.Expect, c.AlsoAccepted...)
	return t, err
}

func (c *stompCase) decoder(strict, streamed bool) *stomp.Decoder {
	return &stomp.Decoder{
		State:        &stomp.State{Version: stomp.ParseVersion(c.Version)},
		Strict:       strict,
		Stream:       streamed,
		AllowUnknown: c.Options.AllowUnknown,
		Limits:       stomp.Limits{Line: c.Options.MaxLine, Headers: c.Options.MaxHeaders, Body: c.Options.MaxBody},
	}
}

func streamSTOMP(input []byte, eof bool) (any, error) {
	return decodeSTOMP(&stomp.Decoder{}, [][]byte{input}, eof, nil)
}

// decodeSTOMP runs d over pieces; lookups are names of headers to look up in the first frame.
func decodeSTOMP(d *stomp.Decoder, pieces [][]byte, eof bool, lookups map[string]string) (any, error) {
	var got stompDecoded
	var parts stomp.Aggregator
	whole := func(msg any) {
		f, ok := msg.(*stomp.Frame)
		if !ok {
			return
		}
		if len(got.Frames) == 0 && lookups != nil {
			got.Get = map[string]string{}
			for name := range lookups {
				got.Get[name] = strings.Clone(f.Headers.Get(name))
			}
		}
		got.Frames = append(got.Frames, frameOf(f))
		f.Release()
	}
	run := decoding{
		decoder: codec.NewDecoder[any](d),
		message: func(msg any) error { return parts.DecodeMessage(msg, whole) },
		eof:     eof,
		probe:   "RECEIPT\nreceipt-id:1\n\n\x00",
	}
	result, err := run.run(pieces, func() {
		got.Incomplete = len(got.Frames) == 0 && len(slices.Concat(pieces...)) > 0 && !d.Between()
		eols := d.EOLs()
		got.EOLs = &eols
	})
	parts.Reset()
	if result.refusal != nil {
		got.Error, got.Incomplete = stompReason(result.refusal), false
	}
	return got, err
}

func frameOf(f *stomp.Frame) stompFrame {
	headers := make([][2]string, 0, len(f.Headers))
	for _, h := range f.Headers.Own() {
		headers = append(headers, [2]string{h.Name, h.Value})
	}
	return stompFrame{Command: f.Command, Headers: headers, BodyHex: hex.EncodeToString(f.Body.Bytes())}
}

// stompReason is the word for a refusal.
func stompReason(err error) string {
	var refused *stomp.Error
	if errors.As(err, &refused) {
		return string(refused.Reason)
	}
	return err.Error()
}

func (c *stompCase) encode() (*testCase, error) {
	body, err := hex.DecodeString(c.Frame.BodyHex)
	if err != nil {
		return nil, err
	}
	t := &testCase{ways: []way{{"whole", func() (any, error) {
		e := &stomp.Encoder{State: &stomp.State{Version: stomp.ParseVersion(c.Version)}, Length: stomp.LengthNeeded}
		if c.Options.AutoContentLength {
			e.Length = stomp.LengthAlways
		}
		f := stomp.NewFrame(c.Frame.Command)
		for _, h := range c.Frame.Headers {
			f.Headers.Add(h[0], h[1])
		}
		f.Body.AppendBytes(body)
		output, err := encode(codec.NewEncoder[any](e), f)
		got := stompEncoded{OutputHex: hex.EncodeToString(output)}
		if err != nil {
			got.Error = stompReason(err)
		}
		if utf8.Valid(output) {
			got.OutputUTF8 = string(output)
		}
		return got, nil
	}}}}
	t.differences, err = expectations(func(want, got *stompEncoded) {
		if want.OutputUTF8 == "" {
			got.OutputUTF8 = ""
		}
	}, c.Expect, c.AlsoAccepted...)
	return t, err
}
