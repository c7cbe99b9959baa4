package pipeline_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/penstock-go/penstock/pipeline"
	"github.com/stretchr/testify/require"
)

// The table of limits in doc.go is a promise: every row is checked against the code that it names, and against
// the README where that names the limit too.

// limit is one row of doc.go's table.
type limit struct {
	what     string
	defaults []int64 // one for each place
	where    []string
}

// constants says where the defaults of other packages are.
var constants = map[string]string{
	"handlers.ExpectReady":              "../handlers DefaultReadyWithin",
	"handlers.Detect.Deadline":          "../handlers DefaultReadyWithin",
	"handlers.Detect.MaxBytes":          "../handlers DefaultDetectBytes",
	"handlers.Idle.All":                 "../handlers DefaultIdle",
	"transport.Server.DrainTimeout":     "transport DefaultDrainTimeout",
	"transport.Server.MaxConns":         "transport DefaultMaxConns",
	"transport.Server.MaxPerAddress":    "transport DefaultMaxPerAddress",
	"codec.DecoderHandler.MaxHeld":      "../codec DefaultMaxHeld",
	"codec.Cap.MaxBytes":                "../codec DefaultMaxInflated",
	"codec.Cap.MaxRatio":                "../codec DefaultMaxRatio",
	"codec.Cap.MaxWindow":               "../codec DefaultMaxWindow",
	"broker.Broker.MaxMessages":         "../handlers/broker DefaultMaxMessages",
	"broker.Broker.MaxBytes":            "../handlers/broker DefaultMaxBytes",
	"broker.Broker.MaxDeliveries":       "../handlers/broker DefaultMaxDeliveries",
	"broker.Broker.MaxDestinations":     "../handlers/broker DefaultMaxDestinations",
	"broker.Broker.MaxActions":          "../handlers/broker DefaultMaxActions",
	"broker.Broker.MaxTransactionBytes": "../handlers/broker DefaultMaxTransactionBytes",
}

// readme says under which name the README has a row.
var readme = map[string]string{
	"accept to ready":              "from accept until the protocol is known",
	"idle":                         "idle",
	"peer takes no byte":           "write stall: the peer takes no byte while some wait",
	"linger after a drained close": "linger after close, for the peer's FIN",
	"drain at shutdown":            "drain at shutdown",
	"outbound high, low, hard cap per channel": "outbound bytes per channel: high, low, hard cap",
	"connections in all, per address":          "connections: in all, per address",
	"bytes held for one incomplete message":    "bytes a decoder may hold for an unfinished message",
	"inflated bytes, ratio":                    "inflated bytes, ratio",
	"messages of a queue or subscription":      "broker: messages of a queue or subscription",
	"bytes of a queue or subscription":         "broker: bytes of a queue or subscription",
	"tries of a message":                       "broker: tries of a message",
	"destinations of a broker":                 "broker: destinations",
}

func TestEveryLimitOfTheTableIsOnByDefault(t *testing.T) {
	named := map[string]bool{}
	for _, row := range limitsOfDoc(t) {
		t.Run(row.what, func(t *testing.T) {
			for i, where := range row.where {
				named[where] = true
				want := row.defaults[min(i, len(row.defaults)-1)]
				require.Positive(t, want)
				require.Equal(t, want, defaultOf(t, where), where)
			}
		})
	}
	options := reflect.TypeFor[pipeline.Options]()
	for field := range options.Fields() {
		if k := field.Type.Kind(); k == reflect.Int || k == reflect.Int64 {
			require.True(t, named["Options."+field.Name], "%s is a limit that the table does not have", field.Name)
		}
	}
	for where := range constants {
		require.True(t, named[where], "%s is not in the table", where)
	}
}

func TestTheReadmeHasTheSameLimits(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	rows := map[string][]int64{}
	for _, m := range regexp.MustCompile(`(?m)^\| (.+?) \| (\d.*?) \|$`).FindAllStringSubmatch(string(raw), -1) {
		if amounts, ok := amountsOf(m[2]); ok {
			rows[m[1]] = amounts
		}
	}
	both := 0
	for _, row := range limitsOfDoc(t) {
		if got, ok := rows[readme[row.what]]; ok {
			both++
			require.Equal(t, row.defaults, got, row.what)
		}
	}
	require.GreaterOrEqual(t, both, 8, "the README's table has changed its words: say so in this test")
}

// limitsOfDoc reads the table out of the package comment.
func limitsOfDoc(t *testing.T) []limit {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	require.NoError(t, err)
	_, text, ok := strings.Cut(f.Doc.Text(), "# Limits\n")
	require.True(t, ok)
	text, _, ok = strings.Cut(text, "\n# ")
	require.True(t, ok)
	var rows []limit
	for line := range strings.Lines(text) {
		cells := regexp.MustCompile(`\s{2,}`).Split(strings.TrimSpace(line), -1)
		if !strings.HasPrefix(line, "\t") || cells[0] == "what" {
			continue
		}
		require.Len(t, cells, 3, line)
		amounts, ok := amountsOf(cells[1])
		require.True(t, ok, line)
		rows = append(rows, limit{cells[0], amounts, placesOf(cells[2])})
	}
	require.NotEmpty(t, rows)
	return rows
}

// placesOf splits "Options.WriteHigh, WriteLow" and keeps the prefix.
func placesOf(cell string) []string {
	var places []string
	prefix := ""
	for _, p := range strings.Split(cell, ", ") {
		if i := strings.LastIndexByte(p, '.'); i >= 0 {
			prefix = p[:i+1]
		} else {
			p = prefix + p
		}
		places = append(places, p)
	}
	return places
}

// amountsOf reads "64, 32 KiB, 16 MiB", "10,000, 1,000" or "100:1": in bytes, nanoseconds or plain numbers. A number
// without a unit has that of the next one.
func amountsOf(cell string) ([]int64, bool) {
	units := map[string]int64{
		"": 0, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "s": int64(time.Second), "ms": int64(time.Millisecond),
	}
	var amounts []int64
	cells := strings.Split(cell, ", ")
	factor := int64(1)
	for i := len(cells) - 1; i >= 0; i-- {
		number, unit, _ := strings.Cut(cells[i], " ")
		number = strings.TrimSuffix(strings.ReplaceAll(number, ",", ""), ":1")
		n, err := strconv.ParseInt(number, 10, 64)
		f, ok := units[unit]
		if err != nil || !ok {
			return nil, false
		}
		if f > 0 {
			factor = f
		}
		amounts = append([]int64{n * factor}, amounts...)
	}
	return amounts, true
}

// defaultOf is what a place of the table is when nobody sets it.
func defaultOf(t *testing.T, where string) int64 {
	t.Helper()
	if name, ok := strings.CutPrefix(where, "Options."); ok {
		field := reflect.ValueOf(pipeline.Options{}.WithDefaults()).FieldByName(name)
		require.True(t, field.IsValid(), "%s does not exist", where)
		return field.Int()
	}
	dir, name, ok := strings.Cut(constants[where], " ")
	require.True(t, ok, "where is the default of %s?", where)
	return constantIn(t, dir, name)
}

// constantIn finds a constant in the source of a package and evaluates it.
func constantIn(t *testing.T, dir, name string) int64 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || v.Names[0].Name != name {
					continue
				}
				expr := strings.ReplaceAll(types.ExprString(v.Values[0]), "time.Second", strconv.Itoa(int(time.Second)))
				value, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
				require.NoError(t, err)
				n, exact := constant.Int64Val(value.Value)
				require.True(t, exact)
				return n
			}
		}
	}
	require.Failf(t, "no such constant", "%s in %s", name, dir)
	return 0
}
