// Package nethttp runs any http.Handler on connections of package httpx: gin, chi, echo, httputil.ReverseProxy,
// net/http/pprof, http.FileServer, unchanged.
//
//	init := httpx.Init(httpx.ServerConfig{Handle: nethttp.Handler(mux)})
//
// Connections stay on their event loops and cost nothing here while they are idle. Each request that runs has a
// goroutine of its own, at most Bridge.MaxRunning in all. The requests of one connection run one after the other, as in
// net/http, since a handler may do what must not happen twice at once, and may take the connection over (Hijack).
//
// # What handlers find
//
// Requests and ResponseWriters behave like those of net/http: implicit headers, content sniffing, automatic
// Content-Length, trailers, 1xx, 100 (Continue) at the first read of the body, Flush, Hijack, ReadFrom with sendfile,
// the deadlines of http.ResponseController, full duplex, http.ErrAbortHandler. The context of a request ends when the
// client leaves, or the handler returns. It has http.LocalAddrContextKey, and under http.ServerContextKey a *http.Server
// that serves nothing: httputil.ReverseProxy looks whether there is one, and breaks answers off only then.
//
// Where answers differ on purpose the table of the package's tests has the reason; the main ones: the status line
// always says HTTP/1.1, HTTP/1.0 clients are told Connection: close, 100 (Continue) is left out when the body is here
// already, statuses that have no body get none, trailers that RFC 9110, 6.5.1, forbids are left out, and
// http.MaxBytesReader cannot tell a foreign ResponseWriter to close the connection. A client that ends its side (FIN)
// counts as gone unless Options.AllowHalfClose is set.
//
// # Memory and goroutines
//
// A request holds up to 64 KiB of its body, and one read more, before the connection is no longer read. What a handler
// writes is buffered up to 4 KiB; up to 64 KiB are on their way to the loop, and up to Options.WriteHigh and what the
// kernel takes wait for the client; then Write waits. Everything that the loop and the goroutine share is behind one
// lock for each request, and no call of a handler ever runs on the loop.
package nethttp
