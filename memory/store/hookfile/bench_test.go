package hookfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// benchTable is a table of n memories of forty words each, out of two thousand.
func benchTable(b *testing.B, n int) []byte {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	t := NewBuilder()
	for i := range n {
		t.Add(entry(i, func(e *Entry) {
			var words []string
			for range 40 {
				words = append(words, fmt.Sprintf("word%d", int(2000*rng.Float64()*rng.Float64())))
			}
			e.Reaches = []string{fmt.Sprintf("src/m%d/", i%(n/10))}
			e.Columns = []string{strings.Join(words, " ")}
		}))
	}
	var out bytes.Buffer
	if _, err := t.WriteTo(&out); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// What a hook does: it opens the file for each event.
func BenchmarkHook(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		data := benchTable(b, n)
		for _, c := range []struct {
			name string
			ask  func(f *File) error
		}{
			{"path", func(f *File) error {
				_, err := f.Lines([]string{"", "src/", "src/m7/"}, "", "", all)
				return err
			}},
			{"words", func(f *File) error {
				terms := []Term{{"word3"}, {"word700"}, {"word1900"}}
				if _, err := f.Search(terms, true, 20); err != nil {
					return err
				}
				_, err := f.Search(terms, false, 20)
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					f, err := Open(bytes.NewReader(data), int64(len(data)), int64(len(data)))
					if err == nil {
						err = c.ask(f)
					}
					must.OK(b, err)
				}
			})
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		benchTable(b, 10_000)
	}
}
