package httpx

// abortion ends the connection in the place of an answer, or of the rest of one.
type abortion struct{}

// Abort closes the connection in the place of the answer, or of what is missing of one that has begun, when its turn
// comes and behind what was given: so the client learns that the answer is not complete. Requests behind it get no
// answer. It returns ErrResponded when the answer is complete, ErrGone when the client has left. Call it on the event
// loop only.
func (x *Exchange) Abort() error {
	if err := x.leaving(); err != nil {
		return err
	}
	err := x.handler.put(x, abortion{})
	x.handler.settle(x)
	return err
}

// leaving takes the place of the answer, or of the rest of one, for something that ends HTTP on the connection.
func (x *Exchange) leaving() error {
	a := &x.answer
	switch {
	case a.gone:
		return ErrGone
	case a.begun && !a.ended:
	case !x.claim():
		return ErrResponded
	}
	a.begun, a.ended, a.mute = true, true, true
	return nil
}
