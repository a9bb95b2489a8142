package resolve

import (
	"testing"

	"manicule/grammars"
)

// TestGroups: files that share units or look for each other's methods are of one group, or their units
// and methods are looked up group by group.
func TestGroups(t *testing.T) {
	byUnit := map[string]string{}
	for _, l := range grammars.All() {
		d := Declared{Path: "dir/file.x", Lang: l.ID}
		f := &File{Path: d.Path, Lang: l.ID, rules: rulesOf(l.ID)}
		fam, key := family(l.ID), f.rules.unitKey(nil, f)
		switch f.rules.(type) {
		case goRules, esRules, pythonRules:
			if groupOf(d) != key {
				t.Errorf("%s: the unit %s is of the group %s", l.ID, key, groupOf(d))
			}
		case noRules:
			if groupOf(d) != d.Path || key != d.Path {
				t.Errorf("%s: the unit %s is of the group %s", l.ID, key, groupOf(d))
			}
		default:
			if groupOf(d) != fam {
				t.Errorf("%s: %s", l.ID, groupOf(d))
			}
			if of := byUnit[key]; of != "" && of != groupOf(d) {
				t.Errorf("the unit %s has files of the groups %s and %s", key, of, groupOf(d))
			}
			byUnit[key] = groupOf(d)
		}
	}
}
