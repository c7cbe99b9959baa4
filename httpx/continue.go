package httpx

import "github.com/penstock-go/penstock/pipeline"

// expectsOther reports whether one of the expectations is not 100-continue. Those of HTTP/1.0 are ignored. RFC 9110,
// 10.1.1.
func (r *Request) expectsOther() bool {
	h := &r.Header
	if !h.present.has(fieldExpect) || r.Version < Version11 {
		return false
	}
	for i := h.find(fieldExpect, 0); i >= 0; i = h.find(fieldExpect, i+1) {
		for list := h.valueAt(&h.fields[i]); len(list) > 0; {
			var member []byte
			member, list = nextElement(list)
			if len(member) > 0 && !equalFold(member, "100-continue") {
				return true
			}
		}
	}
	return false
}

// refuseExpectation answers a request that expects what this server does not know.
func refuseExpectation(_ *pipeline.Context, x *Exchange) error {
	return x.RespondText(statusExpectation, StatusText(statusExpectation)+"\n")
}
