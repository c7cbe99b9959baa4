package pipeline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The import law: which package may import which. It holds for what a program links; test files may import
// anything of this module. A package that has no place in the law fails, so that each new one is given a place.

const (
	modulePath = "github.com/penstock-go/penstock"
	gnetPath   = "github.com/panjf2000/gnet"
	enginePath = gnetPath + "/v2"
)

// A place is a package with everything below it, down to where the next place begins.
type place struct {
	path  string
	alone bool     // nothing may lie below it but other places
	ours  []string // places that it may import, besides itself
	mods  []string // other modules that it may import: prefixes of import paths
}

// places goes from the bottom up. Arrows point down only; places of one row never import each other.
func places() []place {
	core := []string{"pipeline", "pipeline/buffer"}
	framing := append([]string{"codec"}, core...)
	protocol := append([]string{"handlers"}, framing...)
	harness := append([]string{"pipeline/embedded", "pipeline/pipelinetest"}, framing...)
	compress := []string{"github.com/klauspost/compress/"}
	return []place{
		{path: "pipeline/buffer"},
		{path: "pipeline", alone: true, ours: []string{"pipeline/buffer"}},
		{path: "pipeline/transport", ours: core, mods: []string{enginePath + "/pkg/", "golang.org/x/sys/"}},
		{path: "pipeline/embedded", ours: core},
		{path: "pipeline/pipelinetest", ours: append([]string{"pipeline/embedded"}, core...)},
		{path: "codec", ours: core, mods: compress},
		{path: "codec/codectest", ours: harness},
		{path: "handlers", ours: framing, mods: compress},
		{path: "stomp", ours: protocol, mods: compress},
		{path: "httpx", ours: protocol, mods: compress},
		{path: "httpx/nethttp", ours: append([]string{"httpx"}, protocol...)},
		{path: "amqp", ours: protocol, mods: compress},
		{path: "amqp/amqptest", ours: slices.Concat([]string{"amqp"}, protocol, harness)},
		{path: "examples", ours: slices.Concat(
			[]string{"stomp", "httpx", "httpx/nethttp", "amqp", "pipeline/transport", "pipeline/embedded"}, protocol,
		), mods: compress},
	}
}

// A reach is something outside this module that only some places may depend on.
type reach struct {
	target string   // an import path with everything below it
	direct []string // places that may import it
	behind []string // places that may have it behind other imports
}

func reaches() []reach {
	return []reach{
		{gnetPath, []string{"pipeline/transport"}, []string{"examples"}},
		// The poller logs through zap, and zap serves its level over HTTP.
		{"net/http", []string{"httpx/nethttp", "examples"}, []string{"pipeline/transport"}},
		{"testing", []string{"pipeline/pipelinetest", "codec/codectest", "amqp/amqptest"}, nil},
	}
}

// listedPackage is what go list says of one package; importGraph has it by import path, dependencies included.
type listedPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

type importGraph map[string]listedPackage

func TestImportsKeepTheLaw(t *testing.T) {
	watchTree(t)
	g := loadImports(t)
	require.Contains(t, g, modulePath+"/pipeline")
	if broken := g.broken(); len(broken) > 0 {
		t.Errorf("imports that break the law:\n%s", strings.Join(broken, "\n"))
	}
}

func TestModuleRequiresWhatIsAgreedAndNothingElse(t *testing.T) {
	agreed := []string{
		enginePath, "golang.org/x/sys", "github.com/klauspost/compress",
		"github.com/stretchr/testify", "go.uber.org/goleak", "pgregory.net/rapid", // tests
	}
	var mod struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
	}
	require.NoError(t, json.Unmarshal(goTool(t, "mod", "edit", "-json"), &mod))
	versions := map[string]string{}
	for _, r := range mod.Require {
		versions[r.Path] = r.Version
		if !r.Indirect {
			require.Contains(t, agreed, r.Path, "a direct requirement nobody agreed to: it belongs into a nested module")
		}
	}
	for _, path := range agreed {
		require.Contains(t, versions, path)
	}
	require.Equal(t, "v2.9.7", versions[enginePath], "the poller's packages are not a stable API: the version is pinned")
}

func TestLawNamesTheOffendingArrow(t *testing.T) {
	for name, c := range map[string]struct {
		from string
		to   []string
		want string
	}{
		"a sibling":              {"stomp/server", []string{modulePath + "/httpx/websocket"}, "stomp/server imports httpx/websocket: stomp imports only codec, handlers, pipeline, pipeline/buffer"},
		"an arrow up":            {"codec", []string{modulePath + "/handlers"}, "codec imports handlers: codec imports only pipeline, pipeline/buffer"},
		"an arrow from the core": {"pipeline", []string{modulePath + "/pipeline/transport"}, "pipeline imports pipeline/transport: pipeline imports only pipeline/buffer"},
		"bytes import nothing":   {"pipeline/buffer", []string{modulePath + "/pipeline"}, "pipeline/buffer imports pipeline: pipeline/buffer imports only the standard library"},
		"a new package":          {"util", nil, "util has no place in the import law"},
		"a new part of the core": {"pipeline/util", nil, "pipeline/util has no place in the import law"},
		"a foreign module":       {"handlers", []string{"example.com/log"}, "handlers imports example.com/log: not agreed for handlers"},
		"a harness in a program": {"examples/hub", []string{modulePath + "/codec/codectest"}, "examples/hub imports codec/codectest: examples imports only amqp, codec, handlers, httpx, httpx/nethttp, pipeline, pipeline/buffer, pipeline/embedded, pipeline/transport, stomp"},
		"net/http itself":        {"httpx", []string{"net/http/httptrace"}, "httpx imports net/http/httptrace: only httpx/nethttp, examples may"},
		"net/http behind others": {"codec", []string{"github.com/klauspost/compress/gzhttp"}, "codec depends on net/http: codec → github.com/klauspost/compress/gzhttp → net/http"},
		"gnet behind others":     {"handlers", []string{"example.com/via"}, "handlers depends on " + enginePath + "/pkg/queue: handlers → example.com/via → " + enginePath + "/pkg/queue"},
		"the gnet engine":        {"pipeline/transport", []string{enginePath}, "pipeline/transport imports " + enginePath + ": nothing uses the engine"},
	} {
		t.Run(name, func(t *testing.T) {
			g := importGraph{
				"github.com/klauspost/compress/gzhttp": {Imports: []string{"net/http"}},
				"example.com/via":                      {Imports: []string{enginePath + "/pkg/queue"}},
			}
			from := modulePath + "/" + c.from
			g[from] = listedPackage{ImportPath: from, Imports: c.to}
			require.Contains(t, g.broken(), c.want)
		})
	}
}

func TestLawReadsTestFilesForGnetOnly(t *testing.T) {
	from := modulePath + "/stomp"
	g := importGraph{from: {ImportPath: from, XTestImports: []string{"net/http", modulePath + "/httpx"}}}
	require.Empty(t, g.broken())
	g[from] = listedPackage{ImportPath: from, TestImports: []string{enginePath + "/pkg/netpoll"}}
	require.Equal(t, []string{"stomp's tests import " + enginePath + "/pkg/netpoll: only pipeline/transport may"}, g.broken())
}

func TestLawAllowsWhatTheLayersNeed(t *testing.T) {
	g := importGraph{
		"go.uber.org/zap":            {Imports: []string{"net/http"}},
		enginePath + "/pkg/netpoll":  {Imports: []string{"go.uber.org/zap"}},
		"golang.org/x/sys/unix":      {},
		"pgregory.net/rapid":         {Imports: []string{"testing"}},
		modulePath + "/httpx/chunks": {Imports: []string{modulePath + "/handlers/broker", modulePath + "/httpx"}},
		modulePath + "/pipeline/transport": {
			Imports:     []string{enginePath + "/pkg/netpoll", "golang.org/x/sys/unix", modulePath + "/pipeline"},
			TestImports: []string{"pgregory.net/rapid", enginePath + "/pkg/queue"},
		},
		modulePath + "/examples/hub": {Imports: []string{modulePath + "/pipeline/transport", modulePath + "/httpx/nethttp", "net/http"}},
	}
	require.Empty(t, g.broken())
}

// broken returns one line for each arrow that breaks the law, in order.
func (g importGraph) broken() []string {
	var lines []string
	for path := range maps.Keys(g) {
		if !pathBelow(path, modulePath) {
			continue
		}
		at, ok := placeOf(path)
		if !ok {
			lines = append(lines, shortPath(path)+" has no place in the import law")
			continue
		}
		for _, to := range g[path].Imports {
			lines = append(lines, g.arrow(at, path, to)...)
		}
		for _, r := range reaches() {
			lines = append(lines, g.behind(at, path, r)...)
		}
		for _, to := range slices.Concat(g[path].TestImports, g[path].XTestImports) {
			if pathBelow(to, gnetPath) && (at.path != "pipeline/transport" || to == enginePath) {
				lines = append(lines, fmt.Sprintf("%s's tests import %s: only pipeline/transport may", shortPath(path), to))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// arrow judges one import of a package.
func (g importGraph) arrow(at place, from, to string) []string {
	line := func(why string) []string { return []string{shortPath(from) + " imports " + shortPath(to) + ": " + why} }
	if pathBelow(to, modulePath) {
		there, ok := placeOf(to)
		if !ok || there.path == at.path || slices.Contains(at.ours, there.path) {
			return nil // a target without a place is reported by itself
		}
		return line(at.path + " imports only " + at.allowed())
	}
	if to == enginePath {
		return line("nothing uses the engine")
	}
	for _, r := range reaches() {
		if pathBelow(to, r.target) {
			if slices.Contains(r.direct, at.path) {
				return nil
			}
			return line("only " + strings.Join(r.direct, ", ") + " may")
		}
	}
	first, _, _ := strings.Cut(to, "/")
	fits := func(prefix string) bool { return strings.HasPrefix(to, prefix) }
	if !strings.Contains(first, ".") || slices.ContainsFunc(at.mods, fits) {
		return nil // the standard library has no dot in its first element
	}
	return line("not agreed for " + at.path)
}

// behind finds what a package must not have among its dependencies, unless it imports it itself.
func (g importGraph) behind(at place, from string, r reach) []string {
	if slices.Contains(r.direct, at.path) || slices.Contains(r.behind, at.path) {
		return nil
	}
	chain := g.chain(from, r.target)
	if len(chain) < 3 {
		return nil
	}
	for i := range chain {
		chain[i] = shortPath(chain[i])
	}
	return []string{shortPath(from) + " depends on " + chain[len(chain)-1] + ": " + strings.Join(chain, " → ")}
}

// chain is a shortest way along imports from a package to a target, nil when there is none. It does not go
// through other packages of this module: each answers for itself.
func (g importGraph) chain(from, target string) []string {
	came := map[string]string{from: ""}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, to := range g[queue[0]].Imports {
			if _, seen := came[to]; seen || pathBelow(to, modulePath) {
				continue
			}
			came[to] = queue[0]
			queue = append(queue, to)
			if pathBelow(to, target) {
				var way []string
				for at := to; at != ""; at = came[at] {
					way = append(way, at)
				}
				slices.Reverse(way)
				return way
			}
		}
	}
	return nil
}

func (p place) allowed() string {
	if len(p.ours) == 0 {
		return "the standard library"
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(p.ours))), ", ")
}

// placeOf returns the deepest place that a package of this module lies in.
func placeOf(path string) (found place, ok bool) {
	path = shortPath(path)
	for _, p := range places() {
		if path == p.path || !p.alone && pathBelow(path, p.path) {
			if len(p.path) > len(found.path) {
				found, ok = p, true
			}
		}
	}
	return found, ok
}

func pathBelow(path, top string) bool { return path == top || strings.HasPrefix(path, top+"/") }

func shortPath(path string) string { return strings.TrimPrefix(path, modulePath+"/") }

// loadImports lists every package of the module and what it depends on, by one call.
func loadImports(t *testing.T) importGraph {
	t.Helper()
	out := goTool(t, "list", "-e", "-deps", "-tags=load,interop", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	g := importGraph{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return g
		}
		require.NoError(t, err)
		g[p.ImportPath] = p
	}
}

// goTool runs the go command in the module's root and returns what it prints.
func goTool(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = ".."
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, complaints.String())
	return out
}

// watchTree reads every folder of the module. go test reuses a result while the files and folders that the test
// opened stay as they are; what a child process reads does not count.
func watchTree(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != "..") {
			return filepath.SkipDir
		}
		return err
	}))
	_, err := os.Stat("../go.mod")
	require.NoError(t, err)
}
