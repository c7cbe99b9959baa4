package httpx

import (
	"strconv"
	"strings"
	"time"
)

// EventsType is the media type of a stream of events.
const EventsType = "text/event-stream"

// Event is one event of a stream, or a part of one. HTML standard, "Server-sent events".
type Event struct {
	// Name is the type that listeners are registered for; "" = "message".
	Name string
	// Data is the content; each line of it is one of the stream. An event that has a Name, or nothing else, is an
	// event to the browser even when Data is empty.
	Data string
	// ID is what the browser tells in Last-Event-ID when it connects again; "" = that of the event before.
	ID string
	// Retry is how long it waits then, sent in whole milliseconds; 0 = as before.
	Retry time.Duration
	// Comment is for whoever reads the stream by eye.
	Comment string
}

// append appends e as it is sent. The error is an *Error when part of it could be taken for another line.
func (e *Event) append(dst []byte) ([]byte, error) {
	if strings.ContainsAny(e.Name, "\r\n") || strings.ContainsAny(e.ID, "\r\n\x00") || e.Retry < 0 {
		return dst, errBadEvent
	}
	if e.Comment != "" {
		dst = appendLines(dst, ": ", e.Comment)
	}
	if e.Retry > 0 {
		dst = strconv.AppendInt(append(dst, "retry: "...), e.Retry.Milliseconds(), 10)
		dst = append(dst, '\n')
	}
	if e.ID != "" {
		dst = append(append(append(dst, "id: "...), e.ID...), '\n')
	}
	if e.Name != "" {
		dst = append(append(append(dst, "event: "...), e.Name...), '\n')
	}
	if e.Data != "" || e.Name != "" || e.ID == "" && e.Retry == 0 && e.Comment == "" {
		dst = appendLines(dst, "data: ", e.Data)
	}
	return append(dst, '\n'), nil
}

var errBadEvent = refuse(0, "bad event: a line end in its name or id, or NUL in its id")

// appendLines appends text with prefix in front of each line; CR, LF and CR LF all end one.
func appendLines(dst []byte, prefix, text string) []byte {
	for {
		end := strings.IndexAny(text, "\r\n")
		if end < 0 {
			return append(append(append(dst, prefix...), text...), '\n')
		}
		dst = append(append(append(dst, prefix...), text[:end]...), '\n')
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
			end++
		}
		text = text[end+1:]
	}
}

// LastEventID returns the id of the last event that the client has seen of this stream, "" when it has seen none.
func (r *Request) LastEventID() string { return string(r.Header.Get("last-event-id")) }
