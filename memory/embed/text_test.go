package embed

import (
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
)

func TestMemoryText(t *testing.T) {
	tests := []struct {
		name string
		m    file.Memory
		want string
	}{
		{"bare", file.Memory{Type: file.Decision, What: "We keep files", Scope: nil}, "Type: decision\nWe keep files"},
		{"full", file.Memory{
			Type: file.Gotcha, What: "Refresh needs Redis\n", Why: "It swallows the error", Tags: []string{"redis", " "}, ContextLabel: "login",
			Scope:   []string{"src/auth/**", "!src/auth/gen/**", "go.mod", "*.md"},
			Anchors: []anchor.Anchor{{Path: "src/auth/token.go", Symbol: "Store.Refresh"}, {Path: "src/auth/token.go", Symbol: "Store.Get"}},
		}, "Type: gotcha\nFiles: src/auth/token.go, go.mod\nSymbols: Store.Refresh, Store.Get\nModule: src/auth\nAbout: redis, login\nRefresh needs Redis\nIt swallows the error"},
	}
	for _, tt := range tests {
		if got := MemoryText(&tt.m); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
