package importer

import (
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

const mixed = `# Shop

## Conventions

- Never edit ` + "`api/gen.go`" + ` by hand, run ` + "`make api`" + ` instead.
- Money is an integer of cents in ` + "`pkg/money`" + `, never a float.

## 📦 Review process

- Ask a colleague to look at your screenshots before the meeting on Friday.
`

// TestUseful: what is likely to be of little use is left out and counted, and All brings it.
func TestUseful(t *testing.T) {
	fsys := tree("CLAUDE.md", mixed, "api/gen.go", "", "pkg/money/money.go", "")
	all, _ := read(t, fsys)
	opts := fsys
	opts.All = false
	chunks, rep, err := ReadAll(t.Context(), opts)
	must.OK(t, err)
	left := rep.Reasons()[LittleUse]
	if left == 0 || len(chunks)+left != len(all) || rep.Chunks != len(chunks) {
		t.Errorf("%d of %d kept, %d of little use, report %d", len(chunks), len(all), left, rep.Chunks)
	}
	kept := whats(chunks)
	for _, want := range []string{"Never edit `api/gen.go` by hand, run `make api` instead.", "Money is an integer of cents in `pkg/money`, never a float."} {
		if !slices.Contains(kept, want) {
			t.Errorf("%q was left out of %q", want, whats(all))
		}
	}
}

// TestUsefulKinds: decision records are kept, whatever their words are.
func TestUsefulKinds(t *testing.T) {
	opts := tree("docs/adr/0001-x.md", "# Users\n\n## Status\n\nAccepted\n\n## Decision\n\nUsers get features of the platform.\n")
	opts.All = false
	chunks, rep, err := ReadAll(t.Context(), opts)
	if err != nil || len(chunks) != 1 {
		t.Errorf("kept %v, left out %v, %v", chunks, rep.Drops, err)
	}
}

// TestHardWon: a trap that the author calls one, and what was tried and given up, are kept without a word of code.
func TestHardWon(t *testing.T) {
	opts := tree("CLAUDE.md", "# Shop\n\n## Traps\n\n- The pool deadlocks if Validate is called inside a transaction.\n\n"+
		"## Database\n\n- We tried PgBouncer in front of the pool; it broke prepared statements, so we connect directly.\n\n## Rules\n\n- Before you commit to `main`, always run:\n\n```sh\nmake lint\n```\n")
	opts.All = false
	chunks, _, err := ReadAll(t.Context(), opts)
	must.OK(t, err)
	var got []string
	for _, c := range chunks {
		got = append(got, string(c.Type)+": "+c.What)
	}
	for _, want := range []string{"gotcha: The pool deadlocks if Validate is called inside a transaction.",
		"dead_end: We tried PgBouncer in front of the pool; it broke prepared statements, so we connect directly.", "convention: Before you commit to `main`, always run `make lint`"} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if len(got) != 3 {
		t.Errorf("%q", got)
	}
}

// TestTraits: the properties of a memory say what is in it.
func TestTraits(t *testing.T) {
	opts := tree("api/gen.go", "")
	for text, want := range map[string]map[string]float64{
		"Never edit `api/gen.go` by hand.": {"no code": 0, "spans of code": 1, "order with code": 1, "strict words": 1, "paths": 1, "file: names of files": 1, "up to 8 words": 1},
		"It’s a good platform, see x.md!":  {"no code": 1, "words of advice": 1, "words of products": 1, "pointers": 1, "documents": 1, "pointer to a document": 1, "file: no code": 1},
		"设置缓存目录的大小并且重启服务":                  {"script without spaces": 1},
	} {
		values := TraitsOf([]Chunk{{What: text}}, opts)[0]
		for i, tr := range Traits() {
			if v, ok := want[tr.Name]; ok && values[i] != v {
				t.Errorf("%q: %s is %v, want %v", text, tr.Name, values[i], v)
			}
		}
	}
}

// TestCopies: the origin of a rule names all files that say it.
func TestCopies(t *testing.T) {
	const rule = "# Shop\n\n- Never edit `api/gen.go` by hand, run `make api` instead.\n"
	for _, all := range []bool{true, false} {
		opts := tree("AGENTS.md", rule, "CLAUDE.md", rule, "GEMINI.md", rule+"\n## 📦 Review process\n\n- Ask a colleague to look at your screenshots before the meeting on Friday.\n", "api/gen.go", "")
		opts.All = all
		chunks, _ := read(t, opts)
		if o := chunks[0].Origin; o.File != "AGENTS.md" || !slices.Equal(o.Also, []string{"CLAUDE.md", "GEMINI.md"}) {
			t.Errorf("the origin is %+v", o)
		}
	}
}
