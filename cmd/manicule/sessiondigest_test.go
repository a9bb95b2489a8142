package main

import (
	"slices"
	"testing"

	"manicule/memory/episode"
	"manicule/memory/store"
)

func TestNewestOfEach(t *testing.T) {
	list := []store.Digest{{Module: "src/web", Mark: 20}, {Module: "", Mark: 202648}, {Module: "src/web", Mark: 10}, {Module: "src/auth", Mark: 5}, {Module: "", Mark: 202647}}
	var got []int
	for _, d := range newestOfEach(list) {
		got = append(got, d.Mark)
	}
	if want := []int{20, 202648, 5}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFindingLineOfFiles(t *testing.T) {
	tests := []struct {
		always, often []string
		want          string
	}{
		{[]string{"a.go", "b.go"}, nil, "files: always a.go, b.go"},
		{nil, []string{"a.go"}, "files: often a.go"},
		{[]string{"a.go"}, []string{"b.go"}, "files: always a.go; often b.go"},
	}
	for _, test := range tests {
		if got := findingLine(episode.Finding{Kind: episode.Prefetch, Always: test.always, Often: test.often}); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
