package pipelinetest

import (
	"slices"

	"github.com/penstock-go/penstock/pipeline"
)

// Log is a list of events that several Recorders write to. The zero value is empty.
type Log struct{ events []string }

// Take returns the events so far, oldest first, and empties the log.
func (l *Log) Take() []string {
	events := l.events
	l.events = nil
	return events
}

// Events returns a copy of the events so far, oldest first.
func (l *Log) Events() []string { return slices.Clone(l.events) }

func (l *Log) add(event string) { l.events = append(l.events, event) }

// Recorder is a handler that notes every event that passes it and passes it on. The notes are "added", "active",
// "read", "read complete", "write", "flush", "close drain" (or now, write, reset), "read request", "event", "error",
// "writable", "unwritable", "read closed", "inactive" and "removed". It belongs into one pipeline.
//
// Read it on the test's goroutine.
type Recorder struct {
	pipeline.Unshared
	// Name stands in front of each note, with a space. "" = nothing does.
	Name string
	// Log is where the notes go; give one Log to several recorders to see who comes first. nil = one of its own.
	Log *Log
	// Errors are the errors that passed.
	Errors []error
	// UserEvents are the user events that passed, without a reference of their own.
	UserEvents []any
}

// Take returns the notes so far and empties the log.
func (r *Recorder) Take() []string { return r.log().Take() }

// Events returns a copy of the notes so far.
func (r *Recorder) Events() []string { return r.log().Events() }

func (r *Recorder) log() *Log {
	if r.Log == nil {
		r.Log = &Log{}
	}
	return r.Log
}

func (r *Recorder) note(event string) {
	if r.Name != "" {
		event = r.Name + " " + event
	}
	r.log().add(event)
}
