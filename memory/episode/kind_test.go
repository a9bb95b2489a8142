package episode

import "testing"

func TestKindOf(t *testing.T) {
	for task, want := range map[string]Kind{
		"Fix the retry test that fails":                Fix,
		"The login is broken since Monday":             Fix,
		"Add a retry to the queue and fix its docs":    Feature,
		"Please implement the following plan":          Feature,
		"Refactoring of the session store":             Refactor,
		"renaming Foo to Bar":                          Refactor,
		"Write the tests for the parser":               Feature,
		"tests for the parser":                         Tests,
		"Review this pull request":                     Review,
		"update the README":                            Docs,
		"What does this do?":                           "",
		"investigate why the build of main takes long": Plan,
		"bump the version and publish":                 Release,
		"":                                             "",
	} {
		if got := KindOf(task); got != want {
			t.Errorf("KindOf(%q) = %q, want %q", task, got, want)
		}
	}
}
