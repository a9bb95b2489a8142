package store

import (
	"encoding/json"
	"testing"
)

// TestResolutionAsStored: what earlier versions stored of a failure is read as it was meant, and written the same way.
func TestResolutionAsStored(t *testing.T) {
	for stored, want := range map[string]string{"needs variable": "variable", "needs service": "service", "changed": "", "again": "", "": ""} {
		var e ObservedError
		if err := json.Unmarshal([]byte(`{"how": "`+stored+`"}`), &e); err != nil {
			t.Fatal(err)
		}
		need, ok := e.How.Need()
		if ok != (want != "") || ok && need != want {
			t.Errorf("%q lacks %q, %v; want %q", stored, need, ok, want)
		}
		if ok && string(Lacked(need)) != stored {
			t.Errorf("%q is stored as %q", stored, Lacked(need))
		}
	}
}
