package httpx

import "time"

// DateBytes is the length of an IMF-fixdate.
const DateBytes = len("Sun, 06 Nov 1994 08:49:37 GMT")

const (
	dayNames   = "SunMonTueWedThuFriSat"
	monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"
)

// AppendDate appends t as IMF-fixdate, the form of the Date field, in GMT; years are 0 to 9999. It does not read a
// clock: a server formats the date once a second. Safe for concurrent use. RFC 9110, 5.6.7.
func AppendDate(dst []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	dst = append(dst, dayNames[3*t.Weekday():][:3]...)
	dst = append(dst, ", "...)
	dst = appendTwo(dst, day)
	dst = append(dst, ' ')
	dst = append(dst, monthNames[3*(month-1):][:3]...)
	dst = append(dst, ' ')
	dst = appendTwo(dst, year/100)
	dst = appendTwo(dst, year%100)
	dst = append(dst, ' ')
	dst = appendTwo(dst, hour)
	dst = append(dst, ':')
	dst = appendTwo(dst, minute)
	dst = append(dst, ':')
	dst = appendTwo(dst, second)
	return append(dst, " GMT"...)
}

func appendTwo(dst []byte, n int) []byte {
	return append(dst, '0'+byte(n/10%10), '0'+byte(n%10))
}
