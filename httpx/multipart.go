package httpx

import (
	"bytes"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// The defaults of Multipart.
const (
	DefaultParts      = 128
	DefaultPartHead   = 8 << 10
	DefaultPartFields = 16
	DefaultFormBytes  = 32 << 20
	DefaultFormValue  = 64 << 10
)

// MultipartType is the media type of the forms that Multipart reads.
const MultipartType = "multipart/form-data"

// Multipart reads a form with files as it arrives and keeps nothing of the files: each piece of one goes on at once.
// NewMultipart makes it, then set the functions and limits, and hand its Take to Exchange.OnBody:
//
//	form, err := httpx.NewMultipart(x.Request)
//	if err != nil {
//		return err
//	}
//	form.Value = func(p *httpx.Part, value []byte) error { … }
//	form.Data = func(p *httpx.Part, data buffer.Slice) error { … }
//	form.Done = func() error { return x.RespondText(200, "thanks") }
//	return x.OnBody(form.Take)
//
// An error of a function ends the form: Take returns it, and nothing is called any more. Errors of the form are *Error
// with 400, 413 or 431. It belongs to one goroutine at a time. RFC 7578; RFC 2046, 5.1.
type Multipart struct {
	// Value gets a part without a file name whole; value is valid until it returns. nil = such parts come like files.
	Value func(p *Part, value []byte) error
	// Begin is called when the header of a part is complete.
	Begin func(p *Part) error
	// Data gets each piece of the part's content, which is not empty, and takes it. Where pieces are cut has no meaning.
	Data func(p *Part, data buffer.Slice) error
	// End is called behind the content of a part.
	End func(p *Part) error
	// Done is called once, when the body has ended as it should.
	Done func() error

	MaxParts    int   // 0 = 128; beyond: 413
	MaxPartHead int   // octets of the field lines of one part; 0 = 8 KiB; beyond: 431
	MaxFields   int   // field lines of one part; 0 = 16; beyond: 431
	MaxValue    int   // octets of one part that Value gets; 0 = 64 KiB; beyond: 413
	MaxBytes    int64 // octets of the whole body; 0 = 32 MiB; beyond: 413

	delimiter []byte // CR LF "--" boundary
	step      multipartStep
	matched   int // octets of the delimiter that the last piece ended with
	implied   int // those of them that are no content if the rest does not follow
	total     int64
	parts     int
	head      []byte // of the current part, as far as it has come
	line      int    // where its current line begins
	value     []byte // for Value
	whole     bool   // the current part is for Value
	part      Part
	err       error
}

// multipartStep is what comes next.
type multipartStep uint8

const (
	multipartPreamble  multipartStep = iota // in front of the first delimiter: means nothing
	multipartDelimited                      // right behind a delimiter
	multipartDash                           // behind a delimiter and a hyphen
	multipartPadding                        // blanks, then CR
	multipartLF
	multipartHead
	multipartData
	multipartClosed // behind the last delimiter: blanks, then CR, or the end of the body
	multipartClosedLF
	multipartEpilogue // behind that line: means nothing
)

// NewMultipart returns a reader for the body of r. The error is an *Error with 415 when the content is of another type,
// with 400 when it says no boundary, or one that cannot be. r is not kept.
func NewMultipart(r *Request) (*Multipart, error) {
	media, err := ParseMediaType(r.Header.Get("content-type"))
	if err != nil {
		return nil, err
	}
	if !media.Is(MultipartType) {
		return nil, errMediaType
	}
	boundary, _ := media.Param("boundary")
	if !validBoundary(boundary) {
		return nil, refuse(statusBadRequest, "bad boundary")
	}
	m := &Multipart{delimiter: []byte("\r\n--" + boundary)}
	m.matched = len("\r\n") // the first delimiter may begin the body
	return m, nil
}

// validBoundary reports whether s is 1 to 70 bchars and does not end in a blank. RFC 2046, 5.1.1.
func validBoundary(s string) bool {
	for i := range len(s) {
		if c := s[i]; charClass[c]&(classAlpha|classDigit) == 0 && bytes.IndexByte([]byte("'()+_,-./:=? "), c) < 0 {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 70 && s[len(s)-1] != ' '
}

// Take reads the next piece of the body and takes it. Behind the first error it returns that again.
func (m *Multipart) Take(c *Content) error {
	defer c.Release()
	if m.err == nil {
		m.err = m.take(c)
	}
	return m.err
}

func (m *Multipart) take(c *Content) error {
	p := c.Bytes()
	if m.total += int64(len(p)); m.total > orDefault(m.MaxBytes, DefaultFormBytes) {
		return errFormTooLarge
	}
	for at := 0; at < len(p); {
		n, err := m.advance(c.Data, p, at)
		if err != nil {
			return err
		}
		at += n
	}
	switch {
	case !c.Last:
		return nil
	case m.step != multipartEpilogue && m.step != multipartClosed:
		return refuse(statusBadRequest, "form ends too early")
	case m.Done != nil:
		return m.Done()
	}
	return nil
}

// advance reads on at p[at:], which is not empty, and returns how much of it it has read.
func (m *Multipart) advance(data buffer.Slice, p []byte, at int) (n int, err error) {
	c := p[at]
	switch m.step {
	case multipartPreamble, multipartData:
		return m.content(data, p, at)
	case multipartHead:
		return m.headLine(p[at:])
	case multipartEpilogue:
		return len(p) - at, nil
	case multipartDelimited:
		if c == '-' {
			m.step = multipartDash
			return 1, nil
		}
		m.step = multipartPadding
		return 0, nil
	case multipartDash:
		if c == '-' {
			m.step = multipartClosed
			return 1, nil
		}
	case multipartPadding, multipartClosed:
		if c == '\r' {
			m.step++ // for the LF
		}
		if c == '\r' || isBlank(c) {
			return 1, nil
		}
	case multipartClosedLF:
		if c == '\n' {
			m.step = multipartEpilogue
			return 1, nil
		}
	case multipartLF:
		if c == '\n' {
			m.beginHead()
			return 1, nil
		}
	}
	return 0, refuse(statusBadRequest, "bad line at a boundary")
}

// content reads up to the next delimiter and passes on what stands in front of it. A CR can only be the first octet of a
// delimiter, so no octet is compared twice.
func (m *Multipart) content(data buffer.Slice, p []byte, at int) (n int, err error) {
	i := at
	if m.matched > 0 {
		same := commonPrefix(p[at:], m.delimiter[m.matched:])
		carried := m.matched
		m.matched += same
		switch i += same; {
		case m.matched == len(m.delimiter):
			return same, m.endContent()
		case i == len(p):
			return same, nil
		}
		not := m.delimiter[m.implied:carried]
		m.matched, m.implied = 0, 0
		if err := m.emitCarried(not); err != nil {
			return 0, err
		}
	}
	for {
		cr := bytes.IndexByte(p[i:], '\r')
		if cr < 0 {
			return len(p) - at, m.emit(data, at, len(p))
		}
		cr += i
		same := commonPrefix(p[cr:], m.delimiter)
		i = cr + same
		switch {
		case same == len(m.delimiter):
			if err := m.emit(data, at, cr); err != nil {
				return 0, err
			}
			return i - at, m.endContent()
		case i == len(p):
			m.matched = same
			return i - at, m.emit(data, at, cr)
		}
	}
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// endContent goes on behind a delimiter.
func (m *Multipart) endContent() error {
	inside := m.step == multipartData
	m.step, m.matched, m.implied = multipartDelimited, 0, 0
	switch {
	case inside && m.whole:
		return m.Value(&m.part, m.value)
	case inside && m.End != nil:
		return m.End(&m.part)
	}
	return nil
}

// emit passes on data[from:to] as content of the part.
func (m *Multipart) emit(data buffer.Slice, from, to int) error {
	switch {
	case from == to || m.step != multipartData:
		return nil
	case m.whole:
		return m.collect(data.Bytes()[from:to])
	case m.Data != nil:
		return m.Data(&m.part, data.Sub(from, to-from))
	}
	return nil
}

// emitCarried passes on what an earlier piece ended with, and what was no delimiter.
func (m *Multipart) emitCarried(p []byte) error {
	switch {
	case len(p) == 0 || m.step != multipartData:
		return nil
	case m.whole:
		return m.collect(p)
	case m.Data == nil:
		return nil
	}
	b := buffer.FromBytes(p)
	s := b.ReadSlice(len(p))
	b.Release()
	return m.Data(&m.part, s)
}

func (m *Multipart) collect(p []byte) error {
	if len(m.value)+len(p) > orDefault(m.MaxValue, DefaultFormValue) {
		return errFormTooLarge
	}
	m.value = append(m.value, p...)
	return nil
}
