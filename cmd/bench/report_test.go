package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantile(t *testing.T) {
	var s sample
	for i := 100; i > 0; i-- {
		s = append(s, time.Duration(i))
	}
	for _, c := range []struct {
		of   sample
		q    float64
		want time.Duration
	}{{s, 0.5, 50}, {s, 0.99, 99}, {s, 1, 100}, {s[:1], 0.5, 100}, {nil, 0.5, 0}} {
		if got := c.of.quantile(c.q); got != c.want {
			t.Errorf("quantile %v of %d values = %d, want %d", c.q, len(c.of), got, c.want)
		}
	}
}

func TestWriteBlock(t *testing.T) {
	doc := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(doc, []byte("before\n"+blockBegin+"\nold\n"+blockEnd+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeBlock(doc, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n" + blockBegin + "\nnew\n" + blockEnd + "\nafter\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.WriteFile(doc, []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeBlock(doc, "new\n"); err == nil {
		t.Error("a document without a block was changed")
	}
}

func TestDocumentHasBlock(t *testing.T) {
	doc, err := os.ReadFile("../../docs/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), blockBegin) || !strings.Contains(string(doc), blockEnd) {
		t.Error("docs/benchmarks.md has no place for the figures")
	}
}

func TestBudget(t *testing.T) {
	b := &bench{megabytes: 25, initMillis: 3, ratio: 1000}
	err := b.withinBudget("budget.json")
	if err == nil || !strings.Contains(err.Error(), "median of the hook") || strings.Contains(err.Error(), "size") {
		t.Errorf("withinBudget = %v", err)
	}
}
