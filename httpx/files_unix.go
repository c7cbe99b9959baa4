//go:build unix

package httpx

import "syscall"

// dontWait opens a named pipe without waiting for somebody to write to it. It changes nothing for regular files.
const dontWait = syscall.O_NONBLOCK
