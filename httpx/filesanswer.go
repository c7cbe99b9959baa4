package httpx

import (
	"crypto/rand"
	"strconv"
	"strings"
)

const (
	contentTypeOptions      = "x-content-type-options"
	byteRangesContentType   = "multipart/byteranges; boundary="
	contentRangeUnsatisfied = "bytes */"
)

// answer answers a request with c, which it takes.
func (f *Files) answer(x *Exchange, c *content) error {
	v := c.representation(x.channel.Loop().Now())
	if status := v.Check(x.Request); status != 0 {
		c.file.release()
		return f.headOnly(x, status, &v)
	}
	body := &fileBody{x: x, file: c.file}
	size := c.file.info.Size()
	var ranges []ByteRange
	verdict := RangeWhole
	if x.Request.Method == MethodGet && v.AllowsRange(&x.Request.Header) {
		ranges, verdict = ParseRange(nil, x.Request.Header.Get("range"), size)
	}
	r := NewResponse(statusOK)
	r.Identity = true
	contentType := f.typeOf(c.name)
	err := f.describe(r, c, &v)
	switch {
	case verdict == RangeUnsatisfied:
		c.file.release()
		r.Release()
		return f.unsatisfied(x, size)
	case verdict == RangeParts && len(ranges) == 1:
		r.Status = statusPartial
		body.parts = []filePart{{ByteRange: ranges[0]}}
		err = firstError(err, r.Header.AddBytes("content-range", ranges[0].AppendContentRange(nil, size)))
	case verdict == RangeParts:
		r.Status = statusPartial
		contentType = body.multipart(ranges, contentType, size)
	default:
		body.parts = []filePart{{ByteRange: ByteRange{0, size}}}
	}
	err = firstError(err, r.Header.Add("content-type", contentType), r.Header.AddInt("content-length", body.octets()))
	if err != nil {
		c.file.release()
		r.Release()
		return err
	}
	return body.begin(r)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) typeOf(name string) string {
	if f.ContentType != nil {
		return f.ContentType(name)
	}
	return ContentType(name)
}

// describe adds the fields of every answer that has content.
func (f *Files) describe(r *Response, c *content, v *Representation) error {
	err := firstError(
		f.common(&r.Header, v),
		r.Header.Add("accept-ranges", "bytes"),
		r.Header.Add(contentTypeOptions, "nosniff"), // or a browser runs what a user has uploaded as a picture
	)
	if c.coding != "" {
		err = firstError(err, r.Header.Add("content-encoding", c.coding))
	}
	return err
}

// common adds the fields that 304 has as well. RFC 9110, 15.4.5.
func (f *Files) common(h *Header, v *Representation) error {
	err := v.Validators(h)
	if f.CacheControl != "" {
		err = firstError(err, h.Add("cache-control", f.CacheControl))
	}
	if len(f.Precompressed) > 0 {
		err = firstError(err, h.Add("vary", "Accept-Encoding"))
	}
	return err
}

// headOnly answers 304 or 412.
func (f *Files) headOnly(x *Exchange, status int, v *Representation) error {
	if status != statusNotModified {
		return refuse(status, "precondition failed")
	}
	r := NewFullResponse(status)
	if err := f.common(&r.Header, v); err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}

// unsatisfied tells a client how much there is. RFC 9110, 15.5.17.
func (f *Files) unsatisfied(x *Exchange, size int64) error {
	r := NewFullResponse(statusRangeUnsatisfied)
	value := strconv.AppendInt([]byte(contentRangeUnsatisfied), size, 10)
	if err := r.Header.AddBytes("content-range", value); err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}

// multipart makes the parts of several ranges and returns the media type of the whole. RFC 9110, 14.6.
func (b *fileBody) multipart(ranges []ByteRange, contentType string, size int64) string {
	boundary := rand.Text()
	separator := "--" + boundary + "\r\nContent-Type: " + contentType + "\r\nContent-Range: "
	for _, r := range ranges {
		head := append(r.AppendContentRange([]byte(separator), size), "\r\n\r\n"...)
		b.parts = append(b.parts, filePart{head: head, ByteRange: r})
		separator = "\r\n" + strings.TrimPrefix(separator, "\r\n")
	}
	b.parts = append(b.parts, filePart{head: []byte("\r\n--" + boundary + "--\r\n")})
	return byteRangesContentType + boundary
}
