package cmdline

import (
	"slices"
	"testing"
)

func TestRefusedWords(t *testing.T) {
	for _, tt := range []struct {
		failed, fix, key, line string
		want                   []string
	}{
		{"cargo test a -p tool --lib", "cargo test b -p tool", "cargo test", "no library targets found in package `tool`", []string{"--lib"}},
		{"cargo fmt --all && cargo test a --lib", "cargo test b", "cargo test", "no library targets found in package `tool`", []string{"--lib"}},
		{"gh pr view 1 --json a,reviewThreads", "gh pr view 1 --json a", "gh pr view", `Unknown JSON field: "reviewThreads"`, []string{"reviewthreads"}},
		{"gh pr merge 1 --merge --auto", "", "gh pr merge", "GraphQL: Auto merge is not allowed for this repository", []string{"--auto", "--merge"}},
		{"git push origin main --tags", "", "git push", "remote: error: GH006: Protected branch update failed for refs/heads/main.", []string{"main"}},
		{"sed -n 1p main.go | cat -A", "", "cat", "cat: illegal option -- A", []string{"-a"}},
		{"grep -oP 'x' f", "", "grep", "grep: invalid option -- P", []string{"-op"}},
		{"tool --a-flag --b-flag --c-flag x", "tool x", "tool", "error: unknown option", nil}, // which it was isn't known
	} {
		got := RefusedWords(tt.failed, tt.fix, tt.key, tt.line)
		if !slices.Equal(got, tt.want) && len(got)+len(tt.want) > 0 {
			t.Errorf("%s: %v, want %v", tt.failed, got, tt.want)
		}
		if !Refused(tt.line) {
			t.Errorf("%s is no refusal", tt.line)
		}
	}
	for _, line := range []string{"FAIL src/a.test.ts", "ENOENT: no such file or directory", "error TS2344: Type 'T' does not satisfy the constraint"} {
		if Refused(line) {
			t.Errorf("%s is a refusal", line)
		}
	}
}
