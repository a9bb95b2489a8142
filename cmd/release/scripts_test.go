package main

import (
	"testing"

	"manicule/indexer/must"
)

// TestScripts: what is in the program's pages is known, permitted, and comes with its licence.
func TestScripts(t *testing.T) {
	tree, err := openTree()
	must.OK(t, err)
	list, err := scripts(tree)
	must.OK(t, err)
	if len(list) != 1 || list[0].Path != "npmjs.com/package/d3-hierarchy" || list[0].Version != "3.1.2" || list[0].Text == "" {
		t.Errorf("the scripts are %+v", list)
	}
	for _, l := range list {
		if bad := unpermitted(l.License); len(bad) > 0 {
			t.Errorf("%s is under %v", l.Path, bad)
		}
	}
}
