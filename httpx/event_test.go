package httpx

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEventsAreWrittenLineByLine(t *testing.T) {
	for want, e := range map[string]Event{
		"data: a\n\n":                                 {Data: "a"},
		"data: a\ndata: b\n\n":                        {Data: "a\nb"},
		"data: a\ndata: \ndata: b\ndata: c\n\n":       {Data: "a\r\n\r\nb\rc"},
		"data: a\ndata: \n\n":                         {Data: "a\n"},
		"data: \n\n":                                  {},
		"data:  a: b\n\n":                             {Data: " a: b"},
		"event: n\ndata: \n\n":                        {Name: "n"},
		"id: 7\ndata: a\n\n":                          {ID: "7", Data: "a"},
		"id: 7\n\n":                                   {ID: "7"},
		"retry: 1500\n\n":                             {Retry: 1500 * time.Millisecond},
		": a\n: data: b\n\n":                          {Comment: "a\ndata: b"},
		": c\nretry: 1\nid: 7\nevent: n\ndata: a\n\n": {Name: "n", Data: "a", ID: "7", Retry: time.Millisecond, Comment: "c"},
	} {
		got, err := e.append([]byte("x"))
		require.NoError(t, err)
		require.Equal(t, "x"+want, string(got))
	}
}

func TestEventsThatInjectAreRefused(t *testing.T) {
	for name, e := range map[string]Event{
		"a line end in a name": {Name: "a\ndata: b"},
		"CR in a name":         {Name: "a\rb"},
		"a line end in an id":  {ID: "a\n\nb"},
		"NUL in an id":         {ID: "a\x00"},
		"a negative retry":     {Retry: -1},
	} {
		got, err := e.append(nil)
		require.Error(t, err, name)
		require.Empty(t, got)
	}
}

// readEvents is what a browser does. HTML standard, "Parsing an event stream".
func readEvents(stream string) (events []Event) {
	var e Event
	var data []string
	for line := range strings.SplitSeq(stream, "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				e.Data = strings.Join(data, "\n")
				events = append(events, e)
			}
			e, data = Event{ID: e.ID}, nil
		case name == "data":
			data = append(data, value)
		case name == "event":
			e.Name = value
		case name == "id":
			e.ID = value
		}
	}
	return events
}

// FuzzEvent checks that a browser reads exactly the event that was written.
func FuzzEvent(f *testing.F) {
	f.Add("n", "a\nb", "7", "c", int64(1000000))
	f.Add("", "data: x\r\rid: 9", "", ":\n\nevent: evil", int64(0))
	f.Fuzz(func(t *testing.T, name, data, id, comment string, retry int64) {
		e := Event{Name: name, Data: data, ID: id, Comment: comment, Retry: time.Duration(retry)}
		out, err := e.append(nil)
		if err != nil {
			require.Empty(t, out)
			return
		}
		require.NotContains(t, string(out), "\r")
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n")
		got := readEvents(string(out))
		if data == "" && name == "" && (id != "" || retry != 0 || comment != "") {
			require.Empty(t, got)
			return
		}
		require.Equal(t, []Event{{Name: name, Data: lines.Replace(data), ID: id}}, got)
	})
}
