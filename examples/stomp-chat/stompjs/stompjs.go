// Package stompjs has the STOMP client for browsers that the examples' pages use, so that they need nothing from other
// servers: https://github.com/stomp-js/stompjs, version 7.5.0, the file bundles/stomp.umd.min.js of its package
// @stomp/stompjs as it is. It is under the Apache License 2.0, which stands in the file LICENSE beside it.
package stompjs

import (
	_ "embed"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline"
)

//go:embed stomp.umd.min.js
var script []byte

//go:embed LICENSE
var license []byte

// Path is where pages expect the script: <script src="/stompjs/stomp.umd.min.js"></script>. It makes the global StompJs.
const Path = "/stompjs/stomp.umd.min.js"

// LicensePath is where the license of the script is served.
const LicensePath = "/stompjs/LICENSE"

// Script answers a request with the script. Call it on the event loop only.
func Script(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.RespondBytes(200, "text/javascript; charset=utf-8", script)
}

// License answers a request with the license of the script. Call it on the event loop only.
func License(_ *pipeline.Context, x *httpx.Exchange) error {
	return x.RespondBytes(200, "text/plain; charset=utf-8", license)
}
