//go:build !unix

package httpx

// dontWait is nothing where names of pipes do not stand among those of files.
const dontWait = 0
