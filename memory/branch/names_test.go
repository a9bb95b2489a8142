package branch

import (
	"maps"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestKeptNames: kept names are those of the trees that they were read from, and a file that is damaged or of other
// trees has none.
func TestKeptNames(t *testing.T) {
	dir := t.TempDir()
	of := map[string]bool{"a.json": true, "b.json": true}
	must.OK(t, writeNames(dir, "t1 t2", of))
	if got := readNames(dir, "t1 t2"); !maps.Equal(got, of) {
		t.Errorf("read %v, not %v", got, of)
	}
	if got := readNames(dir, "t1"); got != nil {
		t.Errorf("names of other trees: %v", got)
	}
	name := filepath.Join(dir, keptNames)
	data := must.Read(t, name)
	for _, broken := range []string{"", "1", string(data[:len(data)-8]), "2" + string(data[1:]), "1 900000000 t1 t2\na.json\n"} {
		must.Write(t, name, broken)
		if got := readNames(dir, "t1 t2"); got != nil {
			t.Errorf("%q has the names %v", broken, got)
		}
	}
	if err := writeNames(filepath.Join(dir, "absent"), "t1", of); err == nil {
		t.Error("names were kept in a folder that is not there")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
