package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// script makes a session case: each step is "connection frame", and so is each expectation, with the headers to compare.
// A frame has its command, headers and body separated by spaces; "." stands for a body with that text behind it.
func script(options string, steps []string, expect ...string) string {
	var in, out []string
	closed := strings.Contains(strings.Join(expect, " "), " ERROR") || strings.Contains(strings.Join(steps, " "), " DISCONNECT ")
	for _, s := range steps {
		conn, frame, _ := strings.Cut(s, " ")
		head, body, _ := strings.Cut(frame, " .")
		in = append(in, fmt.Sprintf(`{"conn": %q, "utf8": "%s\n\n%s\u0000"}`, conn, strings.ReplaceAll(head, " ", `\n`), body))
	}
	for _, s := range expect {
		fields := strings.Fields(s)
		var headers []string
		body := ""
		for _, h := range fields[2:] {
			if text, isBody := strings.CutPrefix(h, "."); isBody {
				body = fmt.Sprintf(`, "body_hex": "%x"`, text)
				continue
			}
			name, value, _ := strings.Cut(h, ":")
			headers = append(headers, fmt.Sprintf(`[%q, %q]`, name, value))
		}
		out = append(out, fmt.Sprintf(`{"conn": %q, "command": %q, "headers": [%s]%s}`, fields[0], fields[1], strings.Join(headers, ", "), body))
	}
	return fmt.Sprintf(`{"id": "x", "kind": "session", "role": "server", "version": "1.2", "options": {%s},
		"input_steps": [%s], "expect": {"match": "subset", "frames": [%s], "closed": %t, "no_more_frames": true}}`,
		options, strings.Join(in, ", "), strings.Join(out, ", "), closed)
}

const login, logged = "CONNECT accept-version:1.2 host:h", "CONNECTED version:1.2"

// TestSessionsCanBeScripted runs sessions whole, octet by octet and cut at random, as files of cases do.
func TestSessionsCanBeScripted(t *testing.T) {
	for name, c := range map[string]struct{ steps, expect []string }{
		"receipts in order": {
			[]string{"A " + login, "A SEND destination:/topic/t receipt:1 .x", "A SEND destination:/topic/t receipt:2 .x"},
			[]string{"A " + logged, "A RECEIPT receipt-id:1", "A RECEIPT receipt-id:2"},
		},
		"a topic and two who listen": {
			[]string{
				"A " + login, "B " + login, "A SUBSCRIBE id:1 destination:/topic/t", "B SUBSCRIBE id:2 destination:/topic/t",
				"B SEND destination:/topic/t .hi",
			},
			[]string{"A " + logged, "A MESSAGE subscription:1 .hi", "B " + logged, "B MESSAGE subscription:2 .hi"},
		},
		"nobody listens any more": {
			[]string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A UNSUBSCRIBE id:1", "A SEND destination:/topic/t receipt:s .hi"},
			[]string{"A " + logged, "A RECEIPT receipt-id:s"},
		},
		"a queue keeps for later": {
			[]string{"A " + login, "A SEND destination:/queue/q .1", "A SEND destination:/queue/q .2", "B " + login, "B SUBSCRIBE id:7 destination:/queue/q"},
			[]string{"A " + logged, "B " + logged, "B MESSAGE subscription:7 .1", "B MESSAGE subscription:7 .2"},
		},
		"what was not acknowledged comes again": {
			[]string{
				"A " + login, "A SUBSCRIBE id:1 destination:/queue/q ack:client-individual", "A SEND destination:/queue/q .m", "A DISCONNECT receipt:d",
				"B " + login, "B SUBSCRIBE id:2 destination:/queue/q",
			},
			[]string{"A " + logged, "A MESSAGE subscription:1 .m", "A RECEIPT receipt-id:d", "B " + logged, "B MESSAGE subscription:2 redelivered:true .m"},
		},
		"a transaction that is committed": {
			[]string{
				"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A BEGIN transaction:x", "A SEND destination:/topic/t transaction:x .1",
				"A SEND destination:/topic/t .0", "A SEND destination:/topic/t transaction:x .2", "A COMMIT transaction:x",
			},
			[]string{"A " + logged, "A MESSAGE .0", "A MESSAGE .1", "A MESSAGE .2"},
		},
		"a transaction that is aborted": {
			[]string{
				"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A BEGIN transaction:x", "A SEND destination:/topic/t transaction:x .1",
				"A ABORT transaction:x receipt:r",
			},
			[]string{"A " + logged, "A RECEIPT receipt-id:r"},
		},
		"a transaction that is lost": {
			[]string{
				"B " + login, "B SUBSCRIBE id:1 destination:/topic/t", "A " + login, "A BEGIN transaction:x",
				"A SEND destination:/topic/t transaction:x .1", "A DISCONNECT receipt:d",
			},
			[]string{"A " + logged, "A RECEIPT receipt-id:d", "B " + logged},
		},
		"a wildcard": {
			[]string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/*.b", "A SEND destination:/topic/a.b .y", "A SEND destination:/topic/a.c .n"},
			[]string{"A " + logged, "A MESSAGE destination:/topic/a.b .y"},
		},
		"an unknown transaction": {
			[]string{"A " + login, "A ABORT transaction:x receipt:r"},
			[]string{"A " + logged, "A ERROR receipt-id:r"},
		},
		"a transaction twice": {
			[]string{"A " + login, "A BEGIN transaction:x", "A BEGIN transaction:x receipt:r"},
			[]string{"A " + logged, "A ERROR receipt-id:r"},
		},
		"a subscription twice": {
			[]string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A SUBSCRIBE id:1 destination:/topic/u receipt:r"},
			[]string{"A " + logged, "A ERROR receipt-id:r"},
		},
		"an unknown acknowledgement": {
			[]string{"A " + login, "A ACK id:nothing receipt:r"},
			[]string{"A " + logged, "A ERROR receipt-id:r"},
		},
		"an unknown ack mode": {
			[]string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/t ack:perhaps receipt:r"},
			[]string{"A " + logged, "A ERROR receipt-id:r"},
		},
		"a login twice": {
			[]string{"A " + login, "A " + login},
			[]string{"A " + logged, "A ERROR"},
		},
		"a command of the server": {
			[]string{"A " + login, "A RECEIPT receipt-id:1"},
			[]string{"A " + logged, "A ERROR"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := load(caseFile(t, "["+script("", c.steps, c.expect...)+"]"), "")
			require.NoError(t, err)
			list[0].ways = list[0].ways[:12] // the cases of the module run in all
			where, problems := list[0].check()
			require.Empty(t, problems, where)
		})
	}
}

func TestAScriptThatComesOutOtherwiseFails(t *testing.T) {
	steps := []string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A SEND destination:/topic/t .hi"}
	for name, c := range map[string]struct {
		expect  []string
		problem string
	}{
		"a frame too few":     {[]string{"A " + logged}, `frames[1]: got {"body_hex":"6869","command":"MESSAGE"`},
		"a frame too many":    {[]string{"A " + logged, "A MESSAGE .hi", "A MESSAGE .hi"}, `frames[2]: got nothing`},
		"another order":       {[]string{"A MESSAGE .hi", "A " + logged}, `frames[0].body_hex: got "", want "6869"`},
		"another body":        {[]string{"A " + logged, "A MESSAGE .ho"}, `frames[1].body_hex: got "6869", want "686f"`},
		"another header":      {[]string{"A " + logged, "A MESSAGE subscription:2"}, `frames[1].headers[0][1]: got "1", want "2"`},
		"a header too many":   {[]string{"A " + logged, "A MESSAGE ack:1"}, `frames[1].headers`},
		"another connection":  {[]string{"A " + logged, "B MESSAGE .hi"}, `frames[1].conn: got "A", want "B"`},
		"an end that is none": {[]string{"A " + logged, "A ERROR"}, `closed: got false, want true`},
	} {
		t.Run(name, func(t *testing.T) {
			where, problems := caseCheck(t, script("", steps, c.expect...))
			require.Equal(t, "whole", where)
			require.Contains(t, strings.Join(problems, "\n"), c.problem)
		})
	}
}

func TestReceiptsMayComeInAnyOrderWhereTheCaseSaysSo(t *testing.T) {
	steps := []string{"A " + login, "A SUBSCRIBE id:1 destination:/topic/t", "A SEND destination:/topic/t receipt:s .hi"}
	for _, expect := range [][]string{
		{"A " + logged, "A MESSAGE .hi", "A RECEIPT receipt-id:s"},
		{"A " + logged, "A RECEIPT receipt-id:s", "A MESSAGE .hi"},
	} {
		where, problems := caseCheck(t, script(`"receipt_order": "any"`, steps, expect...))
		require.Empty(t, problems, where)
	}
}
