package junk

import (
	"strings"
	"testing"
)

// BenchmarkFind measures the longest text that is kept, which is none of the kinds, so that all are tried.
func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("The cache is per user: flush `sessions/` after a sign-out, because old clients keep it.\n", 11)
	for b.Loop() {
		if kind, found := Find(text); found {
			b.Fatal(kind)
		}
		Doubt(text)
		Likely(text)
	}
}
