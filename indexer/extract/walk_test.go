package extract

import (
	"os"
	"slices"
	"testing"
)

// TestWalk holds the walk in C to the one in Go, on files of this package.
func TestWalk(t *testing.T) {
	l, err := languageFor("go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"symbols.go", "walk_cgo.go", "query.go"} {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{src, src[:len(src)/2], append([]byte("))) {{ "), src...), nil} {
			tree, err := l.parse(t.Context(), text)
			if err != nil {
				t.Fatal(err)
			}
			got, want := walk(tree.RootNode()), walkByGo(tree.RootNode())
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d nodes, want %d", name, len(got), len(want))
			}
			tree.Close()
		}
	}
}

func BenchmarkWalk(b *testing.B) {
	l, err := languageFor("go")
	if err != nil {
		b.Fatal(err)
	}
	src, err := os.ReadFile("symbols.go")
	if err != nil {
		b.Fatal(err)
	}
	tree, err := l.parse(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	b.Run("c", func(b *testing.B) {
		for b.Loop() {
			walk(tree.RootNode())
		}
	})
	b.Run("go", func(b *testing.B) {
		for b.Loop() {
			walkByGo(tree.RootNode())
		}
	})
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			t, _ := l.parse(b.Context(), src)
			t.Close()
		}
	})
	b.Run("outline", func(b *testing.B) {
		for b.Loop() {
			_, _ = Parse(b.Context(), "go", src)
		}
	})
}
