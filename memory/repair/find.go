package repair

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// Kind is what is wrong with a file.
type Kind string

// The kinds.
const (
	Form      Kind = "form"      // members that this version can't read
	Clock     Kind = "clock"     // times in the future, or from before there was git
	Misplaced Kind = "misplaced" // another folder or name than its content asks for
	SameID    Kind = "same_id"   // the id of another file
	Leftover  Kind = "leftover"  // what an editor or a merge left behind
	Torn      Kind = "torn"      // cut off in the middle, as by a power loss
	Twin      Kind = "twin"      // the words, type and places of another one
	Linked    Kind = "linked"    // a place that is named by a link to it
)

// Fault is a file that can be mended.
type Fault struct {
	Path  string   `json:"path"` // below the memories folder
	Kinds []Kind   `json:"kinds"`
	What  []string `json:"what"` // what is wrong and what becomes of it, a phrase each
	edits []Edit
}

// Edit changes one file. A nil Before means that there is none yet, a nil After that it goes.
type Edit struct {
	Path   string `json:"path"` // below the memories folder
	Before []byte `json:"before,omitzero"`
	After  []byte `json:"after,omitzero"`
}

// Options say where to look.
type Options struct {
	Dir string // the memories folder
	// Kept is the folder for what the files were before.
	Kept  string
	Now   time.Time
	NewID func() (string, error)
	// Last returns the newest version that is known of a memory, nil without one. It may be nil.
	Last func(uuid string) (*file.Memory, error)
	// Real returns the path of what a path below the root leads to through links, and false if that is outside. It may be nil.
	Real func(rel string) (real string, ok bool)
	// Merge returns the next version of a memory that another one of the same words was merged into, or the memory
	// itself if that adds nothing. ok is false if they stay two. It may be nil: then all do.
	Merge func(to, m *file.Memory) (next *file.Memory, ok bool, err error)
}

// skew is how far ahead of this machine's clock another one may be.
const skew = time.Hour

// earliest returns when git began, before which no memory was written: a clock that lost its time begins in 1970, 1980 or 2000.
func earliest() time.Time { return time.Date(2005, time.April, 7, 0, 0, 0, 0, time.UTC) }

// found is a memory file as it was read.
type found struct {
	rel     string
	data    []byte
	m       *file.Memory
	changed bool // m is no longer what data says
	fault   Fault
}

func (f *found) add(k Kind, format string, args ...any) {
	f.fault.Kinds, f.fault.What = append(f.fault.Kinds, k), append(f.fault.What, fmt.Sprintf(format, args...))
}

// Find lists the files that can be mended, by path. It changes nothing. A folder that can't be read
// is left out: reading the memories reports it.
func Find(ctx context.Context, o Options) (out []Fault, err error) {
	c := census{options: o, reader: file.NewReader(o.Dir)}
	defer func() { err = errors.Join(err, c.reader.Close()) }()
	err = filepath.WalkDir(o.Dir, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, rerr := filepath.Rel(o.Dir, name)
		if err != nil || rerr != nil {
			return nil
		}
		rel = filepath.ToSlash(rel)
		switch base := path.Base(rel); {
		case d.IsDir() && rel != "." && strings.HasPrefix(base, "."):
			return fs.SkipDir
		case !d.Type().IsRegular(), base == ".gitignore", atomicfile.IsTemporary(base):
		case leftover(base):
			if f, ok := leftoverFault(name, rel); ok {
				out = append(out, f)
			}
		case path.Ext(base) == ".json" && !strings.HasPrefix(base, "."):
			return c.add(rel)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for memory files to mend: %w", err)
	}
	if err := c.recallShared(); err != nil {
		return nil, err
	}
	if err := o.separate(c.files); err != nil {
		return nil, err
	}
	became, err := o.unite(c.files)
	if err != nil {
		return nil, err
	}
	if err := c.retarget(became); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, s := range c.sound {
		taken[s.rel] = true
	}
	for _, f := range c.files {
		taken[f.rel] = true
	}
	for _, f := range c.files {
		if ok, err := f.plan(taken); err != nil {
			return nil, err
		} else if ok {
			out = append(out, f.fault)
		}
	}
	sorting.Func(out, func(a, b Fault) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// leftover reports whether a file's name is one that editors, merges and systems make.
func leftover(base string) bool {
	switch strings.ToLower(path.Ext(base)) {
	case ".orig", ".rej", ".bak", ".swp", ".swo":
		return true
	}
	return strings.HasSuffix(base, "~") || base == ".DS_Store" || base == "Thumbs.db" || base == "desktop.ini"
}

func leftoverFault(name, rel string) (Fault, bool) {
	data, err := file.ReadBytes(name)
	if err != nil {
		return Fault{}, false
	}
	return Fault{Path: rel, Kinds: []Kind{Leftover}, What: []string{"an editor, a merge or the system left it: removed"},
		edits: []Edit{{Path: rel, Before: present(data)}}}, true
}

// present is data of a file that exists, even if it is empty.
func present(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// read reads a memory file and repairs its form and its times. It returns nil for a file that only a
// person can repair.
func (o Options) read(files *file.Reader, rel string) (*found, error) {
	data, err := files.ReadBytes(rel)
	if err != nil {
		return nil, nil // reading the memories reports it
	}
	name := filepath.Join(o.Dir, filepath.FromSlash(rel))
	f := &found{rel: rel, data: data, fault: Fault{Path: rel}}
	if f.m, err = file.Parse(data); err != nil {
		m, said, err := o.reform(name, rel, data, err)
		if err != nil {
			return nil, err
		}
		if f.m = m; m != nil {
			f.add(Form, "%s", strings.Join(said, ", "))
		} else if err := f.untear(o); err != nil || f.m == nil {
			return nil, err
		}
		f.changed = true
	}
	f.setClock(o.Now, name)
	if personal := strings.Contains(rel, "/personal/"); personal && f.m.Visibility != file.Personal {
		f.m.Visibility, f.changed = file.Personal, true // never the other way round: that would publish it
		f.add(Misplaced, "it lies with the personal ones: made personal")
	}
	f.unlink(o.Real)
	return f, nil
}

// unlink names places by the files themselves, as new memories do: nobody asks for a file by the name of a link to it.
func (f *found) unlink(real func(string) (string, bool)) {
	if real == nil {
		return
	}
	for i := range f.m.Anchors {
		a := &f.m.Anchors[i]
		if to := scope.Real(a.Path, real); !strings.ContainsAny(a.Path, `*?[{\!`) && to != a.Path {
			f.add(Linked, "its place %s is a link's: named %s", a.Path, to)
			a.Path, f.changed = to, true
		}
	}
	for i, p := range f.m.Scope {
		if to := scope.Real(p, real); to != p {
			f.add(Linked, "its scope %s is a link's: named %s", p, to)
			f.m.Scope[i], f.changed = to, true
		}
	}
}

// untear takes the newest known version of a memory if its file is cut off: what was to come, nobody can tell. Broken
// text that is whole may be what a person just wrote, and is left alone.
func (f *found) untear(o Options) error {
	id := strings.TrimSuffix(path.Base(f.rel), ".json")
	if o.Last == nil || !file.ValidUUID(id) || !file.CutOff(f.data) {
		return nil
	}
	m, err := o.Last(id)
	if err != nil || m == nil {
		return err
	}
	f.m = m
	f.add(Torn, "it is cut off: version %d of %s is put back", m.Lineage.Version, m.UpdatedAt.UTC().Format(time.DateTime))
	return nil
}

// setClock replaces times that can't be by the time of the file, or by now.
func (f *found) setClock(now time.Time, name string) {
	can := func(t time.Time) bool { return !t.After(now.Add(skew)) && !t.Before(earliest()) }
	wrong := func(t *file.Time) bool { return t != nil && !t.IsZero() && !can(t.Time) }
	times := []*file.Time{&f.m.CreatedAt, &f.m.UpdatedAt, f.m.Trust.VerifiedAt}
	if !slices.ContainsFunc(times, wrong) {
		return
	}
	to := now
	if st, err := os.Stat(name); err == nil && st.ModTime().Before(now) && can(st.ModTime()) {
		to = st.ModTime()
	}
	var was []time.Time
	written := to
	if u := f.m.UpdatedAt.Time; can(u) && u.Before(written) {
		written = u
	}
	for i, t := range times {
		if !wrong(t) {
			continue
		}
		was, t.Time = append(was, t.Time), to
		if i == 0 {
			t.Time = written
		}
	}
	if f.m.UpdatedAt.Before(f.m.CreatedAt.Time) {
		f.m.UpdatedAt = f.m.CreatedAt
	}
	how := "ahead"
	if was[0].Before(now) {
		how = "behind"
	}
	f.changed = true
	f.add(Clock, "the clock that wrote it was %s, at %s: the time of the file is taken", how, was[0].UTC().Format(time.DateTime))
}

// separate gives files with one id ids of their own, or drops a repeated one.
func (o Options) separate(files []*found) error {
	byID := map[string][]*found{}
	for _, f := range files {
		byID[f.m.UUID] = append(byID[f.m.UUID], f)
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		same := byID[id]
		sorting.StableFunc(same, func(a, b *found) int { // a shared one first: others know it by its id
			return cmp.Or(file.TrueFirst(a.m.Visibility != file.Personal, b.m.Visibility != file.Personal), cmp.Compare(b.m.Lineage.Version, a.m.Lineage.Version), b.m.UpdatedAt.Compare(a.m.UpdatedAt.Time),
				cmp.Compare(atHome(b), atHome(a)), strings.Compare(a.rel, b.rel))
		})
		// The newest version goes where the memory belongs, if an older one is there.
		if i := slices.IndexFunc(same, func(f *found) bool { return atHome(f) == 1 }); i > 0 && saysSame(same[0].m, same[i].m) {
			same[i].changed = same[i].changed || !bytes.Equal(same[0].data, same[i].data)
			same[0].m, same[i].m = same[i].m, same[0].m
			same[0], same[i] = same[i], same[0]
		}
		for n, other := range same[1:] {
			if i := slices.IndexFunc(same[:n+1], func(f *found) bool { return f.m != nil && saysSame(f.m, other.m) }); i >= 0 {
				other.m = nil
				other.add(SameID, "the same memory is in %s: removed", same[i].rel)
				continue
			}
			id, err := o.NewID()
			if err != nil {
				return err
			}
			other.m.UUID, other.changed = id, true
			other.add(SameID, "%s has its id: it gets one of its own, %s", same[0].rel, id)
		}
	}
	return nil
}

// TwinKey is equal for memories of one type that say the same about the same place.
func TwinKey(m *file.Memory) string { return string(m.Type) + " " + m.DedupeKey() }

// OlderTwin orders memories that say the same: the one that is kept comes first, the same in every clone. A shared one is
// kept, since others know it by its id, and of several the oldest.
func OlderTwin(a, b *file.Memory) int {
	return cmp.Or(file.TrueFirst(a.Visibility != file.Personal, b.Visibility != file.Personal), a.CreatedAt.Compare(b.CreatedAt.Time), strings.Compare(a.UUID, b.UUID))
}

// unite merges memories that say the same, word for word, into the oldest of them.
// It returns what they became, by id.
func (o Options) unite(files []*found) (map[string]string, error) {
	if o.Merge == nil {
		return nil, nil
	}
	byKey := map[string][]*found{}
	for _, f := range files {
		if f.m != nil {
			key := TwinKey(f.m)
			byKey[key] = append(byKey[key], f)
		}
	}
	became := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		same := byKey[key]
		if len(same) < 2 {
			continue
		}
		sorting.StableFunc(same, func(a, b *found) int { return OlderTwin(a.m, b.m) })
		kept := same[0]
		for _, f := range same[1:] {
			next, ok, err := o.Merge(kept.m, f.m)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if next != kept.m {
				kept.changed, kept.m = true, next
				kept.add(Twin, "%s says the same, word for word: what it has more is added", f.rel)
			}
			became[f.m.UUID], f.m = kept.m.UUID, nil
			f.add(Twin, "%s says the same, word for word: merged into it", kept.rel)
		}
	}
	return became, nil
}

// retarget has the relations of a memory name what the others became.
func (f *found) retarget(became map[string]string) {
	for i := range f.m.Relations {
		if to := became[f.m.Relations[i].Memory]; to != "" && to != f.m.UUID {
			m := f.m.Clone()
			m.Relations[i].Memory = to
			f.m, f.changed = m, true
			f.add(Twin, "its relation names the memory that the other one was merged into")
		}
	}
}

func atHome(f *found) int {
	if f.rel == f.m.Home(f.rel) {
		return 1
	}
	return 0
}

// saysSame reports whether two versions of a memory tell the same. What was only counted or dated
// differently is no difference.
func saysSame(a, b *file.Memory) bool {
	text := func(m *file.Memory) string {
		c := m.Clone()
		data, err := json.Marshal([]any{c.Type, c.What, c.Why, c.Scope, c.Anchors, c.Tags, c.Visibility}, json.Deterministic(true))
		if err != nil {
			return c.UUID
		}
		return string(data)
	}
	return text(a) == text(b)
}

// Replace is the fault of a file that becomes another one, whose path may be the same.
func Replace(rel string, before []byte, to string, after []byte) Fault {
	f := Fault{Path: rel, edits: []Edit{{Path: rel, Before: present(before), After: after}}}
	if to != rel {
		// The new file comes first: if the second step fails, nothing is lost.
		f.edits = []Edit{{Path: to, After: after}, {Path: rel, Before: present(before)}}
	}
	return f
}

// plan makes the edits of a file; ok is false if there is nothing to do. taken are the paths of all
// files, which plan updates.
func (f *found) plan(taken map[string]bool) (ok bool, err error) {
	if f.m == nil {
		f.fault.edits = []Edit{{Path: f.rel, Before: present(f.data)}}
		return true, nil
	}
	want := f.m.Home(f.rel)
	if want != f.rel {
		if taken[want] {
			return false, nil // two claims on one place: reading the memories reports it
		}
		taken[want] = true
		f.add(Misplaced, "its place is %s: moved", want)
	} else if !f.changed {
		return false, nil
	}
	after := f.data
	if f.changed {
		if after, err = f.m.Marshal(); err != nil {
			return false, err
		}
	}
	if want == f.rel {
		if bytes.Equal(after, f.data) {
			return false, nil
		}
	}
	f.fault.edits = Replace(f.rel, f.data, want, after).edits
	return true, nil
}
