package main

import (
	"fmt"

	"github.com/penstock-go/penstock/httpx"
	"github.com/penstock-go/penstock/pipeline/buffer"
)

// fileSize is the size of /file.
const fileSize = 1 << 20

// fileText is /file: lines that say where they stand. All answers refer to the same octets.
var fileText = func() buffer.Slice {
	text := buffer.Get(fileSize)
	for text.Len() < fileSize {
		text.AppendString(fmt.Sprintf("%015d\n", text.Len()))
	}
	return text.ReadSlice(fileSize)
}()

// file answers with all of it or, when one is asked for, a range. RFC 9110, 14.
func file(x *httpx.Exchange) error {
	ranges, verdict := httpx.ParseRange(nil, x.Request.Header.Get("range"), fileSize)
	r := httpx.NewFullResponse(200)
	var err error
	switch {
	case verdict == httpx.RangeUnsatisfied:
		r.Status = 416
		err = r.Header.Add("Content-Range", fmt.Sprintf("bytes */%d", fileSize))
	case verdict == httpx.RangeParts && len(ranges) == 1:
		part := ranges[0]
		r.Status, r.Identity = 206, true
		r.SetBodySlice(fileText.Sub(int(part.Start), int(part.Length)))
		err = r.Header.AddBytes("Content-Range", part.AppendContentRange(nil, fileSize))
	default:
		fileText.Retain()
		r.SetBodySlice(fileText)
	}
	if err != nil {
		r.Release()
		return err
	}
	return x.Respond(r)
}
