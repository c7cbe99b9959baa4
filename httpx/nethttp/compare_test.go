package nethttp_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// row is one exchange that must look the same on net/http and here.
type row struct {
	name    string
	handler func(j *journal) http.HandlerFunc
	// talk is what the client does; nil = send request, read the answer, see whether the connection goes on.
	talk    func(p *peer)
	request string
	method  string // of request; "" = GET
}

func (r *row) run(t *testing.T, serve func(t testing.TB, h http.Handler) string) []string {
	t.Helper()
	j := new(journal)
	p := dial(t, serve(t, j.watched(r.handler(j))))
	p.j = j
	if r.talk != nil {
		r.talk(p)
	} else {
		p.send(r.request)
		if p.answer(r.method) {
			p.probe()
		}
	}
	_ = p.conn.Close()
	require.Eventually(t, func() bool { return j.running.Load() == 0 }, patience, time.Millisecond, "handlers end")
	if p.old {
		p.log = level(p.log)
	}
	return append(p.log, j.lines...)
}

func TestHandlersBehaveAsOnNetHTTP(t *testing.T) {
	rows := slices.Concat(answerRows(), headRows(), bodyRows(), connectionRows(), hijackRows(), libraryRows(), proxyRows())
	require.GreaterOrEqual(t, len(rows), 60)
	differ := differences()
	seen := map[string]bool{}
	for i := range rows {
		r := &rows[i]
		require.False(t, seen[r.name], "%s is there twice", r.name)
		seen[r.name] = true
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			want, got := r.run(t, onNetHTTP), r.run(t, onLoop)
			if d, ok := differ[r.name]; ok {
				require.NotEmpty(t, d.reason)
				require.Equal(t, lines(d.theirs), lines(without(want, got)), "only on net/http; here:\n%s", lines(got))
				require.Equal(t, lines(d.ours), lines(without(got, want)), "only here; on net/http:\n%s", lines(want))
				return
			}
			require.Equal(t, lines(want), lines(got))
		})
	}
	for name := range differ {
		require.True(t, seen[name], "%s differs, and is not there", name)
	}
}

// without returns the lines of a that are not in b.
func without(a, b []string) []string {
	var only []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			only = append(only, line)
		}
	}
	return only
}
