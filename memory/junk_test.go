package memory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// A text that no rule refuses and that may be a heading.
const doubtful = "Real-time collaboration and editing support"

// written remembers something that must be accepted.
func written(t *testing.T, w *Workspace, d Draft) Result {
	t.Helper()
	r, err := w.Remember(t.Context(), d)
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

// TestDoubtfulDraft: an agent's text that may be no memory waits for a person, is not accepted together with others, and comes after
// them, until it says something.
func TestDoubtfulDraft(t *testing.T) {
	w := fixture(t)
	r := written(t, w, Draft{What: doubtful, Agent: true, Tool: "claude-code"})
	if !r.Draft || r.Doubt != "fragment" || !strings.Contains(r.Advice, "little") {
		t.Fatalf("%+v", r)
	}
	sure := written(t, w, Draft{What: "Refresh fails silently when the clock is wrong", Agent: true, Tool: "claude-code"})
	if sure.Doubt != "" || sure.Advice != "" {
		t.Errorf("%+v", sure)
	}
	candidates := func() []Candidate {
		t.Helper()
		list, err := w.Drafts().Candidates(t.Context())
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list
	}
	list := candidates()
	if list[0].Memory.UUID != sure.Memory.UUID || list[0].NeedsLook() {
		t.Errorf("the first is %q, needs a look: %v", list[0].Memory.What, list[0].NeedsLook())
	}
	if c := list[1]; !c.NeedsLook() || !strings.HasPrefix(c.Doubt, "it says little by itself") {
		t.Errorf("%q: %q, needs a look: %v", c.Memory.What, c.Doubt, c.NeedsLook())
	}
	if waiting, err := w.Drafts().Pending(t.Context()); err != nil || waiting[0].Doubt == "" || waiting[1].Doubt != "" {
		t.Errorf("%+v, %v", waiting, err)
	}
	rewrite := func(what string) Result {
		t.Helper()
		got, err := w.Drafts().Rewrite(t.Context(), r.Memory.UUID, func(m *file.Memory) error { m.What = what; return nil })
		if err != nil || !got.Accepted {
			t.Fatalf("%+v, %v", got, err)
		}
		return got
	}
	if got := rewrite("Fast and reliable endpoints"); got.Doubt == "" || !candidates()[1].NeedsLook() {
		t.Errorf("another heading: %+v", got)
	}
	if got := rewrite("Two editors of one page overwrite each other unless the socket is open"); got.Doubt != "" {
		t.Errorf("a sentence: %+v", got)
	}
	for _, c := range candidates() {
		if c.NeedsLook() {
			t.Errorf("%q needs a look: %q", c.Memory.What, c.Doubt)
		}
	}
}

// TestDoubtfulImport: what an import reads and may be no memory becomes no file, and is neither lost nor asked about again.
func TestDoubtfulImport(t *testing.T) {
	w := fixture(t)
	drafts := func() []Draft {
		var out []Draft
		for key, what := range map[string]string{"1": doubtful, "2": "Never edit the generated client: change the template instead"} {
			out = append(out, Draft{What: what, Origin: file.Import, Tool: "import", Import: &file.ImportOrigin{File: "CLAUDE.md", Line: 1, Key: key}})
		}
		return out
	}
	count := func() (held, stored, known int) {
		t.Helper()
		results, err := w.RememberAll(t.Context(), drafts())
		must.OK(t, err)
		for _, r := range results {
			switch {
			case !r.Accepted:
				t.Errorf("refused: %+v", r)
			case r.Deduped:
				known++
			case r.Draft:
				held++
				if _, err := os.Stat(filepath.Join(w.place.MemoriesDir(), r.Memory.RelPath())); r.Doubt != "fragment" || !os.IsNotExist(err) {
					t.Errorf("held: %+v, %v", r, err)
				}
			default:
				stored++
			}
		}
		return held, stored, known
	}
	if held, stored, _ := count(); held != 1 || stored != 1 {
		t.Errorf("%d held, %d stored", held, stored)
	}
	if _, _, known := count(); known != 2 {
		t.Errorf("again: %d known", known)
	}
	waiting, err := w.Drafts().List(t.Context())
	if err != nil || len(waiting) != 1 {
		t.Fatalf("%v, %v", waiting, err)
	}
	must.OK(t, w.Drafts().Reject(t.Context(), waiting[0].UUID, "a heading"))
	if _, _, known := count(); known != 2 {
		t.Errorf("after it was rejected: %d known", known)
	}
}

// TestStrictRefusesDoubtful: the strict setting refuses of an agent and of an import what else waits; a person is advised.
func TestStrictRefusesDoubtful(t *testing.T) {
	w := fixture(t)
	w.Maker().SetStrict(true)
	if r, err := w.Remember(t.Context(), Draft{What: doubtful, Agent: true, Tool: "claude-code"}); err != nil || r.Accepted || r.Code != "fragment" {
		t.Errorf("of an agent: %+v, %v", r, err)
	}
	results, err := w.RememberAll(t.Context(), []Draft{{What: doubtful, Origin: file.Import, Tool: "import"}})
	if err != nil || results[0].Accepted || results[0].Code != "fragment" {
		t.Errorf("of an import: %+v, %v", results, err)
	}
	if r := written(t, w, Draft{What: doubtful}); r.Draft || r.Advice == "" {
		t.Errorf("of a person: %+v", r)
	}
}
