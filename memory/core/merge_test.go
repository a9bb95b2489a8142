package core

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/memory/file"
)

func at(day int) file.Time { return file.At(time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC)) }

func TestMerge(t *testing.T) {
	base := Document{Format: 1, Summary: "A shop", Focus: "carts", Conventions: []string{"Use pnpm", "No ORM"}, Version: 3, UpdatedBy: "ana", UpdatedAt: at(1)}
	ours := base
	ours.Conventions, ours.Focus, ours.Version, ours.UpdatedBy, ours.UpdatedAt = []string{"Use pnpm", "No ORM", "Errors are wrapped"}, "orders", 4, "bob", at(2)
	theirs := base
	theirs.Conventions, theirs.Focus, theirs.Notes, theirs.Version, theirs.UpdatedBy, theirs.UpdatedAt = []string{"No ORM", "Amounts are cents"}, "invoices", "Redis must run", 5, "cid", at(3)

	got := Merge(base, ours, theirs)
	want := Document{Format: 1, Summary: "A shop", Focus: "invoices", Notes: "Redis must run", Conventions: []string{"No ORM", "Amounts are cents", "Errors are wrapped"}, Version: 6, UpdatedBy: "cid", UpdatedAt: at(3),
		Undecided: []Undecided{{Focus, "orders", "bob", at(2)}}}
	if !got.says(want) || got.Version != want.Version || got.UpdatedBy != want.UpdatedBy {
		t.Errorf("merged %+v, want %+v", got, want)
	}
	if got.Set(Focus, "invoices"); len(got.Undecided) > 0 {
		t.Errorf("after somebody said the focus: %+v", got.Undecided)
	}
	if len(ours.Undecided)+len(theirs.Undecided) > 0 || len(base.Conventions) != 2 {
		t.Error("a side was changed")
	}

	// One side removes what the other changes: the change stays.
	gone := base
	gone.Focus, gone.Version, gone.UpdatedAt = "", 4, at(9)
	if got := Merge(base, gone, ours); got.Focus != "orders" || len(got.Undecided) > 0 {
		t.Errorf("removed and changed: %+v", got)
	}
}

// TestMergeLosesNothing: whatever two sides do, the merge commutes, is stable, and each text that a side says and base does
// not is in it.
func TestMergeLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"", "one", "two", "three", "four"}
	pick := func() string { return words[r.IntN(len(words))] }
	change := func(d Document, day int, by string) Document {
		d.Conventions = slices.Clone(d.Conventions)
		for range r.IntN(4) {
			switch p := Parts()[r.IntN(len(Parts()))]; {
			case p != Convention:
				d.Set(p, pick())
			case r.IntN(2) == 0 && len(d.Conventions) > 0:
				d.Conventions = d.Conventions[1:]
			default:
				if w := pick(); w != "" {
					d.Set(p, w)
				}
			}
			d.Version, d.UpdatedBy, d.UpdatedAt = d.Version+1, by, at(day)
		}
		return d
	}
	for range 500 {
		base := change(Document{Format: 1, Version: 1, UpdatedAt: at(1)}, 1, "ana")
		a, b := change(base, 2+r.IntN(2), "bob"), change(base, 2+r.IntN(2), "cid")
		got, other := Merge(base, a, b), Merge(base, b, a)
		x, err := got.encode()
		if err != nil {
			t.Fatal(err)
		}
		if y, _ := other.encode(); !bytes.Equal(x, y) {
			t.Fatalf("of %+v:\n%+v and\n%+v merge to\n%s and\n%s", base, a, b, x, y)
		}
		if again := Merge(base, got, b); !again.says(got) {
			t.Fatalf("merged again with a side: %+v, was %+v", again, got)
		}
		for _, side := range []Document{a, b} {
			for _, p := range Parts() {
				if text := side.Text(p); text != "" && text != base.Text(p) && !strings.Contains(string(x), `"`+text+`"`) {
					t.Fatalf("%s %q of %+v is not in %s", p, text, side, x)
				}
			}
			for _, c := range side.Conventions {
				if !slices.Contains(base.Conventions, c) && !slices.Contains(got.Conventions, c) {
					t.Fatalf("convention %q of %+v is not in %s", c, side, x)
				}
			}
		}
	}
}

func TestReadMarkers(t *testing.T) {
	const text = `{
  "format": 1,
  "project_summary": "A shop",
<<<<<<< HEAD
  "active_focus": "orders",
  "version": 2,
  "updated_by": "bob",
  "updated_at": "2026-05-02T00:00:00Z"
=======
  "notes": "Redis must run",
  "version": 2,
  "updated_by": "cid",
  "updated_at": "2026-05-03T00:00:00Z"
>>>>>>> other
}
`
	d, err := parse([]byte(text))
	if err != nil || !d.Marked || d.Summary != "A shop" || d.Focus != "orders" || d.Notes != "Redis must run" {
		t.Errorf("read %+v, %v", d, err)
	}
	if _, err := parse([]byte(strings.Replace(text, "=======\n", "", 1))); err == nil {
		t.Error("markers that are not in order were read")
	}
}

func TestMergeFiles(t *testing.T) {
	d, data, err := MergeFiles(nil, []byte(`{"format":1,"project_summary":"A","version":1,"updated_at":"2026-05-02T00:00:00Z","mood":"x"}`), []byte(`{"format":1,"notes":"B","version":1,"updated_at":"2026-05-03T00:00:00Z"}`))
	if err != nil || d.Summary != "A" || d.Notes != "B" || !strings.Contains(string(data), `"mood": "x"`) {
		t.Errorf("of two that both sides began: %+v, %v\n%s", d, err, data)
	}
	if _, _, err := MergeFiles(nil, []byte("{"), []byte("{}")); err == nil {
		t.Error("a side that is no document was merged")
	}
	for path, want := range map[string]bool{".manicule/core.json": true, "a/.manicule/core.codex.json": true, ".manicule/sessions/x.json": false, "corex.json": false} {
		if IsFile(path) != want {
			t.Errorf("IsFile(%q) = %v", path, !want)
		}
	}
}
