package httpx

import (
	"math"
	"time"
)

// ParseDate reads a date in any of the three forms: IMF-fixdate, that of RFC 850, and that of asctime. now decides
// about the century of a year of two digits: dates more than fifty years ahead of it lie in the past. ok is false for
// anything else. Names of days and months are in the case that the forms have; the name of the day is not compared with
// the date. Safe for concurrent use. RFC 9110, 5.6.7.
func ParseDate(b []byte, now time.Time) (t time.Time, ok bool) {
	var d dateParts
	switch {
	case len(b) == DateBytes && b[3] == ',':
		ok = d.fixdate(b)
	case len(b) == len("Sun Nov  6 08:49:37 1994") && b[3] == ' ':
		ok = d.asctime(b)
	default:
		ok = d.rfc850(b, now)
	}
	if !ok || !d.valid() {
		return time.Time{}, false
	}
	return time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, 0, time.UTC), true
}

type dateParts struct{ year, month, day, hour, minute, second int }

// fixdate reads "Sun, 06 Nov 1994 08:49:37 GMT".
func (d *dateParts) fixdate(b []byte) bool {
	d.day = digits(b[5:7])
	d.month = nameIndex(b[8:11], monthNames)
	d.year = digits(b[12:16])
	return nameIndex(b[:3], dayNames) > 0 && string(b[3:5]) == ", " && b[7] == ' ' && b[11] == ' ' && b[16] == ' ' &&
		d.clock(b[17:25]) && string(b[25:]) == " GMT"
}

// asctime reads "Sun Nov  6 08:49:37 1994".
func (d *dateParts) asctime(b []byte) bool {
	day := b[8:10]
	if day[0] == ' ' {
		day = day[1:]
	}
	d.day = digits(day)
	d.month = nameIndex(b[4:7], monthNames)
	d.year = digits(b[20:])
	return nameIndex(b[:3], dayNames) > 0 && b[7] == ' ' && b[10] == ' ' && d.clock(b[11:19]) && b[19] == ' '
}

// rfc850 reads "Sunday, 06-Nov-94 08:49:37 GMT".
func (d *dateParts) rfc850(b []byte, now time.Time) bool {
	const rest = len(", 06-Nov-94 08:49:37 GMT")
	if len(b) <= rest || !longDay(b[:len(b)-rest]) {
		return false
	}
	b = b[len(b)-rest:]
	d.day = digits(b[2:4])
	d.month = nameIndex(b[5:8], monthNames)
	d.year = digits(b[9:11])
	if d.year < 0 {
		return false
	}
	d.year += now.UTC().Year() / 100 * 100
	if d.year > now.UTC().Year()+50 {
		d.year -= 100
	} else if d.year <= now.UTC().Year()-50 {
		d.year += 100
	}
	return string(b[:2]) == ", " && b[4] == '-' && b[8] == '-' && b[11] == ' ' && d.clock(b[12:20]) && string(b[20:]) == " GMT"
}

func longDay(b []byte) bool {
	switch string(b) {
	case "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday":
		return true
	}
	return false
}

// clock reads "08:49:37".
func (d *dateParts) clock(b []byte) bool {
	d.hour, d.minute, d.second = digits(b[:2]), digits(b[3:5]), digits(b[6:])
	return b[2] == ':' && b[5] == ':'
}

// valid reports whether all parts are within their bounds; a leap second is the first one of the next minute.
func (d *dateParts) valid() bool {
	if d.year < 0 || d.month < 1 || d.day < 1 || d.hour < 0 || d.minute < 0 || d.second < 0 {
		return false
	}
	days := time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return d.day <= days && d.hour < 24 && d.minute < 60 && d.second <= 60
}

// digits returns the number that b is, far below zero when it is none.
func digits(b []byte) (n int) {
	for _, c := range b {
		if !isDigit(c) {
			return math.MinInt32
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// nameIndex returns the place, from 1, of a name of three letters, 0 when it is none.
func nameIndex(b []byte, names string) int {
	for i := 0; i < len(names); i += 3 {
		if names[i:i+3] == string(b) {
			return i/3 + 1
		}
	}
	return 0
}
