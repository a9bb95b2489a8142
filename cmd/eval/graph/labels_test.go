package graph

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestLabels holds the labels to their form: every place can be read, no symbol
// is there twice, and every place is in what was read.
func TestLabels(t *testing.T) {
	samples, err := readSamples(labelFiles)
	must.OK(t, err)
	if len(samples) < 13 {
		t.Errorf("there are %d samples, want 13 at least", len(samples))
	}
	for _, s := range samples {
		if s.Commit == "" || s.How == "" || len(s.Folders) == 0 || len(s.labels) < 20 {
			t.Errorf("%s: the head is incomplete, or labels are missing (%d)", s.Source, len(s.labels))
		}
		seen := map[string]bool{}
		for _, l := range s.labels {
			if seen[l.Symbol] {
				t.Errorf("%s: %s is there twice", s.Source, l.Symbol)
			}
			seen[l.Symbol] = true
			all, err := parsePlaces(l.Calls, l.MayCalls, l.Uses, l.MayUses)
			if err != nil {
				t.Errorf("%s: %s: %v", s.Source, l.Symbol, err)
			}
			for p := range all {
				if !s.covers(p.File) {
					t.Errorf("%s: %s is used at %s, which was not read", s.Source, l.Symbol, p)
				}
			}
		}
	}
}

func (s sample) covers(file string) bool {
	for _, f := range s.Folders {
		if file == f || strings.HasPrefix(file, f+"/") {
			return true
		}
	}
	return false
}

func TestParseSamples(t *testing.T) {
	head := `{"source":"a","repository":"b","commit":"c","folders":["d"],"how":"e"}` + "\n"
	for name, text := range map[string]string{
		"a label without a head": `{"symbol":"f#g","line":1,"group":"x"}`,
		"no file":                head + `{"symbol":"g","line":1,"group":"x"}`,
		"an unknown field":       head + `{"symbol":"f#g","lines":1}`,
		"no JSON":                head + `{`,
	} {
		if _, err := parseSamples([]byte(text)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	got, err := parseSamples([]byte(head + `{"symbol":"f#T.g","line":1,"group":"x","calls":["f:3"]}`))
	if err != nil || len(got) != 1 || len(got[0].labels) != 1 || got[0].labels[0].name() != "g" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"f", ":1", "f:0", "f:x"} {
		if _, err := parsePlaces([]string{bad}); err == nil {
			t.Errorf("the place %q is taken", bad)
		}
	}
}
