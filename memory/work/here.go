package work

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/file"
)

// Env is the environment variable in which a host names the unit under way, such as ABC-123 or
// mission:payments. "none" says that there is none.
const Env = "MANICULE_WORK"

// None is what a writer names for no unit at all.
const None = "none"

// fileName is the file of the units that are not over. It is made from their records, for readers that
// have no time for a database.
const fileName = "work.json"

// File is the file of the units that are not over, in all workspaces of a repository.
func File(p *workspace.Workspace) string { return filepath.Join(p.StateDir(), fileName) }

// Load reads the units of a workspace that are not over, the latest changed first. A file that can't be read has
// none.
func Load(p *workspace.Workspace) []Unit {
	return readAll(p)[p.GitPrefix()]
}

func readAll(p *workspace.Workspace) map[string][]Unit {
	out := map[string][]Unit{}
	data, err := treefile.ReadMade(File(p))
	if err != nil || json.Unmarshal(data, &out) != nil {
		return map[string][]Unit{}
	}
	return out
}

// Save writes the units of a workspace that are not over. Without any in the repository there is no file.
func Save(p *workspace.Workspace, units []Unit) error {
	all := readAll(p)
	delete(all, p.GitPrefix())
	if open := slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.State.Over() }); len(open) > 0 {
		sorting.StableFunc(open, func(a, b Unit) int { return b.At.Compare(a.At) })
		all[p.GitPrefix()] = open
	}
	name := File(p)
	if len(all) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the list of open work: %w", err)
		}
		return nil
	}
	if err := os.MkdirAll(p.StateDir(), 0o700); err != nil {
		return fmt.Errorf("list the open work: %w", err)
	}
	data, err := json.Marshal(all, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the open work: %w", err)
	}
	return atomicfile.Write(name, data, 0o600)
}

// Here returns the unit that is worked on: the one that the host names, else the one that was begun on the
// branch, else the one that the branch is named after, else one that was begun for all branches, else the only slice
// in progress of the branch's build. open are the units that are not over.
func Here(open []Unit, named, branch string, m Method, current func() (builds.Build, bool)) (r file.WorkRef, ok bool) {
	if named = strings.TrimSpace(named); named == None {
		return r, false
	}
	if r, ok := Parse(named); ok {
		return Complete(open, r), true
	}
	begun := func(on string) bool {
		for i := range open {
			if u := &open[i]; u.Branch == on && u.Kind != Thread && (u.State == Open || on != AllBranches) {
				r, ok = Complete(open, file.WorkRef{Kind: u.Kind, ID: u.ID}), true
				return true
			}
		}
		return false
	}
	if branch != "" && begun(branch) {
		return r, ok
	}
	if r, ok := m.Branch(branch); ok {
		return Complete(open, r), true
	}
	if begun(AllBranches) {
		return r, ok
	}
	if current == nil {
		return r, false
	}
	if b, ok := current(); ok {
		return fromBuild(&b)
	}
	return r, false
}

// fromBuild names the slice of a build that is in progress, if it is the only one.
func fromBuild(b *builds.Build) (r file.WorkRef, ok bool) {
	for _, s := range b.Slices() {
		if s.Status != builds.InProgress {
			continue
		}
		if ok {
			return file.WorkRef{}, false
		}
		r, ok = file.WorkRef{Kind: Slice, ID: b.Name + "/" + slug(s.Text), Title: s.Text, Within: []string{"build:" + b.Name}}, true
	}
	return r, ok
}

// slug names a text by its first words.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(words, "-")
	if len(s) > 30 {
		s = s[:30]
		if i := strings.LastIndexByte(s, '-'); i > 0 {
			s = s[:i]
		}
	}
	if s == "" {
		return "slice"
	}
	return s
}

// Elsewhere reports whether a memory belongs to a mission that is not under way here. here returns the unit
// under way; few memories belong to a mission, so it is asked only for those.
func Elsewhere(m *file.Memory, here func() *file.WorkRef) bool {
	id := m.Mission()
	return id != "" && !here().In(Mission+":"+id)
}

// Summary is what a session that starts must know of the unit under way.
type Summary struct {
	Unit
	Around []Unit // the nearest first
	Tasks  Tasks  // zero without a list of them
}

// Summarize sums up the unit under way, with how far it is carried out. It returns false if it was not begun and there is no
// list of its tasks, since a branch's name says the same, or if no agent is told of it.
func (m Method) Summarize(open []Unit, r file.WorkRef) (s Summary, ok bool) {
	s, ok = summarize(open, r)
	if m.Tasks == nil || !ok && Find(open, r.Key()) != nil {
		return s, ok
	}
	t, listed := m.Tasks(r)
	if !listed {
		return s, ok
	}
	if !ok {
		s.Unit = Unit{Kind: r.Kind, ID: r.ID, State: Open}
	}
	s.Tasks = t
	return s, true
}

// summarize sums up the unit under way; false if it was not begun, since a branch's name says the same, or if no
// agent is told of it.
func summarize(open []Unit, r file.WorkRef) (s Summary, ok bool) {
	u := Find(open, r.Key())
	if u == nil || u.Tainted {
		return s, false
	}
	s.Unit = *u
	for _, x := range Around(open, u) {
		if !x.Tainted {
			s.Around = append(s.Around, *x)
		}
	}
	return s, true
}
