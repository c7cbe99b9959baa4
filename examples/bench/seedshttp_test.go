package main

import "testing"

func TestRowsOfBothLanguagesAreRead(t *testing.T) {
	found := parseGoBench("goos: linux\nBenchmarkHTTPHello/Bare         \t 1\t 720.5 ns/op\t 0 B/op\nBenchmarkHTTPHello/Bare/Pipeline16 \t 2\t 6000 ns/op\nPASS\n")
	for _, r := range seedGroups()[0] {
		if found[r.name()] == 0 {
			t.Errorf("no %s in %v", r.name(), found)
		}
	}
	ns, err := parseJMH([]byte(`[{"benchmark": "x", "primaryMetric": {"score": 693.25, "scoreUnit": "ns/op"}}]`))
	if err != nil || ns != 693.25 {
		t.Error(ns, err)
	}
	for _, bad := range []string{"", "[]", `[{"primaryMetric": {"score": 1, "scoreUnit": "ops/s"}}]`} {
		if _, err := parseJMH([]byte(bad)); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
