package main

import (
	"fmt"
	"strings"

	"github.com/penstock-go/penstock/httpx"
)

// fileSize is the size of /file.
const fileSize = 1 << 20

// fileText is /file: lines that say where they stand.
var fileText = func() string {
	var text strings.Builder
	for text.Len() < fileSize {
		fmt.Fprintf(&text, "%015d\n", text.Len())
	}
	return text.String()
}()

// file answers with all of it or, when one is asked for, a range. RFC 9110, 14.
func file(x *httpx.Exchange) error {
	status, body := 200, fileText
	ranges, verdict := httpx.ParseRange(nil, x.Request.Header.Get("range"), fileSize)
	r := httpx.NewFullResponse(status)
	var err error
	switch {
	case verdict == httpx.RangeUnsatisfied:
		r.Status, body = 416, ""
		err = r.Header.Add("Content-Range", fmt.Sprintf("bytes */%d", fileSize))
	case verdict == httpx.RangeParts && len(ranges) == 1:
		part := ranges[0]
		r.Status, r.Identity = 206, true
		body = fileText[part.Start : part.Start+part.Length]
		err = r.Header.AddBytes("Content-Range", part.AppendContentRange(nil, fileSize))
	}
	if err != nil {
		r.Release()
		return err
	}
	r.SetBodyString(body)
	return x.Respond(r)
}
