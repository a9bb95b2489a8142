package judge

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// table writes the rules as docs/ledger.md has them.
func table() string {
	var b strings.Builder
	for _, r := range Rules() {
		types := "all"
		if r.Types != nil {
			var names []string
			for _, t := range r.Types {
				names = append(names, t.Label())
			}
			types = strings.Join(names, ", ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.ID, r.Verdict, types, r.When, r.Why)
	}
	return b.String()
}

// TestRulesAreDocumented holds docs/ledger.md to the rules.
func TestRulesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/ledger.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), table()) {
		t.Errorf("docs/ledger.md lacks the rules as they are:\n%s", table())
	}
}
