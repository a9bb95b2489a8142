package services

import (
	"fmt"
	"slices"
	"testing"
)

// TestRecorded holds which files are no reason to write a memory.
func TestRecorded(t *testing.T) {
	for file, want := range map[string]bool{
		"a.go": false, "internal/agent/testdata/x/a.json": true, "src/tests/cassettes/one.yaml": true, "internal/fixture/a.go": false, "a/testdata": false,
		"web/pnpm-lock.yaml": true, "web/package.json": false,
		"packages/types/CHANGELOG.md": true, "CHANGES.rst": true, "cmd/changelog.go": false, "docs/changelog-format.md": false,
	} {
		if got := Recorded(file); got != want {
			t.Errorf("%s: got %t", file, got)
		}
	}
}

// TestCovered: a memory of a large part of the files covers none of them.
func TestCovered(t *testing.T) {
	files := func(n int, more ...string) map[string][]string {
		about := map[string][]string{"own.go": append([]string{"wide"}, more...)}
		for i := 1; i < n; i++ {
			about[fmt.Sprint(i)] = []string{"wide"}
		}
		return about
	}
	for name, tt := range map[string]struct {
		about map[string][]string
		of    int
		want  bool
	}{
		"a few files":          {files(20), 30, true},
		"most of the files":    {files(21), 30, false},
		"a quarter":            {files(50), 200, true},
		"more than a quarter":  {files(51), 200, false},
		"one beside it":        {files(51, "own"), 200, true},
		"nothing is about it":  {map[string][]string{"1": {"a"}}, 30, false},
		"about another of few": {map[string][]string{"1": {"a"}, "own.go": {}}, 2, false},
	} {
		if got := covered(tt.about, tt.of)("own.go"); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestWithoutBumps: a manifest counts where a commit changed more in it than versions.
func TestWithoutBumps(t *testing.T) {
	many := []string{"lerna.json"}
	for i := range 6 {
		many = append(many, fmt.Sprintf("packages/p%d/package.json", i))
	}
	for name, tt := range map[string]struct{ files, want []string }{
		"an update":        {[]string{"package.json", "pnpm-lock.yaml", "src/a.ts"}, []string{"pnpm-lock.yaml", "src/a.ts"}},
		"a release":        {append(slices.Clone(many), "README.md"), []string{"README.md"}},
		"a script":         {[]string{"package.json", "scripts/b.ts"}, []string{"package.json", "scripts/b.ts"}},
		"without manifest": {[]string{"src/a.ts"}, []string{"src/a.ts"}},
	} {
		if got := withoutBumps(tt.files); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestOfAgents holds which files are for agents: a memory about what they are told is none that is missing.
func TestOfAgents(t *testing.T) {
	for file, want := range map[string]bool{
		"CLAUDE.md": true, "api/AGENTS.md": true, "GEMINI.md": true, ".cursorrules": true, ".cursor/rules/go.mdc": true, ".cursor/mcp.json": true, ".claude/settings.json": true, "web/.claude/commands/ship.md": true,
		".manicule/memories/technical/a.json": true, "api/.manicule/config.toml": true, ".mcp.json": true, ".vscode/mcp.json": true, "opencode.json": true, ".github/copilot-instructions.md": true, ".github/prompts/fix.prompt.md": true,
		".github/workflows/ci.yml": false, ".github/agents.md": false, ".vscode/settings.json": false, "docs/adr/0001-sqlite.md": false, "docs/agents.md": false, "hooks/agent/claude.go": false, "readme.txt": false, "cursor/rules/go.mdc": false,
	} {
		if got := ofAgents(file); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}
