package file_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory/file"
)

func versioned(what string, minute int, edit func(*file.Memory)) *file.Memory {
	at := time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC)
	m := &file.Memory{Format: 1, UUID: "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", Type: file.Gotcha, Layer: file.AreaContext, What: what,
		Scope: file.Scope{"src/**"}, Tags: []string{"auth", "redis"}, Visibility: file.Project, Importance: file.Medium, Confidence: .9,
		Trust:   file.Trust{Origin: file.UserTaught},
		Lineage: file.Lineage{Version: 1 + minute, ChangeKind: "edit"}, CreatedAt: file.At(at.Add(-time.Duration(minute) * time.Minute)), UpdatedAt: file.At(at)}
	if edit != nil {
		edit(m)
	}
	return m
}

func mustMerge(t *testing.T, base, a, b *file.Memory) *file.Memory {
	t.Helper()
	m, err := file.Merge(base, a, b)
	must.OK(t, err)
	other, err := file.Merge(base, b, a)
	must.OK(t, err)
	if x, y := text(t, m), text(t, other); x != y {
		t.Fatalf("the order of the sides matters:\n%s\n%s", x, y)
	}
	must.OK(t, m.Validate())
	return m
}

func text(t *testing.T, m *file.Memory) string {
	t.Helper()
	b, err := m.Marshal()
	must.OK(t, err)
	return string(b)
}

func TestMerge(t *testing.T) {
	base := func() *file.Memory { return versioned("Close the pool first", 0, nil) }
	at := file.At(time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC))
	tests := map[string]struct {
		a, b  *file.Memory
		check func(t *testing.T, m *file.Memory)
	}{
		"one side changed the text, the other the tags": {
			versioned("Close the pool before the server", 1, nil),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Tags = []string{"redis", "pool"} }),
			func(t *testing.T, m *file.Memory) {
				if m.What != "Close the pool before the server" || !slices.Equal(m.Tags, []string{"redis", "pool"}) || len(m.Conflict) != 0 {
					t.Errorf("%q %q %v", m.What, m.Tags, m.Conflict)
				}
			},
		},
		"both added tags": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Tags = []string{"auth", "redis", "one"} }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Tags = []string{"auth", "two"} }),
			func(t *testing.T, m *file.Memory) {
				if !slices.Equal(m.Tags, []string{"auth", "two", "one"}) {
					t.Errorf("%q", m.Tags)
				}
			},
		},
		"both changed the text": {
			versioned("Close the pool last", 1, func(m *file.Memory) { m.Contributor = "ann" }),
			versioned("Never close the pool", 2, func(m *file.Memory) { m.Contributor = "ben" }),
			func(t *testing.T, m *file.Memory) {
				if m.What != "Never close the pool" || len(m.Conflict) != 1 || m.Conflict[0].What != "Close the pool last" || m.Conflict[0].Contributor != "ann" {
					t.Errorf("%q %+v", m.What, m.Conflict)
				}
			},
		},
		"both made the same change": {
			versioned("Never close the pool", 1, nil),
			versioned("Never close the pool", 2, nil),
			func(t *testing.T, m *file.Memory) {
				if len(m.Conflict) != 0 {
					t.Errorf("%+v", m.Conflict)
				}
			},
		},
		"confirmed here, disputed there": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Trust.VerifiedBy, m.Trust.VerifiedAt = "ann", &at }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Trust.DisputedBy, m.Trust.DisputedAt = "ben", &at }),
			func(t *testing.T, m *file.Memory) {
				if m.Trust.VerifiedBy != "ann" || m.Trust.DisputedBy != "ben" {
					t.Errorf("%+v", m.Trust)
				}
			},
		},
		"the more careful weight": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Confidence, m.Importance, m.Trust.Tainted = .4, file.Low, true }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Confidence, m.Importance = .7, file.High }),
			func(t *testing.T, m *file.Memory) {
				if m.Confidence != .4 || m.Importance != file.High || !m.Trust.Tainted {
					t.Errorf("%v %v %v", m.Confidence, m.Importance, m.Trust.Tainted)
				}
			},
		},
		"anchors of both": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Anchors = []anchor.Anchor{{Path: "a.go", Symbol: "F"}} }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Anchors = []anchor.Anchor{{Path: "b.go", Symbol: "G"}} }),
			func(t *testing.T, m *file.Memory) {
				if len(m.Anchors) != 2 {
					t.Errorf("%+v", m.Anchors)
				}
			},
		},
		"the whole project or a folder": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Scope = nil }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Scope = file.Scope{"src/db/**"} }),
			func(t *testing.T, m *file.Memory) {
				if len(m.Conflict) != 1 || m.Scope == nil {
					t.Errorf("%q %+v", m.Scope, m.Conflict)
				}
			},
		},
		"each removes the other's pattern": {
			versioned("Close the pool first", 1, func(m *file.Memory) { m.Scope = file.Scope{"a/**"} }),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Scope = file.Scope{"b/**"} }),
			func(t *testing.T, m *file.Memory) {
				if !slices.Equal(m.Scope, []string{"b/**", "a/**"}) {
					t.Errorf("%q", m.Scope)
				}
			},
		},
		"a confirmation of words that were changed": {
			versioned("Close the pool before the server", 1, nil),
			versioned("Close the pool first", 2, func(m *file.Memory) { m.Trust.VerifiedBy, m.Trust.VerifiedAt = "ann", &at }),
			func(t *testing.T, m *file.Memory) {
				if m.What != "Close the pool before the server" || m.Trust.VerifiedBy != "" {
					t.Errorf("%q %+v", m.What, m.Trust)
				}
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := mustMerge(t, base(), test.a, test.b)
			test.check(t, m)
			again := mustMerge(t, base(), m, test.a)
			if text(t, again) != text(t, m) {
				t.Errorf("merged with a side again it is another:\n%s\n%s", text(t, m), text(t, again))
			}
		})
	}
}

// TestMergeOfResolutions: what was narrowed to nothing does not become the whole
// project, and two people who decided differently have the conflict again.
func TestMergeOfResolutions(t *testing.T) {
	narrow := func(minute int, scope ...string) *file.Memory {
		return versioned("Close the pool first", minute, func(m *file.Memory) { m.Scope = scope })
	}
	if m := mustMerge(t, narrow(0, "a/**", "b/**"), narrow(1, "a/**"), narrow(2, "b/**")); len(m.Scope) != 1 || len(m.Conflict) != 1 {
		t.Errorf("%q %+v", m.Scope, m.Conflict)
	}
	both := versioned("Close the pool first", 0, func(m *file.Memory) {
		m.Conflict = []file.Version{{Type: file.Gotcha, What: "Close the pool last", Scope: m.Scope, UpdatedAt: m.UpdatedAt}}
	})
	for _, newer := range []int{1, 3} {
		m := mustMerge(t, both, versioned("Close the pool first", newer, nil), versioned("Close the pool last", 2, nil))
		if len(m.Conflict) != 1 {
			t.Errorf("the newer at %d: %q, %+v", newer, m.What, m.Conflict)
		}
	}
	if m := mustMerge(t, nil, versioned("x y", 1, func(m *file.Memory) { m.Confidence, m.Trust.Origin = .2, "" }), versioned("x y", 2, nil)); m.Confidence != .2 || m.Trust.Origin != "" {
		t.Errorf("without a base: %v %q", m.Confidence, m.Trust.Origin)
	}
}

// TestMergeOfEditsOneByOne: a rebase merges the edits of an author one after the other. What the author replaced is not open
// beside what it was replaced by, whichever side is newer.
func TestMergeOfEditsOneByOne(t *testing.T) {
	for _, upstream := range []int{1, 9} {
		start := versioned("in 30 seconds", 0, nil)
		theirs := versioned("in 60 seconds", upstream, nil)
		was := start
		for i, words := range []string{"in 40 seconds", "in 50 seconds", "in 55 seconds"} {
			edit := versioned(words, 2+i, nil)
			theirs, was = mustMerge(t, was, theirs, edit), edit
			said := map[string]bool{theirs.What: true}
			for _, v := range theirs.Conflict {
				said[v.What] = true
			}
			if len(theirs.Conflict) != 1 || !said[words] || !said["in 60 seconds"] {
				t.Errorf("upstream at %d, after %q: %q, %+v", upstream, words, theirs.What, theirs.Conflict)
			}
		}
	}
}

// TestMergeOfAnotherMember: the author's second edit changes another member than the words. What upstream says stays a version
// beside all that the author says, and neither is mixed with the other.
func TestMergeOfAnotherMember(t *testing.T) {
	const words, upstream = "in 40 seconds", "in 60 seconds"
	for name, change := range map[string]func(*file.Memory){
		"why":   func(m *file.Memory) { m.Why = "because of the proxy" },
		"scope": func(m *file.Memory) { m.Scope = file.Scope{"x/**"} },
	} {
		for _, minute := range []int{1, 9} {
			first := versioned(words, 2, nil)
			merged := mustMerge(t, versioned("in 30 seconds", 0, nil), versioned(upstream, minute, nil), first)
			second := versioned(words, 3, change)
			merged = mustMerge(t, first, merged, second)
			versions := merged.Versions()
			if len(versions) != 2 {
				t.Fatalf("%s, upstream at %d: %+v", name, minute, versions)
			}
			for _, v := range versions {
				mine := v.What == words
				if !mine && v.What != upstream || mine != (v.Why == second.Why && slices.Equal(v.Scope, second.Scope)) {
					t.Errorf("%s, upstream at %d: %+v", name, minute, versions)
				}
			}
		}
	}
}

func TestMergeRefusesAnotherMemory(t *testing.T) {
	b := versioned("x", 1, func(m *file.Memory) { m.UUID = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12" })
	if _, err := file.Merge(nil, versioned("x", 1, nil), b); err == nil {
		t.Error("two memories were merged into one")
	}
}

// TestMergeLosesNothing plays edits in three clones that merge with each other in any
// order: each text that somebody wrote is in the end the memory's, in its conflict,
// or was replaced by somebody who had it before them.
func TestMergeLosesNothing(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		base := versioned("start", 0, nil)
		clones := []*file.Memory{base.Clone(), base.Clone(), base.Clone()}
		seen := []map[string]bool{{}, {}, {}} // what a clone's history has
		replaced := map[string]bool{}
		clock := 1
		edit := func(i int) {
			m, err := successor(clones[i])
			must.OK(t, err)
			clock++
			m.UpdatedAt = file.At(time.Date(2026, 3, 1, 9, clock, 0, 0, time.UTC))
			replaced[m.What] = true
			m.What = fmt.Sprintf("text %d of clone %d", clock, i)
			seen[i][m.What] = true
			m.Tags = append(m.Tags, fmt.Sprintf("t%d", clock))
			clones[i] = m
		}
		for range 2 + r.IntN(4) {
			edit(r.IntN(3))
		}
		order := r.Perm(3)
		m := mustMerge(t, base, clones[order[0]], clones[order[1]])
		m = mustMerge(t, base, m, clones[order[2]])
		for i := range clones {
			for said := range seen[i] {
				if replaced[said] {
					continue
				}
				kept := m.What == said || slices.ContainsFunc(m.Conflict, func(v file.Version) bool { return v.What == said })
				if !kept {
					t.Fatalf("seed %d: %q is lost: %s", seed, said, text(t, m))
				}
			}
			for _, tag := range clones[i].Tags {
				if !slices.Contains(m.Tags, tag) {
					t.Fatalf("seed %d: the tag %s is lost", seed, tag)
				}
			}
		}
	}
}

func successor(old *file.Memory) (*file.Memory, error) {
	hash, err := old.Hash()
	if err != nil {
		return nil, err
	}
	m := old.Clone()
	m.Lineage.Version, m.Lineage.Parent, m.Lineage.ChangeKind = old.Lineage.Version+1, hash, "edit"
	return m, nil
}

func TestReadConflictMarkers(t *testing.T) {
	ours := text(t, versioned("Close the pool last", 1, nil))
	theirs := text(t, versioned("Never close the pool", 2, func(m *file.Memory) { m.Tags = []string{"auth", "redis", "pool"} }))
	base := text(t, versioned("Close the pool first", 0, nil))
	tests := map[string]struct {
		data string
		ok   bool
	}{
		"whole files":       {"<<<<<<< HEAD\n" + ours + "=======\n" + theirs + ">>>>>>> topic\n", true},
		"with the base":     {"<<<<<<< HEAD\n" + ours + "||||||| 3f2a1c\n" + base + "=======\n" + theirs + ">>>>>>> topic\n", true},
		"Windows line ends": {strings.ReplaceAll("<<<<<<< HEAD\n"+ours+"=======\n"+theirs+">>>>>>> topic\n", "\n", "\r\n"), true},
		"an end is missing": {"<<<<<<< HEAD\n" + ours + "=======\n" + theirs, true},
		"a side is torn":    {"<<<<<<< HEAD\n" + ours[:40] + "\n=======\n" + theirs + ">>>>>>> topic\n", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir() + "/m.json"
			must.Write(t, path, test.data)
			m, err := file.Read(path)
			if (err == nil) != test.ok {
				t.Fatalf("read: %v", err)
			}
			if err == nil && (m.What != "Never close the pool" || len(m.Conflict) != 1 || m.Conflict[0].What != "Close the pool last") {
				t.Errorf("%s", text(t, m))
			}
		})
	}
}

// TestMergeAfterCherryPick: who picks one commit of another's takes what it changed. The words that the
// picked version had before are not replaced by that, and come back with the whole branch.
func TestMergeAfterCherryPick(t *testing.T) {
	next := func(m *file.Memory, minute int, what, tag string) *file.Memory {
		t.Helper()
		out, err := successor(m)
		must.OK(t, err)
		out.UpdatedAt = file.At(time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC))
		if what != "" {
			out.What = what
		}
		if tag != "" {
			out.Tags = append(out.Tags, tag)
		}
		return out
	}
	base := versioned("Close the pool first", 0, nil)
	words := next(base, 1, "Close the pool before the server", "")
	tagged := next(words, 3, "", "shutdown")
	mine := next(base, 2, "Close the pool last", "")
	picked := mustMerge(t, words, tagged, mine) // the base is the picked commit's parent
	if picked.What != mine.What || len(picked.Conflict) > 0 || !slices.Contains(picked.Tags, "shutdown") {
		t.Fatalf("picked: %s", text(t, picked))
	}
	whole := mustMerge(t, base, picked, tagged)
	if !slices.ContainsFunc(whole.Versions(), func(v file.Version) bool { return v.What == words.What }) {
		t.Errorf("the words of the branch are lost: %s", text(t, whole))
	}
	if again := mustMerge(t, base, whole, tagged); text(t, again) != text(t, whole) {
		t.Errorf("merged again it is another: %s", text(t, again))
	}

	// The same holds for a version beside the picked words.
	torn := mustMerge(t, base, words, next(base, 4, "Close the pool in the handler", ""))
	decided := next(torn, 5, "Close the pool in main", "")
	picked = mustMerge(t, torn, decided, mine)
	whole = mustMerge(t, base, picked, decided)
	if !slices.ContainsFunc(whole.Versions(), func(v file.Version) bool { return v.What == words.What }) {
		t.Errorf("a version of the branch is lost: %s", text(t, whole))
	}
}

// TestWordsKeepTheirAuthor: who changes the tags of another's words, or merges them, is not taken for their author.
func TestWordsKeepTheirAuthor(t *testing.T) {
	next := func(m *file.Memory, minute int, by, what, tag string) *file.Memory {
		t.Helper()
		out, err := successor(m)
		must.OK(t, err)
		out.UpdatedAt, out.Lineage.By = file.At(time.Date(2026, 3, 1, 9, minute, 0, 0, time.UTC)), by
		if what != "" {
			out.What = what
		}
		if tag != "" {
			out.Tags = append(out.Tags, tag)
		}
		file.KeepAuthor(out, m)
		return out
	}
	authors := func(m *file.Memory) (out string) {
		for _, v := range m.Versions() {
			out += v.What + ": " + v.Contributor + "\n"
		}
		return out
	}
	base := versioned("Close the pool first", 0, nil)
	ada := next(base, 1, "Ada", "Close the pool last", "")
	bob := next(base, 2, "Bob", "Never close the pool", "")
	tagged := next(bob, 3, "Cem", "", "pool")
	want := "Never close the pool: Bob\nClose the pool last: Ada\n"
	torn := mustMerge(t, base, ada, tagged)
	if got := authors(torn); got != want {
		t.Errorf("tagged before the merge:\n%s", got)
	}
	if got := authors(next(torn, 4, "Ada", "", "after")); got != want {
		t.Errorf("tagged after the merge:\n%s", got)
	}
	decided := next(torn, 5, "Cem", "Close the pool last", "")
	decided.Conflict = nil
	if got := authors(decided); got != "Close the pool last: Ada\n" {
		t.Errorf("decided by another:\n%s", got)
	}
	if got := authors(next(decided, 6, "Cem", "Close the pool in main", "")); got != "Close the pool in main: Cem\n" {
		t.Errorf("new words:\n%s", got)
	}
	// One side's words and the other's later tags.
	if got := authors(mustMerge(t, base, ada, next(base, 7, "Bob", "", "late"))); got != "Close the pool last: Ada\n" {
		t.Errorf("words and tags:\n%s", got)
	}
}
