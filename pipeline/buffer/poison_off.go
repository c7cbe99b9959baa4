//go:build !bufdebug

package buffer

// Debug tells whether the program was built with the tag bufdebug, which checks every access, poisons freed memory and
// watches that loop pools stay on their loop.
const Debug = false

// The states and hooks of the tag bufdebug are empty here, and calls to them compile to nothing.
type (
	debugState struct{}
	sliceMark  struct{}
	affinity   struct{}
)

func (b *Buffer) check(string)        {}
func (b *Buffer) born()               {}
func (b *Buffer) verify()             {}
func (b *Buffer) retire() *Buffer     { return b }
func (b *Buffer) poison()             {}
func (b *Buffer) touchDebug(string)   {}
func (d *debugState) began()          {}
func (d *debugState) history() string { return "" }
func (b *Buffer) mark() sliceMark     { return sliceMark{} }

func (b *Buffer) checkLen(string, int) {}
func (c *Composite) check(string)      {}
func (d *debugState) ended()           {}
func (s Slice) checkSlice(string)      {}
func (p *Pool) checkLoop(string)       {}

// Bind remembers the calling goroutine as p's loop. Under the tag bufdebug Get, Put and Trim on any other panic; in an
// ordinary build it does nothing. Call it on the event loop only.
func (p *Pool) Bind() {}
