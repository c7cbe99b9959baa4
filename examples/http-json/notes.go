package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

type note struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

const maxNotes = 10_000

// notes are those of all connections, whose event loops share them.
type notes struct {
	mu   sync.Mutex
	last int
	all  map[int]note
}

func (n *notes) routes() (*httpx.Router, error) {
	r := &httpx.Router{}
	return r, errors.Join(
		r.Handle("POST /notes", n.add),
		r.Handle("GET /notes/{id}", n.get),
		r.Handle("DELETE /notes/{id}", n.remove),
	)
}

func (n *notes) add(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.ReadBody(4<<10, func(body []byte, err error) error {
		if err != nil {
			return err
		}
		var got note
		if json.Unmarshal(body, &got) != nil || got.Text == "" {
			return problem(x, 400, "the body is an object with a text")
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(n.all) == maxNotes {
			return problem(x, 507, "too many notes")
		}
		if n.all == nil {
			n.all = make(map[int]note)
		}
		n.last++
		got.ID = n.last
		n.all[got.ID] = got
		return answer(x, 201, got)
	})
}

func (n *notes) get(_ *pipeline.Context, x *httpx.Exchange) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	found, ok := n.find(x)
	if !ok {
		return problem(x, 404, "no such note")
	}
	return answer(x, 200, found)
}

func (n *notes) remove(_ *pipeline.Context, x *httpx.Exchange) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	found, ok := n.find(x)
	if !ok {
		return problem(x, 404, "no such note")
	}
	delete(n.all, found.ID)
	return x.RespondBytes(204, "", nil)
}

// find is called under the lock.
func (n *notes) find(x *httpx.Exchange) (note, bool) {
	id, err := strconv.Atoi(x.PathValue("id"))
	if err != nil {
		return note{}, false
	}
	found, ok := n.all[id]
	return found, ok
}

func answer(x *httpx.Exchange, status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return x.RespondBytes(status, "application/json", append(body, '\n'))
}

func problem(x *httpx.Exchange, status int, text string) error {
	return answer(x, status, map[string]string{"error": text})
}
