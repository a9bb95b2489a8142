package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

// body is what Validate does in store.
func body(name string) string {
	at := strings.Index(store, "func (s *Store) "+name)
	text := store[at:]
	text = text[strings.Index(text, "{\n")+2:]
	return text[:strings.Index(text, "\n}\n")]
}

// TestMerged holds that a function is followed into the one that took it in.
func TestMerged(t *testing.T) {
	whole := "func (s *Store) Validate(id string) error {\n" + body("Validate") + "\n}\n"
	gone := strings.Replace(store, whole, "", 1)
	into := strings.Replace(gone, "\tdefer conn.Close()\n", "\tdefer conn.Close()\n"+body("Validate")+"\n", 1)
	half := strings.Replace(gone, "\tdefer conn.Close()\n", "\tdefer conn.Close()\n\tfor _, known := range s.known() {\n\t\tif known.id == id && !known.expired() {\n\t\t\tcontinue\n\t\t}\n\t}\n", 1)
	tests := map[string]struct {
		after string
		state anchor.State
		rung  anchor.Rung
		to    string
		offer string
	}{
		"all of it":  {into, anchor.Followed, anchor.RungMerged, "Store.Refresh", ""},
		"most of it": {half, anchor.Orphaned, anchor.RungNone, "Store.Validate", "Store.Refresh"},
		"none of it": {gone, anchor.Orphaned, anchor.RungNone, "Store.Validate", ""},
		"two as good": {strings.Replace(store, whole, strings.Replace(whole, "Validate", "check", 1)+strings.Replace(whole, "Validate", "again", 1), 1),
			anchor.Orphaned, anchor.RungNone, "Store.Validate", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := world(tree{"a.go": store}, tree{"a.go": test.after}).Resolve(
				anchor.Anchor{Kind: anchor.KindSymbol, Path: "a.go", Language: "go", Symbol: "Store.Validate"})
			offer := ""
			if r.Suggestion != nil {
				offer = r.Suggestion.Symbol
			}
			if r.State != test.state || r.Rung != test.rung || r.Symbol != test.to || test.offer != "" && offer != test.offer {
				t.Errorf("%s by %q at %s, offers %q (%s, %.2f)", r.State, r.Rung, r.Symbol, offer, r.Reason, r.Confidence)
			}
		})
	}
}

// sourceOf is a file with a blob id.
func sourceOf(path, blob, text string) *anchoring.Source {
	return anchoring.TextSource(path, "go", blob, []byte(text))
}

// TestRewritten holds that cited lines are not looked up in the file that a
// rebase put where theirs was, and are found by their blob where it is still known.
func TestRewritten(t *testing.T) {
	a := makeAnchor(t, "a.go:10", store)
	a.Blob = "made"
	other := "package auth\n\n" + strings.Repeat("// Another history.\n", 9) + store[len("package auth\n"):]
	edited := strings.Replace(other, "s.dial(id)", "s.dial(id, 1)", 1)
	w := &anchoring.World{Old: one(sourceOf("a.go", "rewritten", other)), New: one(sourceOf("a.go", "now", edited))}
	want := strings.Count(edited[:strings.Index(edited, "conn, err")], "\n") + 1
	if r := w.Resolve(a); r.Line != want || r.State != anchor.Drifted {
		t.Errorf("by the record: %s at %d, want %d: %s", r.State, r.Line, want, r.Reason)
	}
	w = &anchoring.World{Old: w.Old, New: w.New, Blob: func(path, blob string) *anchoring.Source {
		if blob != "made" {
			return nil
		}
		return sourceOf(path, blob, store)
	}}
	if r := w.Resolve(a); r.Line != want || r.State != anchor.Drifted || r.Rung != anchor.RungLines {
		t.Errorf("by the blob: %s by %q at %d, want %d: %s", r.State, r.Rung, r.Line, want, r.Reason)
	}
}

// TestBlobElsewhere holds that the content an anchor was made in is known again
// under another path, with no old state at all.
func TestBlobElsewhere(t *testing.T) {
	n := sourceOf("auth/token.go", "made", store)
	w := &anchoring.World{New: one(n), Changed: func() []anchoring.Change { return []anchoring.Change{{New: n}} }}
	for place, line := range map[string]int{"a.go:10": 10, "a.go#Store.Refresh": 6, "a.go": 1} {
		a := makeAnchor(t, place, store)
		a.Blob = "made"
		if r := w.Resolve(a); r.State != anchor.Followed || r.Path != n.Path || r.Line != line {
			t.Errorf("%s: %s at %s:%d: %s", place, r.State, r.Path, r.Line, r.Reason)
		}
	}
}

// TestKnownRename holds that a rename that git or the editor knows is taken, by
// the old state and by the record alone.
func TestKnownRename(t *testing.T) {
	n := sourceOf("auth/token.go", "now", strings.Replace(store, "s.ttl)", "s.ttl+1)", 1))
	to := func(path string) string {
		if path == "a.go" {
			return n.Path
		}
		return ""
	}
	a := makeAnchor(t, "a.go#Store.Validate", store)
	for name, w := range map[string]*anchoring.World{
		"with the old state": {Old: one(sourceOf("a.go", "made", store)), New: one(n), Renamed: to},
		"by the record":      {New: one(n), Renamed: to},
	} {
		if r := w.Resolve(a); r.State != anchor.Followed || r.Path != n.Path || r.Symbol != "Store.Validate" {
			t.Errorf("%s: %s at %s#%s: %s", name, r.State, r.Path, r.Symbol, r.Reason)
		}
	}
}

// TestCopiesOfATemplate holds that of new files that all have what a removed one had, the one in the most alike folder is
// taken, and none if no folder is ahead.
func TestCopiesOfATemplate(t *testing.T) {
	const text = "output \"zone\" {\n  description = \"The zones of the network that was made\"\n  value       = try(module.network.zones, [])\n}\n\n" +
		"output \"gateway\" {\n  description = \"The gateway of each private route\"\n  value       = try(module.network.gateways, [])\n}\n"
	source := func(path, text string) *anchoring.Source { return anchoring.TextSource(path, "hcl", "", []byte(text)) }
	for name, c := range map[string]struct {
		copies []string
		want   string
	}{
		"a name alike": {[]string{"examples/block-access/outputs.tf", "examples/separate-routes/outputs.tf", "examples/whole/outputs.tf"}, "examples/separate-routes/outputs.tf"},
		"none ahead":   {[]string{"examples/block-access/outputs.tf", "examples/whole/outputs.tf"}, ""},
		"one alone":    {[]string{"examples/whole/outputs.tf"}, "examples/whole/outputs.tf"},
	} {
		t.Run(name, func(t *testing.T) {
			o := source("examples/vpc-separate-private-routes/outputs.tf", text)
			var changes []anchoring.Change
			news := map[string]*anchoring.Source{}
			for i, path := range c.copies {
				n := source(path, text+strings.Repeat("\noutput \"more\" {\n  value = module.network.more\n}\n", i))
				news[path] = n
				changes = append(changes, anchoring.Change{New: n})
			}
			changes = append(changes, anchoring.Change{Old: o})
			w := &anchoring.World{Old: one(o), New: func(p string) *anchoring.Source { return news[p] }, Changed: func() []anchoring.Change { return changes }}
			a, err := anchoring.Make(t.Context(), anchor.Place{Path: o.Path, Symbol: "output.gateway"}, "hcl", []byte(text))
			must.OK(t, err)
			r := w.Resolve(a)
			if got := r.Path; r.State == anchor.Orphaned && c.want != "" || r.State != anchor.Orphaned && got != c.want {
				t.Errorf("%s at %s, want %q: %s", r.State, got, c.want, r.Reason)
			}
		})
	}
}

// TestCompany holds that what is too small to be known by its code is looked for
// where its neighbours went, though another file has the same.
func TestCompany(t *testing.T) {
	const big = "\tvoid count(String id) {\n\t\tfor (String known : all()) {\n\t\t\tif (known.equals(id) && !expired(known)) {\n\t\t\t\tok += weight(id, known);\n\t\t\t}\n\t\t}\n\t}\n"
	const field = "\tprivate int ok = 0;\n"
	source := func(path, text string) *anchoring.Source {
		return anchoring.TextSource(path, "java", "", []byte(text))
	}
	o := source("A.java", "class A {\n"+field+big+"}\n")
	news := map[string]*anchoring.Source{
		"A.java": source("A.java", "class A {\n}\n"),
		"B.java": source("B.java", "class B {\n"+field+big+"}\n"),
		"C.java": source("C.java", "class C {\n"+field+"\tvoid other() {}\n}\n"),
	}
	w := &anchoring.World{Old: one(o), New: func(p string) *anchoring.Source { return news[p] }, Changed: func() []anchoring.Change {
		return []anchoring.Change{{Old: o, New: news["A.java"]}, {New: news["C.java"]}, {New: news["B.java"]}}
	}}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "A.java", Language: "java", Symbol: "A.ok"})
	if r.State != anchor.Followed || r.Path != "B.java" || r.Symbol != "B.ok" {
		t.Errorf("%s at %s#%s: %s", r.State, r.Path, r.Symbol, r.Reason)
	}
}
