package nudge

import (
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestBriefImported: a mere fact of an imported document takes no place in the brief, but is counted.
func TestBriefImported(t *testing.T) {
	fact, rule := hit("f", file.ModuleInsight, "The report has timings"), hit("r", file.Convention, "Errors are wrapped")
	fact.Memory.Trust.Origin, rule.Memory.Trust.Origin = file.Import, file.Import
	text, shown := Brief([]memory.Hit{fact, rule}, 2, Branch{})
	if strings.Join(shown, " ") != "r" || !strings.Contains(text, "Not shown: 1") {
		t.Errorf("%v %s", shown, text)
	}
	text, shown = Brief([]memory.Hit{fact}, 1, Branch{}, "news")
	if want := "news\n☞ Manicule keeps 1 memory about this project. " + more; text != want || len(shown) > 0 {
		t.Errorf("nothing to quote: %v %s", shown, text)
	}
	fact.Memory.Importance = file.High
	if _, shown = Brief([]memory.Hit{fact, rule}, 2, Branch{}); len(shown) != 2 {
		t.Errorf("an important one: %v", shown)
	}
}
