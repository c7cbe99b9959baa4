package server

import (
	"slices"
	"sort"

	"github.com/penstock-go/penstock/handlers/broker"
)

// window is what a client has and has not settled, by rising tag. It settles from the front at no cost, and anywhere else by
// moving at most a prefetch-count of pointers.
type window struct {
	list []*broker.Delivery
	gone int               // at the front of list
	tags map[uint64]uint64 // by message, for versions that acknowledge by message-id; nil = none
}

func (w *window) len() int { return len(w.list) - w.gone }

func (w *window) at(i int) *broker.Delivery { return w.list[w.gone+i] }

func (w *window) push(d *broker.Delivery) {
	w.makeRoom()
	w.list = append(w.list, d)
	w.note(d)
}

// makeRoom uses the front again when that is most of a full list.
func (w *window) makeRoom() {
	if w.gone > len(w.list)/2 && len(w.list) == cap(w.list) {
		w.list = slices.Delete(w.list, 0, w.gone)
		w.gone = 0
	}
}

// note lets d be found by its message.
func (w *window) note(d *broker.Delivery) {
	if w.tags != nil {
		w.tags[d.Message.ID()] = d.Tag
	}
}

// insert puts d back to its place.
func (w *window) insert(d *broker.Delivery) {
	w.makeRoom()
	i, _ := w.find(d.Tag)
	w.list = slices.Insert(w.list, w.gone+i, d)
	w.note(d)
}

// remove takes out i and returns it.
func (w *window) remove(i int) *broker.Delivery {
	d := w.at(i)
	if w.tags != nil {
		delete(w.tags, d.Message.ID())
	}
	if i == 0 {
		w.list[w.gone] = nil
		if w.gone++; w.gone == len(w.list) {
			w.list, w.gone = w.list[:0], 0
		}
		return d
	}
	w.list = slices.Delete(w.list, w.gone+i, w.gone+i+1)
	return d
}

// find returns where the delivery with this tag is, or where it would be.
func (w *window) find(tag uint64) (i int, ok bool) {
	i = sort.Search(w.len(), func(i int) bool { return w.at(i).Tag >= tag })
	return i, i < w.len() && w.at(i).Tag == tag
}

// findMessage returns the delivery of a message, of which a subscription has one at a time. It needs tags.
func (w *window) findMessage(id uint64) (i int, ok bool) {
	tag, ok := w.tags[id]
	if !ok {
		return 0, false
	}
	return w.find(tag)
}
