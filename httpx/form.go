package httpx

// FormType is the media type of the forms that ParseForm reads.
const FormType = "application/x-www-form-urlencoded"

// ParseForm reads a body of FormType into p, which forgets what it had; the form is that of ParseQuery. Hand it the
// whole body, read with a limit. On an error, an *Error with 400 or 413, p is not to be used. p shows body and does not
// change it: it is valid as long as body is. WHATWG URL, 5.1.
func ParseForm(p *Params, body []byte, limits ParamLimits) error {
	limits = limits.filled()
	if len(body) > limits.Bytes {
		return errFormTooLarge
	}
	return p.parse(body, limits.Count, errTooManyFields)
}

var (
	errFormTooLarge  = refuse(statusContentTooLarge, "form too large")
	errTooManyFields = refuse(statusContentTooLarge, "too many form fields")
)

// IsForm reports whether the content of a message with that header is a form for ParseForm, by its Content-Type.
func IsForm(h *Header) bool {
	m, err := ParseMediaType(h.Get("content-type"))
	return err == nil && m.Is(FormType)
}
