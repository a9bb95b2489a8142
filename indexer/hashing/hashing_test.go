package hashing

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"
	"unicode"
)

func TestSum256(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 100_000} {
		data := bytes.Repeat([]byte("x"), n)
		if got, want := Sum256(data), sha256.Sum256(data); got != want {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
		}
	}
}

// BenchmarkInterrupted hashes in a goroutine that was interrupted at other work.
func BenchmarkInterrupted(b *testing.B) {
	data := bytes.Repeat([]byte("A few words of prose. "), 1000)
	letters := 0
	work := func() {
		for range 200 {
			for _, c := range string(data) {
				if unicode.IsLetter(c) {
					letters++
				}
			}
		}
	}
	for name, sum := range map[string]func([]byte) [Size]byte{"plain": sha256.Sum256, "ready": Sum256} {
		b.Run(name, func(b *testing.B) {
			var spent time.Duration // StopTimer would do what the test is about
			for range b.N {
				work()
				begin := time.Now()
				sum(data)
				spent += time.Since(begin)
			}
			b.ReportMetric(float64(spent)/float64(b.N)/float64(len(data)), "hash-ns/byte")
		})
	}
}
