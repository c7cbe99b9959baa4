package embedded

import (
	"errors"
	"reflect"

	"github.com/penstock-go/penstock/pipeline"
)

// errForced closes a channel whose handlers hold back every other close. Nobody hears of it but they.
var errForced = errors.New("embedded: finished while the close was held back")

// record keeps an error until somebody takes it.
func (c *Channel) record(err error) {
	if errors.Is(err, errForced) {
		return
	}
	c.errs = append(c.errs, err)
}

// CheckErr takes the oldest error that no handler dealt with, nil when there is none: each is returned exactly once, by
// CheckErr or by the next call that gives the channel something.
func (c *Channel) CheckErr() error {
	if len(c.errs) == 0 {
		return nil
	}
	err := c.errs[0]
	c.errs[0] = nil
	c.errs = c.errs[1:]
	if len(c.errs) == 0 {
		c.errs = nil
	}
	return err
}

// surface is CheckErr outside of callbacks; inside, the outermost call returns the error.
func (c *Channel) surface() error {
	if c.world.running {
		return nil
	}
	return c.CheckErr()
}

// closedErr is what giving something to a closed channel returns: what closed it, if nobody knows yet.
func (c *Channel) closedErr() error {
	if err := c.CheckErr(); err != nil {
		return err
	}
	return pipeline.ErrClosed
}

// ErrEmpty is what In and Out return when there is nothing to take.
var ErrEmpty = errors.New("embedded: nothing to take")

// TypeError is what In and Out return when the next message is of another type. The message stays where it is.
type TypeError struct {
	Queue string       // "inbound" or "outbound"
	Want  reflect.Type // what was asked for
	Got   reflect.Type // what is there
}

// Error names both types.
func (e *TypeError) Error() string {
	return "embedded: next " + e.Queue + " message is " + e.Got.String() + ", want " + e.Want.String()
}
