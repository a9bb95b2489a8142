package nudge

import (
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestFolder: a search of a folder counts what its files have to say, and quotes only what is about
// the folder itself.
func TestFolder(t *testing.T) {
	below := hit("b", file.Gotcha, "Only of one file")
	below.Match = memory.MatchParent
	own := hit("o", file.Decision, "Of the whole folder", scoped)
	text, shown := Places([]Place{{Path: "src/", Dir: true, Hits: []memory.Hit{below}}}, nil, false)
	if strings.Contains(text, "Only") || !strings.Contains(text, "1 gotcha") || len(shown) != 0 {
		t.Errorf("%q %v", text, shown)
	}
	place := Place{Path: "src/", Dir: true, Hits: []memory.Hit{below, own}}
	text, shown = Places([]Place{place}, nil, false)
	if !strings.Contains(text, "1 gotcha, 1 decision “Of the whole folder”") || len(shown) != 1 || shown[0].UUID != "o" {
		t.Errorf("%q %v", text, shown)
	}
	if got := place.Whole(); len(got) > 1 || len(got) == 1 && got[0] != "o" {
		t.Errorf("whole: %v", got)
	}
}

// TestBriefImported: a mere fact of an imported document takes no place in the brief, but is counted.
func TestBriefImported(t *testing.T) {
	fact, rule := hit("f", file.ModuleInsight, "The report has timings"), hit("r", file.Convention, "Errors are wrapped")
	fact.Memory.Trust.Origin, rule.Memory.Trust.Origin = file.Import, file.Import
	text, shown := Brief([]memory.Hit{fact, rule}, 2, Branch{})
	if strings.Join(shown, " ") != "r" || !strings.Contains(text, "Not shown: 1") {
		t.Errorf("%v %s", shown, text)
	}
	fact.Memory.Importance = file.High
	if _, shown = Brief([]memory.Hit{fact, rule}, 2, Branch{}); len(shown) != 2 {
		t.Errorf("an important one: %v", shown)
	}
}
