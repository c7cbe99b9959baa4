package buffer_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/penstock-go/penstock/pipeline/buffer"
)

// sampleLeaks turns leak sampling on for the test and returns where the reports arrive.
func sampleLeaks(t *testing.T, every int) <-chan buffer.LeakReport {
	t.Helper()
	reports := make(chan buffer.LeakReport, 1000)
	buffer.SetLeakSampling(every, func(r buffer.LeakReport) { reports <- r })
	t.Cleanup(func() { buffer.SetLeakSampling(0, nil) })
	return reports
}

// awaitLeak collects garbage until a report is there.
func awaitLeak(t *testing.T, reports <-chan buffer.LeakReport) buffer.LeakReport {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		runtime.GC()
		select {
		case r := <-reports:
			return r
		case <-timeout:
			require.Fail(t, "no leak was reported")
		default:
			runtime.Gosched()
		}
	}
}

// noLeak collects garbage a few times and expects no report.
func noLeak(t *testing.T, reports <-chan buffer.LeakReport) {
	t.Helper()
	marker := make(chan struct{})
	func() {
		runtime.AddCleanup(new([4]*int), func(done chan struct{}) { close(done) }, marker)
	}()
	for range 3 {
		runtime.GC()
	}
	<-marker // cleanups of that time have begun to run
	runtime.GC()
	select {
	case r := <-reports:
		require.Fail(t, "a leak was reported", "%+v", r)
	default:
	}
}

//go:noinline
func forgetBuffer(p *buffer.Pool) {
	b := p.Get(1000)
	b.AppendString("secret")
	b.Touch("decoded")
	b.Touch("queued")
}

func TestLeakIsReportedWithItsStackAndTouches(t *testing.T) {
	reports := sampleLeaks(t, 1)
	p := buffer.NewPool(buffer.PoolConfig{Name: "loop 1"})
	forgetBuffer(p)
	r := awaitLeak(t, reports)
	require.Equal(t, 1024, r.Size)
	require.Equal(t, `class 1024, pool "loop 1"`, r.Pool)
	require.Equal(t, []string{"decoded", "queued"}, r.Touches)
	top, _, _ := strings.Cut(r.Stack, "\n")
	require.Contains(t, top, "buffer_test.forgetBuffer", "the top of the stack is the caller")
	require.Contains(t, top, "leak_test.go:")
	require.Contains(t, r.Stack, "TestLeakIsReportedWithItsStackAndTouches")
	require.NotContains(t, r.Stack, "secret")
	require.Equal(t, 1, p.Live(), "the count knows of it, too")
}

//go:noinline
func forgetTouched() {
	b := buffer.Get(10)
	for _, hint := range []string{"one", "two", "three", "four", "five", "six"} {
		b.Touch(hint)
	}
}

func TestLeakReportHasTheLastFourTouches(t *testing.T) {
	reports := sampleLeaks(t, 1)
	forgetTouched()
	r := awaitLeak(t, reports)
	require.Equal(t, []string{"three", "four", "five", "six"}, r.Touches)
	require.Equal(t, "class 64, shared pool", r.Pool)
}

//go:noinline
func forgetRope(p *buffer.Pool) {
	c := buffer.NewComposite()
	b := p.Get(1000)
	b.Commit(1000)
	c.AppendSlice(b.Slice(0, 500))
	b.Release()
}

func TestLeakOfARopeIsThatOfItsParts(t *testing.T) {
	reports := sampleLeaks(t, 1)
	forgetRope(buffer.NewPool(buffer.PoolConfig{}))
	require.Equal(t, 1024, awaitLeak(t, reports).Size)
}

func TestReleasedBuffersAreNoLeaks(t *testing.T) {
	reports := sampleLeaks(t, 1)
	p := buffer.NewPool(buffer.PoolConfig{})
	for range 100 {
		p.Put(p.Get(1000))
		p.Get(1000).Release()
		p.GetShared(100).Release()
		buffer.Get(100).Release()
		buffer.FromBytes(make([]byte, 2<<20)).Release()
		buffer.Wrap([]byte("x")).Release()
	}
	p.Trim() // the headers themselves become garbage
	noLeak(t, reports)
	require.Zero(t, p.Live())
}

func TestHeldBuffersAreNoLeaks(t *testing.T) {
	reports := sampleLeaks(t, 1)
	p := buffer.NewPool(buffer.PoolConfig{})
	b := p.Get(1000)
	b.Commit(1000)
	s := b.Slice(0, 500)
	p.Put(b)
	noLeak(t, reports)
	s.Release()
	noLeak(t, reports)
	runtime.KeepAlive(p)
}

func TestOneInEveryIsTraced(t *testing.T) {
	for name, get := range map[string]func() *buffer.Buffer{
		"loop": func() func() *buffer.Buffer {
			p := buffer.NewPool(buffer.PoolConfig{})
			return func() *buffer.Buffer { return p.Get(100) }
		}(),
		"shared": func() *buffer.Buffer { return buffer.Get(100) },
	} {
		t.Run(name, func(t *testing.T) {
			reports := sampleLeaks(t, 10)
			func() {
				for range 100 {
					get()
				}
			}()
			for range 10 {
				awaitLeak(t, reports)
			}
			noLeak(t, reports)
		})
	}
}

func TestSamplingIsOffByDefaultAndByZero(t *testing.T) {
	reports := sampleLeaks(t, 1)
	buffer.SetLeakSampling(0, func(buffer.LeakReport) { t.Error("sampled") })
	forgetTouched()
	noLeak(t, reports)
	buffer.SetLeakSampling(1, nil) // nobody to tell
	forgetTouched()
	noLeak(t, reports)
	buffer.SetLeakSampling(-5, func(buffer.LeakReport) { t.Error("sampled") })
	forgetTouched()
	noLeak(t, reports)
}
