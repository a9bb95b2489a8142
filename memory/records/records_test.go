package records_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/memorytest"
	"manicule/memory/record"
	"manicule/memory/records"
)

// key is a secret as the rules know them.
const key = "ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"

func newList(t *testing.T) *records.List {
	t.Helper()
	w, _ := memorytest.Open(t, memorytest.Folder(t, nil))
	return records.Of(w)
}

func put(t *testing.T, list *records.List, r record.Record) record.Record {
	t.Helper()
	now, err := list.Put(t.Context(), r, false)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return now
}

// TestPut: a record with the name of an earlier one is its next version, but for touchstones.
func TestPut(t *testing.T) {
	list := newList(t)
	slot := record.Record{Kind: record.Identity, Agent: "codex", Name: "persona", Content: record.Content("terse"), Tags: []string{"style"}}
	with := func(r record.Record, change func(*record.Record)) record.Record { change(&r); return r }
	talk := record.Record{Kind: record.Conversation, Name: "retries", Content: record.Content("how often")}
	fact := record.Record{Kind: record.Touchstone, Name: "the queue is old", Content: record.Content("since 2019")}
	lineages := map[string]string{} // of records that have a name here
	known := map[string]bool{}
	for _, tt := range []struct {
		why   string
		r     record.Record
		like  string // whose lineage it has, "" for a new one
		as    string // how later rows name it
		at    int    // its version
		tags  []string
		owner string
	}{
		{"a slot", slot, "", "persona", 1, []string{"style"}, memorytest.User},
		{"a slot that says the same", with(slot, func(r *record.Record) { r.Tags = nil }), "persona", "", 1, []string{"style"}, memorytest.User},
		{"white space in its name", with(slot, func(r *record.Record) { r.Name, r.Content, r.Tags = " persona\n", record.Content("kind"), nil }), "persona", "", 2, []string{"style"}, memorytest.User},
		{"other tags", with(slot, func(r *record.Record) { r.Content, r.Tags = record.Content("kind"), []string{"voice"} }), "persona", "", 3, []string{"voice"}, memorytest.User},
		{"the slot of another agent", with(slot, func(r *record.Record) { r.Agent = "gemini" }), "", "", 1, []string{"style"}, memorytest.User},
		{"another author", with(slot, func(r *record.Record) { r.Content, r.Author = record.Content("calm"), "codex" }), "persona", "", 4, []string{"style"}, "codex"},
		{"a conversation", talk, "", "retries", 1, nil, memorytest.User},
		{"the conversation again", with(talk, func(r *record.Record) { r.Content = record.Content("three times") }), "retries", "", 2, nil, memorytest.User},
		{"a touchstone", fact, "", "fact", 1, nil, memorytest.User},
		{"a touchstone with the same name", fact, "", "", 1, nil, memorytest.User},
	} {
		now := put(t, list, tt.r)
		if now.Version != tt.at || now.Author != tt.owner || !slices.Equal(now.Tags, tt.tags) {
			t.Errorf("%s: version %d by %q with %q, want version %d by %q with %q", tt.why, now.Version, now.Author, now.Tags, tt.at, tt.owner, tt.tags)
		}
		if tt.like != "" && now.Lineage != lineages[tt.like] || tt.like == "" && known[now.Lineage] {
			t.Errorf("%s: the lineage is %s, of %v", tt.why, now.Lineage, lineages)
		}
		known[now.Lineage] = true
		if tt.as != "" {
			lineages[tt.as] = now.Lineage
		}
	}
}

func TestPutRefuses(t *testing.T) {
	list := newList(t)
	for _, tt := range []struct {
		r     record.Record
		agent bool
		code  gate.Code
		says  string
	}{
		{record.Record{Kind: record.Identity, Content: record.Content("x")}, false, gate.Malformed, "needs a name"},
		{record.Record{Kind: record.Identity, Name: " \n"}, false, gate.Malformed, "needs a name"},
		{record.Record{Kind: record.Work, Name: "x"}, false, gate.Malformed, "unknown kind"},
		{record.Record{Kind: record.Entry}, false, gate.Malformed, "needs its conversation"},
		{record.Record{Kind: record.Touchstone, Name: "key", Content: record.Content(key)}, false, gate.Secret, "secret"},
		{record.Record{Kind: record.Identity, Name: "role", Agent: key}, false, gate.Secret, "secret"},
		{record.Record{Kind: record.Touchstone, Name: "x", Tainted: true}, true, gate.Injection, "text from outside"},
	} {
		_, err := list.Put(t.Context(), tt.r, tt.agent)
		r, ok := errors.AsType[*gate.Rejection](err)
		if !ok || r.Code != tt.code || !strings.Contains(r.Reason, tt.says) || r.Hint == "" {
			t.Errorf("%+v: %v, want %s: %s", tt.r, err, tt.code, tt.says)
		}
	}
	if now, err := list.Put(t.Context(), record.Record{Kind: record.Touchstone, Name: "x", Tainted: true}, false); err != nil || !now.Tainted {
		t.Errorf("of a person: %+v, %v", now, err)
	}
}

func TestPutNeedsSetUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	must.Mkdir(t, dir)
	w, _ := memorytest.Open(t, dir)
	_, err := records.Of(w).Put(t.Context(), record.Record{Kind: record.Touchstone, Name: "x"}, false)
	if u, ok := errors.AsType[*memory.UserError](err); !ok || !strings.Contains(u.Hint, "manicule init") {
		t.Errorf("%v", err)
	}
}

func TestAppend(t *testing.T) {
	list := newList(t)
	talk := put(t, list, record.Record{Kind: record.Conversation, Agent: "codex", Name: "retries", Content: record.Content("how often")})
	fact := put(t, list, record.Record{Kind: record.Touchstone, Name: "the queue is old"})
	for _, tt := range []struct {
		id, typ, name string
		want          string // its type, "" if it is refused
		says          string
	}{
		{talk.Lineage, "", "", "message", ""},
		{record.ShortLineage(talk.Lineage), "decision", "a name is dropped", "decision", ""},
		{talk.Lineage, "rumour", "", "", "unknown type"},
		{fact.Lineage, "", "", "", "no conversation"},
		{"ffffffff", "", "", "", "no record has the id"},
		{"x", "", "", "", "too short"},
	} {
		now, err := list.Append(t.Context(), tt.id, record.Record{Type: tt.typ, Name: tt.name, Content: record.Content("three times")}, true)
		if tt.want == "" {
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%+v: %v", tt, err)
			}
			continue
		}
		if err != nil || now.Kind != record.Entry || now.Type != tt.want || now.Parent != talk.Lineage || now.Agent != "codex" || now.Name != "" {
			t.Errorf("%+v: %+v, %v", tt, now, err)
		}
	}
}

func TestGet(t *testing.T) {
	list := newList(t)
	var first record.Record
	for i := range 3 {
		now := put(t, list, record.Record{Kind: record.Identity, Name: "persona", Content: record.Content(fmt.Sprintf("version %d", i+1))})
		if i == 0 {
			first = now
		}
	}
	other := put(t, list, record.Record{Kind: record.Touchstone, Name: "x"})
	shared := 0 // how many characters both ids begin with
	for shared < len(other.Lineage) && other.Lineage[shared] == first.Lineage[shared] {
		shared++
	}
	for _, tt := range []struct {
		id   string
		want []string
		err  error
	}{
		{first.Lineage, []string{"version 3", "version 2", "version 1"}, nil},
		{record.ShortLineage(first.Lineage), []string{"version 3", "version 2", "version 1"}, nil},
		{first.Lineage[:shared], nil, memory.ErrAmbiguous},
		{"ffffffff", nil, memory.ErrNotFound},
	} {
		versions, err := list.Get(t.Context(), tt.id)
		var got []string
		for _, r := range versions {
			got = append(got, r.Text())
		}
		if !errors.Is(err, tt.err) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q, %v", tt.id, got, err, tt.want, tt.err)
		}
		if u, ok := errors.AsType[*memory.UserError](err); tt.err != nil && (!ok || u.Hint == "") {
			t.Errorf("%s: %v has no hint", tt.id, err)
		}
	}
}
