package anchoring_test

import (
	"encoding/json"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

const store = `package auth

type Store struct{ ttl int }

// Refresh renews a token and says when it can't.
func (s *Store) Refresh(id string) error {
	if id == "" {
		return errNoID
	}
	conn, err := s.dial(id)
	if err != nil {
		return fail("refresh", err)
	}
	defer conn.Close()
	return conn.Renew(id, s.ttl)
}

func (s *Store) Validate(id string) error {
	for _, known := range s.known() {
		if known.id == id && !known.expired() {
			return nil
		}
	}
	return errUnknown
}

func small() int { return 1 }
`

// tree is a set of files, as a World sees it.
type tree map[string]string

func (t tree) source(path string) *anchoring.Source {
	text, ok := t[path]
	if !ok {
		return nil
	}
	return anchoring.TextSource(path, "go", "", []byte(text))
}

func world(before, after tree) *anchoring.World {
	olds, news := make(map[string]*anchoring.Source), make(map[string]*anchoring.Source)
	for p := range before {
		olds[p] = before.source(p)
	}
	for p := range after {
		news[p] = after.source(p)
	}
	return &anchoring.World{
		Old: func(p string) *anchoring.Source { return olds[p] },
		New: func(p string) *anchoring.Source { return news[p] },
		Changed: func() []anchoring.Change {
			var all []anchoring.Change
			for p, o := range olds {
				if before[p] != after[p] {
					all = append(all, anchoring.Change{Old: o, New: news[p]})
				}
			}
			for p, n := range news {
				if olds[p] == nil {
					all = append(all, anchoring.Change{New: n})
				}
			}
			return all
		},
	}
}

func TestWorld(t *testing.T) {
	refresh := store[strings.Index(store, "// Refresh"):strings.Index(store, "func (s *Store) Validate")]
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(store) }
	tests := map[string]struct {
		place string
		after tree
		state anchor.State
		rung  anchor.Rung
		to    string // path#symbol:line
	}{
		"as it was": {"a.go#Store.Refresh", tree{"a.go": store}, anchor.Fresh, anchor.RungPlace, "a.go#Store.Refresh:6"},
		"comments and white space": {"a.go#Store.Refresh", tree{"a.go": replaced("defer conn", "// Always.\n\n\tdefer  conn")},
			anchor.Fresh, anchor.RungPlace, "a.go#Store.Refresh:6"},
		"its body": {"a.go#Store.Refresh", tree{"a.go": replaced("s.ttl)", "2*s.ttl)")}, anchor.Drifted, anchor.RungPlace, "a.go#Store.Refresh:6"},
		"renamed":  {"a.go#Store.Refresh", tree{"a.go": replaced("Refresh(", "Renew2(")}, anchor.Followed, anchor.RungTree, "a.go#Store.Renew2:6"},
		"renamed and edited": {"a.go#Store.Refresh", tree{"a.go": replaced("Refresh(", "Again(", "errNoID", "fail(\"no id\", nil)", "s.ttl)", "s.ttl+1)")},
			anchor.Followed, anchor.RungAlike, "a.go#Store.Again:6"},
		"moved": {"a.go#Store.Refresh", tree{"a.go": strings.Replace(store, refresh, "", 1), "b.go": "package auth\n\n" + refresh},
			anchor.Followed, anchor.RungTree, "b.go#Store.Refresh:4"},
		"the file renamed": {"a.go#Store.Refresh", tree{"store/b.go": store}, anchor.Followed, anchor.RungTree, "store/b.go#Store.Refresh:6"},
		"gone":             {"a.go#Store.Refresh", tree{"a.go": strings.Replace(store, refresh, "", 1)}, anchor.Orphaned, anchor.RungNone, "a.go#Store.Refresh:1"},
		"small, and gone":  {"a.go#small", tree{"a.go": replaced("func small() int { return 1 }", ""), "b.go": "package auth\nfunc other() int { return 1 }\n"}, anchor.Orphaned, anchor.RungNone, "a.go#small:1"},
		"the file gone":    {"a.go#Store.Refresh", tree{}, anchor.Orphaned, anchor.RungNone, "a.go#Store.Refresh:1"},
		"lines":            {"a.go:10", tree{"a.go": "// one line more\n" + store}, anchor.Fresh, anchor.RungLines, "a.go#Store.Refresh:11"},
		"lines in an edited function": {"a.go:10", tree{"a.go": replaced("s.ttl)", "2*s.ttl)", "if id == \"\" {", "if id == \"\" || s == nil {\n\t\tlog(id)")},
			anchor.Fresh, anchor.RungLines, "a.go#Store.Refresh:11"},
		"edited lines": {"a.go:15", tree{"a.go": replaced("s.ttl)", "s.ttl+1)")}, anchor.Drifted, anchor.RungLines, "a.go#Store.Refresh:15"},
		"lines in a new try": {"a.go:19-23", tree{"a.go": replaced("for _, known", "if s.ready() {\n\tfor _, known", "	return errUnknown", "}\n\treturn errUnknown")},
			anchor.Fresh, anchor.RungLines, "a.go#Store.Validate:20"},
		"lines in a renamed function": {"a.go:10", tree{"a.go": replaced("Refresh(", "Renew2(")}, anchor.Followed, anchor.RungLines, "a.go#Store.Renew2:10"},
		"lines taken out": {"a.go:19-23", tree{"a.go": strings.Replace(store, store[strings.Index(store, "\tfor _, known"):strings.Index(store, "\treturn errUnknown")], "\tif s.has(id) {\n\t\treturn nil\n\t}\n", 1) +
			"\nfunc (s *Store) has(id string) bool {\n\tfor _, known := range s.known() {\n\t\tif known.id == id && !known.expired() {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn false\n}\n"},
			anchor.Followed, anchor.RungSplit, "a.go#Store.has:28"},
		"a file": {"a.go", tree{"sub/a.go": store}, anchor.Followed, anchor.RungFile, "sub/a.go#:1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := makeAnchor(t, test.place, store)
			a.TokenHash = "" // the file as it was says more
			r := world(tree{"a.go": store}, test.after).Resolve(a)
			to := r.Path + "#" + r.Symbol + ":" + itoa(r.Line)
			if r.State != test.state || r.Rung != test.rung || to != test.to {
				t.Errorf("%s by %q at %s (%s, %.2f); want %s by %q at %s", r.State, r.Rung, to, r.Reason, r.Confidence, test.state, test.rung, test.to)
			}
			if (r.State != anchor.Fresh) != (r.Reason != "") && r.Rung != anchor.RungLines {
				t.Errorf("%s with the reason %q", r.State, r.Reason)
			}
		})
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n) // an int can always be written
	return string(b)
}

// TestRecordAlone holds that the record is enough where the old file is not there.
func TestRecordAlone(t *testing.T) {
	a := makeAnchor(t, "a.go#Store.Refresh", store)
	tests := map[string]struct {
		after tree
		state anchor.State
		to    string
	}{
		"as it was":          {tree{"a.go": store}, anchor.Fresh, "a.go#Store.Refresh"},
		"renamed":            {tree{"a.go": strings.Replace(store, "Refresh(", "Renew2(", 1)}, anchor.Followed, "a.go#Store.Renew2"},
		"renamed and edited": {tree{"a.go": strings.NewReplacer("Refresh(", "RefreshToken(", "s.ttl)", "s.ttl+1)").Replace(store)}, anchor.Followed, "a.go#Store.RefreshToken"},
		"moved":              {tree{"b.go": store}, anchor.Followed, "b.go#Store.Refresh"},
		"gone":               {tree{"a.go": "package auth\n"}, anchor.Orphaned, "a.go#Store.Refresh"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := world(tree{}, test.after)
			w.Old = nil
			r := w.Resolve(a)
			if to := r.Path + "#" + r.Symbol; r.State != test.state || to != test.to {
				t.Errorf("%s at %s (%s); want %s at %s", r.State, to, r.Reason, test.state, test.to)
			}
		})
	}
}

// TestHeals holds that an anchor is fresh again once the change is taken back.
func TestHeals(t *testing.T) {
	a := makeAnchor(t, "a.go#Store.Refresh", store)
	gone := "package auth\n"
	if r := world(tree{"a.go": store}, tree{"a.go": gone}).Resolve(a); r.State != anchor.Orphaned {
		t.Fatalf("%s: %s", r.State, r.Reason)
	}
	back := "// Another comment.\n" + store
	if r := world(tree{"a.go": store}, tree{"a.go": back}).Resolve(a); r.State != anchor.Fresh || r.Confidence != 1 {
		t.Errorf("%s, %v: %s", r.State, r.Confidence, r.Reason)
	}
}

// TestUnsettled holds that a broken file gives no reason to change a state.
func TestUnsettled(t *testing.T) {
	a := makeAnchor(t, "a.go#Store.Refresh", store)
	torn := strings.Replace(store, "defer conn.Close()", "defer conn.Close(((", 1)
	if r := world(tree{"a.go": store}, tree{"a.go": torn}).Resolve(a); r.State != anchor.Fresh && !r.Unsettled {
		t.Errorf("%s, settled: %s", r.State, r.Reason)
	}
}

func TestManifest(t *testing.T) {
	mod := []byte("module a\n\nrequire (\n\tgithub.com/x/y v1.0.0\n\tgithub.com/x/y/v2 v2.0.0\n)\n")
	a, ok := anchoring.MakeDependency("go.mod", "github.com/x/y", mod)
	if !ok || a.Lines.Start != 4 {
		t.Fatalf("%+v, %v", a, ok)
	}
	for text, want := range map[string]anchor.State{
		string(mod): anchor.Fresh,
		strings.Replace(string(mod), "v1.0.0", "v1.1.0", 1): anchor.Drifted,
		"module a\nrequire github.com/x/y/v2 v2.0.0\n":      anchor.Orphaned,
	} {
		if r := anchoring.Resolve(a, nil, []byte(text)); r.State != want {
			t.Errorf("%q: %s, want %s", text, r.State, want)
		}
	}
	if _, ok := anchoring.MakeDependency("package.json", "react", []byte(`{"react-dom": "1"}`)); ok {
		t.Error("react-dom is taken for react")
	}
}

func TestResolveGlob(t *testing.T) {
	a := anchor.Anchor{Kind: anchor.KindGlob, Path: "src/**/*.go"}
	if r := anchoring.ResolveGlob(a, []string{"src/a/b.go"}); r.State != anchor.Fresh {
		t.Errorf("%+v", r)
	}
	if r := anchoring.ResolveGlob(a, []string{"lib/b.go"}); r.State != anchor.Orphaned {
		t.Errorf("%+v", r)
	}
}

// FuzzRecord holds that what is read of a record is written again, and that no
// record makes a resolution panic.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"kind":"symbol","path":"a.go","symbol":"Store.Refresh","fingerprint":{"tree":"zz","sketch":"!","size":-4,"new":1}}`))
	f.Add([]byte(`{"kind":"lines","path":"a.go","lines":{"start":9,"end":2},"quote":"x","prefix":"y","focus":"id"}`))
	f.Add([]byte(`{"kind":"unknown","path":"","other":[1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var a anchor.Anchor
		if jsonv2.Unmarshal(data, &a) != nil {
			return
		}
		out, err := jsonv2.Marshal(a)
		must.OK(t, err)
		var again anchor.Anchor
		if err := jsonv2.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		a.Path = "a.go"
		world(tree{"a.go": store}, tree{"a.go": strings.Replace(store, "Refresh", "Renew", 1)}).Resolve(a)
		w := world(tree{}, tree{"a.go": store[40:]})
		w.Old = nil
		w.Resolve(a)
	})
}
