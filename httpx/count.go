package httpx

import (
	"sync"
	"sync/atomic"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// count counts the references of a message beyond the first, so that a plain literal has one. The common case of a
// message that was never shared costs one load: nobody else can change the count of something that only we hold.
// Safe for concurrent use.
type count struct {
	extra  atomic.Int32
	gone   bool // written by the last holder only
	pooled bool // it came out of a pool; a literal may be a part of something else, and goes into none
}

func (c *count) retain(what string) {
	if c.gone {
		panic("httpx: " + what + " retained after its release") //nolint:forbidigo // misuse by the program
	}
	c.extra.Add(1)
}

// drop gives up one reference and reports whether it was the last.
func (c *count) drop(what string) bool {
	if c.gone {
		panic("httpx: " + what + " released twice") //nolint:forbidigo // misuse by the program
	}
	if c.extra.Load() != 0 {
		if c.extra.Add(-1) >= 0 {
			return false
		}
		c.extra.Store(0)
	}
	c.gone = true
	return true
}

// shared reports whether there is another reference.
func (c *count) shared() bool { return c.extra.Load() != 0 }

// revive gives a message that comes out of its pool its first reference.
func (c *count) revive() { c.gone, c.pooled = false, true }

// recycle puts a message that is gone back into the pool that it came out of. With the tag bufdebug it does not: then
// the message stays gone, and every later use of it is found.
func (c *count) recycle(pool *sync.Pool, msg any) {
	if c.pooled && !buffer.Debug {
		pool.Put(msg)
	}
}
