package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// TestReadmePlaces: each FILE#Symbol that a newcomer is told to type is there.
func TestReadmePlaces(t *testing.T) {
	top := filepath.Join("..", "..")
	text := must.Read(t, filepath.Join(top, "README.md"))
	places := regexp.MustCompile(`([a-z][a-z/_]*\.go)#([A-Za-z.]+)`).FindAllStringSubmatch(string(text), -1)
	if len(places) < 2 {
		t.Fatalf("the README names %d places", len(places))
	}
	for _, p := range places {
		src, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(p[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		lang, _ := grammars.ForPath(p[1])
		f, err := extract.Parse(t.Context(), lang.ID, src)
		must.OK(t, err)
		if !slices.ContainsFunc(f.Symbols, func(s extract.Symbol) bool { return s.Path == p[2] }) {
			t.Errorf("%s has no %s", p[1], p[2])
		}
	}
}
