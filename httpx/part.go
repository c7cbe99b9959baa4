package httpx

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Part is one part of a form: a file, or a named value. It is valid from Begin to End, or within Value. RFC 7578, 4.
type Part struct {
	// Name is the name of the form's field.
	Name string
	// FileName is what the client calls the file, made harmless: without directories and control characters, at most
	// 255 octets of UTF-8, and never "." or "..". "" = the client gave no name that is left then.
	FileName string
	// File tells that the part has a file name, even one of which nothing is left.
	File bool
	// Header is the field lines of the part; Content-Type is not checked.
	Header Header
}

// beginHead begins the header of the next part.
func (m *Multipart) beginHead() {
	m.step = multipartHead
	m.head, m.line = m.head[:0], 0
	m.part.Name, m.part.FileName, m.part.File = "", "", false
	m.part.Header.Reset()
}

// headLine collects field lines up to the end of one.
func (m *Multipart) headLine(p []byte) (n int, err error) {
	n = len(p)
	lf := bytes.IndexByte(p, '\n')
	if lf >= 0 {
		n = lf + 1
	}
	if len(m.head)+n > orDefault(m.MaxPartHead, DefaultPartHead)+len("\r\n") {
		return 0, refuse(statusHeadTooLarge, "header of a part too large")
	}
	m.head = append(m.head, p[:n]...)
	if lf < 0 {
		return n, nil
	}
	line := m.head[m.line:]
	if len(line) < len("\r\n") || line[len(line)-2] != '\r' {
		return 0, refuse(statusBadRequest, "bare LF in the header of a part")
	}
	m.line = len(m.head)
	if line = line[:len(line)-2]; len(line) > 0 {
		return n, m.addField(line)
	}
	return n, m.beginPart()
}

func (m *Multipart) addField(line []byte) error {
	if m.part.Header.Len() >= orDefault(m.MaxFields, DefaultPartFields) {
		return refuse(statusHeadTooLarge, "too many fields in a part")
	}
	colon, from, to, err := splitField(line)
	if err != nil {
		return err
	}
	appendField(&m.part.Header, line[:colon], line[from:to], fieldOther)
	return nil
}

// beginPart begins the content of a part.
func (m *Multipart) beginPart() error {
	if m.parts++; m.parts > orDefault(m.MaxParts, DefaultParts) {
		return refuse(statusContentTooLarge, "too many parts")
	}
	if err := m.part.parse(); err != nil {
		return err
	}
	m.step = multipartData
	// A delimiter right behind the header ends a part that is nothing but one: the empty line is its CR LF.
	m.matched, m.implied = len("\r\n"), len("\r\n")
	m.whole = m.Value != nil && !m.part.File
	m.value = m.value[:0]
	if !m.whole && m.Begin != nil {
		return m.Begin(&m.part)
	}
	return nil
}

// parse reads the Content-Disposition of a part. filename* is not looked at, no sender may use it. RFC 7578, 4.2 and 4.7.
func (p *Part) parse() error {
	i := p.Header.index("content-disposition", 0)
	if i < 0 || p.Header.index("content-disposition", i+1) >= 0 {
		return errDisposition
	}
	value := p.Header.valueAt(&p.Header.fields[i])
	end := tokenEnd(value)
	params := fieldParams(value[end:])
	name, named := params.raw("name")
	if !equalFold(value[:end], "form-data") || !params.valid() || !named {
		return errDisposition
	}
	if coding := p.Header.Get("content-transfer-encoding"); coding != nil &&
		!equalFold(coding, "binary") && !equalFold(coding, "8bit") && !equalFold(coding, "7bit") {
		return refuse(statusBadRequest, "part in a transfer encoding")
	}
	file, isFile := params.raw("filename")
	p.Name, p.File = unquoteName(name), isFile
	p.FileName = cleanFileName(unquoteName(file))
	return nil
}

var errDisposition = refuse(statusBadRequest, "bad content-disposition")

// unquoteName undoes quotes, and backslashes in front of a quote or a backslash only: others are part of the path that
// some browsers send.
func unquoteName(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw)
	}
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	plain := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && (raw[i+1] == '"' || raw[i+1] == '\\') {
			i++
		}
		plain = append(plain, raw[i])
	}
	return string(plain)
}

const maxFileName = 255

// cleanFileName makes the name of a file that a client has chosen harmless. RFC 7578, 4.2; RFC 6266, 4.3.
func cleanFileName(s string) string {
	s = s[strings.LastIndexAny(s, `/\`)+1:]
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.C, r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, s)
	s = strings.Trim(s, " ")
	if len(s) > maxFileName {
		cut := maxFileName
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimRight(s[:cut], " ")
	}
	if strings.Trim(s, ".") == "" {
		return ""
	}
	return s
}
