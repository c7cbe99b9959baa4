package httpx

// The status codes that this package acts on, or answers with. RFC 9110, 15; 431 is RFC 6585, 5.
const (
	statusContinue           = 100
	statusSwitching          = 101
	statusOK                 = 200
	statusNoContent          = 204
	statusResetContent       = 205
	statusPartial            = 206
	statusMoved              = 301
	statusNotModified        = 304
	statusPermanentRedirect  = 308
	statusBadRequest         = 400
	statusForbidden          = 403
	statusNotFound           = 404
	statusNotAllowed         = 405
	statusTimeout            = 408
	statusPreconditionFailed = 412
	statusContentTooLarge    = 413
	statusURITooLong         = 414
	statusUnsupportedMedia   = 415
	statusRangeUnsatisfied   = 416
	statusExpectation        = 417
	statusHeadTooLarge       = 431
	statusInternal           = 500
	statusNotImplemented     = 501
	statusUnavailable        = 503
	statusBadVersion         = 505
)

// StatusText returns the usual reason phrase of a status code, "" when there is none. Safe for concurrent use.
// RFC 9110, 15 and the registry of status codes.
func StatusText(status int) string {
	switch {
	case status == statusOK:
		return "OK"
	case status < 100 || status > 599:
		return ""
	case status < 300:
		return success(status)
	case status < 400:
		return redirection(status)
	case status < 500:
		return clientError(status)
	}
	return serverError(status)
}

func success(status int) string {
	switch status {
	case statusContinue:
		return "Continue"
	case statusSwitching:
		return "Switching Protocols"
	case 102:
		return "Processing"
	case 103:
		return "Early Hints"
	case 201:
		return "Created"
	case 202:
		return "Accepted"
	case 203:
		return "Non-Authoritative Information"
	case statusNoContent:
		return "No Content"
	case statusResetContent:
		return "Reset Content"
	case statusPartial:
		return "Partial Content"
	case 207:
		return "Multi-Status"
	case 208:
		return "Already Reported"
	case 226:
		return "IM Used"
	}
	return ""
}

func redirection(status int) string {
	switch status {
	case 300:
		return "Multiple Choices"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 303:
		return "See Other"
	case statusNotModified:
		return "Not Modified"
	case 305:
		return "Use Proxy"
	case 307:
		return "Temporary Redirect"
	case 308:
		return "Permanent Redirect"
	}
	return ""
}

// The table of clientError is indexed by status - firstClientError.
const firstClientError, lastClientError = 400, 451

func clientError(status int) string {
	if status > lastClientError {
		return ""
	}
	return [lastClientError - firstClientError + 1]string{
		0: "Bad Request", 1: "Unauthorized", 2: "Payment Required", 3: "Forbidden", 4: "Not Found",
		5: "Method Not Allowed", 6: "Not Acceptable", 7: "Proxy Authentication Required", 8: "Request Timeout",
		9: "Conflict", 10: "Gone", 11: "Length Required", 12: "Precondition Failed", 13: "Content Too Large",
		14: "URI Too Long", 15: "Unsupported Media Type", 16: "Range Not Satisfiable", 17: "Expectation Failed",
		21: "Misdirected Request", 22: "Unprocessable Content", 23: "Locked", 24: "Failed Dependency",
		25: "Too Early", 26: "Upgrade Required", 28: "Precondition Required", 29: "Too Many Requests",
		31: "Request Header Fields Too Large", 51: "Unavailable For Legal Reasons",
	}[status-firstClientError]
}

func serverError(status int) string {
	switch status {
	case statusInternal:
		return "Internal Server Error"
	case statusNotImplemented:
		return "Not Implemented"
	case 502:
		return "Bad Gateway"
	case statusUnavailable:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	case statusBadVersion:
		return "HTTP Version Not Supported"
	case 506:
		return "Variant Also Negotiates"
	case 507:
		return "Insufficient Storage"
	case 508:
		return "Loop Detected"
	case 511:
		return "Network Authentication Required"
	}
	return ""
}
