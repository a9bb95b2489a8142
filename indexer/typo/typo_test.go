package typo_test

import (
	"testing"

	"manicule/indexer/typo"
)

// TestMeant: a slip or two are forgiven, in a short name one, and neighbours that changed places are one.
func TestMeant(t *testing.T) {
	for _, c := range []struct {
		have, typed string
		far         int
		ok          bool
	}{
		{"list", "lsit", 1, true},
		{"list", "lst", 1, true},
		{"None", "Nope", 1, true},
		{"name", "Nope", 2, false},
		{"hook", "foo", 2, false},
		{"gotcha", "gothca", 1, true},
		{"decision", "dicisoin", 2, true},
		{"Validate", "Store.Valdiate", 1, true},
		{"validateToken", "validate", 1, true},
		{"a", "b", 1, false},
		{"a", "", 1, false},
	} {
		if far, ok := typo.Meant(c.have, c.typed); far != c.far || ok != c.ok {
			t.Errorf("Meant(%q, %q) is %d, %v; want %d, %v", c.have, c.typed, far, ok, c.far, c.ok)
		}
	}
}
