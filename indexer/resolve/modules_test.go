package resolve

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// TestModules: a name is found through what modules pass on, also where they pass on everything of each other, and the same
// is found when it is asked again.
func TestModules(t *testing.T) {
	table, files, _ := tableOf(t, txtar.Parse([]byte(`
-- a.ts --
export function one() {}
-- b.ts --
export * from "./a";
export * from "./c";
-- c.ts --
export * from "./b";
export { one as uno } from "./a";
export * as all from "./a";
-- use.ts --
import { uno } from "./c";
`)))
	unit := map[string]*Unit{}
	for _, f := range files {
		unit[f.Path] = f.unit
	}
	m := newModules(table)
	for range 2 {
		for _, c := range []struct{ in, name, want string }{
			{"b.ts", "one", "one"}, {"b.ts", "uno", "one"}, {"c.ts", "one", "one"}, {"c.ts", "two", ""}, {"a.ts", "one", ""}, // a declares it
		} {
			got := ""
			if found := m.reexported(unit[c.in], c.name, 0); len(found) > 0 {
				got = found[0].Name
			}
			if got != c.want {
				t.Errorf("%s of %s is %q, want %q", c.name, c.in, got, c.want)
			}
		}
		if got := m.reexportedModule(unit["b.ts"], "all", 0); got != unit["a.ts"] {
			t.Errorf("the module all of b.ts is %v, want that of a.ts", got)
		}
		if got := m.importsOf(unit["use.ts"]); len(got) != 1 || got[0] != unit["c.ts"] {
			t.Errorf("use.ts imports %v, want c.ts alone", got)
		}
	}
}
