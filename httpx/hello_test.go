package httpx

import "testing"

// The rows of BenchmarkHTTPHello give the published answers, also when they are run again on one connection.
func TestHelloGivesTheReferenceAnswers(t *testing.T) {
	for _, row := range helloRows() {
		t.Run(row.name, func(t *testing.T) {
			op := row.open(t)
			for range 3 {
				if !op.run() || !op.runPooled() {
					t.Fatal("wrong answer")
				}
			}
		})
	}
}
