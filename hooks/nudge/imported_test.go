package nudge

import (
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestBriefTaught: of what somebody said for the whole project a few are quoted, beside all that are pinned or important.
func TestBriefTaught(t *testing.T) {
	hits := []memory.Hit{hit("a", file.Convention, "a rule"), hit("b", file.Gotcha, "a trap"), hit("i", file.Convention, "an important rule", high), hit("c", file.Preference, "a wish"),
		hit("d", file.Decision, "a choice"), hit("p", file.Decision, "a pinned choice", pinned), hit("j", file.Decision, "an important choice", high)}
	text, shown := Brief(hits, 9, Branch{})
	if strings.Join(shown, " ") != "p i j a b c" || !strings.Contains(text, "Not shown: 3.") {
		t.Errorf("%v\n%s", shown, text)
	}
	text, shown = Brief(nil, 1, Branch{}, "news")
	if want := "news\n☞ Manicule keeps 1 memory about this project. " + more; text != want || len(shown) > 0 {
		t.Errorf("nothing to quote: %v %s", shown, text)
	}
}
