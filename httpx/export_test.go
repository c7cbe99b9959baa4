package httpx

// DrawPattern is drawPattern for the tests outside the package.
var DrawPattern = drawPattern
