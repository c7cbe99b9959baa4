package httpx

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/penstock-go/penstock/pipeline"
)

// DefaultMaxOpenFiles is how many files a Files has open at most.
const DefaultMaxOpenFiles = 1024

// Files answers requests by the files of a directory: GET and HEAD, with conditional requests and ranges (RFC 9110, 13
// and 14). Nothing outside of the directory is reached, not by symbolic links either; there are no listings of
// directories; files and directories whose names begin with a point are hidden, but for .well-known (RFC 8615). What is
// no regular file is not found.
//
// Files are opened and looked at on the event loop, which waits for the disk meanwhile: a directory walk, an open and a
// stat for each request, up to two more for an index and for each of the Precompressed. That is a few microseconds when
// the kernel has them in memory; do not serve network file systems or sleeping disks like this. Their content is sent
// by the kernel, in pieces, as the client takes it; reading pages that are not in memory waits as well.
//
// A file that is replaced by renaming another over it is served whole, the old or the new one. One that is written in
// place may come out mixed; one that gets shorter meanwhile closes the connection, so that no client takes it for whole.
//
// Set the fields before the first request. Serve is safe for several event loops at once. It takes Exchange.OnGone and
// Exchange.OnWritable of the exchanges that it answers.
type Files struct {
	// Param is the wildcard of the router's pattern that has the path, like "path" for "/files/{path...}"; "" = the
	// whole path of the request.
	Param string
	// Index is the file that stands for a directory; "" = index.html.
	Index string
	// DotFiles serves names that begin with a point too.
	DotFiles bool
	// Precompressed are the content codings of which a file may have a copy beside it, the best first: "zstd" (.zst),
	// "br" (.br), "gzip" (.gz). A copy that is older than the file is not used.
	Precompressed []string
	// CacheControl is the field of that name; "" = none. RFC 9111, 5.2.
	CacheControl string
	// ContentType gives the media type by the name of a file; nil = ContentType of this package.
	ContentType func(name string) string
	// MaxOpen is how many files are open at once, those included that wait for slow clients; 0 = 1,024; beyond: 503.
	MaxOpen int

	root *os.Root
	open atomic.Int64
}

// NewFiles returns a server of the files below root, which must stay open as long as it serves.
func NewFiles(root *os.Root) *Files { return &Files{root: root} }

// OpenFiles returns how many files are open. Safe for concurrent use.
func (f *Files) OpenFiles() int { return int(f.open.Load()) }

// Serve answers a request by the file that it names: it is a HandlerFunc. Call it on the event loop only; several loops
// may do so at once.
func (f *Files) Serve(_ *pipeline.Context, x *Exchange) error {
	if m := x.Request.Method; m != MethodGet && m != MethodHead {
		x.OnAnswer(func(r *Response) { _ = r.Header.Set("allow", "GET, HEAD") })
		return errNotAllowed
	}
	raw, ok := f.pathOf(x)
	if !ok {
		return errNotFound
	}
	name, slash, ok := f.localName(raw)
	if !ok {
		return errNotFound
	}
	file, err := f.find(name, slash)
	switch {
	case errors.Is(err, errIsDirectory):
		return f.addSlash(x)
	case err != nil:
		return err
	}
	c := content{file: file, name: file.name}
	f.precompressed(&c, &x.Request.Header)
	return f.answer(x, &c)
}

// pathOf returns the part of the request's path that names the file, with its escapes.
func (f *Files) pathOf(x *Exchange) (raw []byte, ok bool) {
	if f.Param != "" {
		return x.rawPathValue(f.Param)
	}
	raw = x.Request.Path()
	if len(raw) == 0 || raw[0] != '/' {
		return nil, false
	}
	return raw[1:], true
}

const (
	maxFileDepth = 64
	wellKnown    = ".well-known"
)

// localName returns the name of a file below the root, "." for the root itself, and whether a slash follows it, as one
// does that of a directory. Names that have several spellings are not found: each file has one URL.
func (f *Files) localName(raw []byte) (name string, slash, ok bool) {
	if len(raw) == 0 {
		return ".", true, true
	}
	plain := make([]byte, 0, len(raw))
	for depth := 0; ; depth++ {
		segment, rest, more := bytes.Cut(raw, []byte{'/'})
		if len(segment) == 0 {
			return string(plain[:max(len(plain)-1, 0)]), true, depth > 0 && !more
		}
		from := len(plain)
		if plain, ok = appendUnescaped(plain, segment, false); !ok || !f.shows(plain[from:], depth) {
			return "", false, false
		}
		if !more {
			return string(plain), false, true
		}
		plain, raw = append(plain, '/'), rest
	}
}

// shows reports whether a name may be looked for.
func (f *Files) shows(name []byte, depth int) bool {
	for _, c := range name {
		if c == '/' || c == '\\' || c == 0 {
			return false
		}
	}
	switch {
	case string(name) == "." || string(name) == ".." || depth >= maxFileDepth:
		return false
	case name[0] == '.' && !f.DotFiles:
		return depth == 0 && string(name) == wellKnown
	}
	return true
}

// openFile is a file that is being sent. It is closed when nobody needs it any more: the one who sends it, and each
// piece of it that is on its way.
type openFile struct {
	*os.File
	name string
	info fs.FileInfo
	refs atomic.Int32
	open *atomic.Int64 // of the Files
}

func (o *openFile) release() {
	if o.refs.Add(-1) == 0 {
		_ = o.Close() // it was only read from
		o.open.Add(-1)
	}
}

// find opens the file that a name stands for: the index of a directory when a slash follows, the file itself when not.
func (f *Files) find(name string, slash bool) (*openFile, error) {
	if slash {
		index := f.Index
		if index == "" {
			index = "index.html"
		}
		name = path.Join(name, index)
	}
	file, err := f.openOne(name)
	if slash && errors.Is(err, errIsDirectory) {
		return nil, errNotFound
	}
	return file, err
}

// openOne opens a regular file. It does not wait for a writer when it is a named pipe.
func (f *Files) openOne(name string) (*openFile, error) {
	if f.open.Add(1) > int64(orDefault(f.MaxOpen, DefaultMaxOpenFiles)) {
		f.open.Add(-1)
		return nil, errTooManyFiles
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		f.open.Add(-1)
		return nil, openError(err)
	}
	o := &openFile{File: file, name: name, open: &f.open}
	o.refs.Store(1)
	if o.info, err = file.Stat(); err != nil {
		o.release()
		return nil, err
	}
	switch mode := o.info.Mode(); {
	case mode.IsDir():
		o.release()
		return nil, errIsDirectory
	case !mode.IsRegular():
		o.release()
		return nil, errNotFound
	}
	return o, nil
}

// addSlash sends the client to the directory, so that relative links of its index lead into it.
func (f *Files) addSlash(x *Exchange) error {
	to := append(appendEscaped(nil, x.Request.Path(), ""), '/')
	if query := x.Request.RawQuery(); query != nil {
		to = appendEscaped(append(to, '?'), query, "")
	}
	return x.redirect(statusMoved, to)
}

// content is what a file has to be sent.
type content struct {
	file   *openFile
	name   string // of the file that was asked for
	coding string // of the copy that is sent; "" = the file itself
}

// precompressed takes a copy of the file in the coding that the client prefers, if there is one.
func (f *Files) precompressed(c *content, h *Header) {
	offered := f.Precompressed
	for len(offered) > 0 {
		coding, _ := PreferEncoding(h, offered...)
		if coding == "" {
			return
		}
		copied, err := f.openOne(c.name + codingSuffix(coding))
		if err == nil && !copied.info.ModTime().Before(c.file.info.ModTime()) {
			c.file.release()
			c.file, c.coding = copied, coding
			return
		}
		if err == nil {
			copied.release()
		}
		rest := make([]string, 0, len(offered))
		for _, o := range offered {
			if o != coding {
				rest = append(rest, o)
			}
		}
		offered = rest
	}
}

// codingSuffix is what the name of a copy in a coding ends with.
func codingSuffix(coding string) string {
	switch coding {
	case "gzip":
		return ".gz"
	case "zstd":
		return ".zst"
	}
	return "." + coding
}

// settled is how old a file must be for its time and size to tell its versions apart: clocks of file systems tick
// slowly. RFC 9110, 8.8.1 and 8.8.2.2.
const settled = 2 * time.Second

// representation returns what conditional requests ask for. The entity-tag of a file that has just been written is weak.
func (c *content) representation(now time.Time) Representation {
	modified := c.file.info.ModTime()
	tag := make([]byte, 0, 48)
	if now.Sub(modified) < settled {
		tag = append(tag, "W/"...)
	}
	tag = append(tag, '"')
	tag = strconv.AppendInt(tag, modified.UnixNano(), 36)
	tag = append(tag, '-')
	tag = strconv.AppendInt(tag, c.file.info.Size(), 36)
	if c.coding != "" {
		tag = append(append(tag, '-'), c.coding...)
	}
	v := Representation{ETag: string(append(tag, '"'))}
	if !modified.After(now) && !modified.Before(time.Unix(0, 0)) {
		v.Modified = modified // RFC 9110, 8.8.2.1: never in the future
	}
	return v
}
