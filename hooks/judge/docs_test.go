package judge

import (
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
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

// outcomeTable writes the rules for what came of following a memory as docs/ledger.md has them.
func outcomeTable() string {
	var b strings.Builder
	for _, r := range OutcomeRules() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Outcome, r.When)
	}
	return b.String()
}

// TestRulesAreDocumented holds docs/ledger.md to the rules.
func TestRulesAreDocumented(t *testing.T) {
	doc := must.Read(t, "../../docs/ledger.md")
	for _, want := range []string{table(), outcomeTable()} {
		if !strings.Contains(string(doc), want) {
			t.Errorf("docs/ledger.md lacks the rules as they are:\n%s", want)
		}
	}
}
