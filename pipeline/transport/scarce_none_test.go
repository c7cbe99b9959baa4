//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package transport

func asChild() bool { return false }
