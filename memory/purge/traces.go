package purge

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/inventory"
	"manicule/memory/store"
)

// Sizes of the pieces by which a text is recognized.
const (
	longest  = 48 // logs cut long texts, and a database splits them over pages
	shortest = 16 // shorter pieces of a longer text are in other texts too
	least    = 8  // a text that is shorter than this is found by its memory's id alone
)

// knowledge is what is known of the memories that a purge removes.
type knowledge struct {
	memories []*file.Memory // every version
	uuids    []string       // of those that go with all their versions
	traces   []string       // their ids, and pieces of their texts that no other memory has
	keys     []string       // of their vectors
}

// learn reads the memories to be removed from files and state.db. gone says which are.
func learn(ctx context.Context, places []*workspace.Workspace, state *store.State, gone func(m *file.Memory, inFile bool) bool) (*knowledge, error) {
	k := &knowledge{}
	var kept []*file.Memory
	sort := func(m *file.Memory, inFile bool) {
		if gone(m, inFile) {
			k.memories = append(k.memories, m)
		} else {
			kept = append(kept, m)
		}
	}
	for _, p := range places {
		files, err := inventory.MemoryFiles(p)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.Memory != nil {
				sort(f.Memory, true)
			}
		}
		shared, err := inventory.ProjectFiles(p)
		if err != nil {
			return nil, err
		}
		for _, f := range shared { // threads, which state.db has versions of, too
			if m, err := file.Parse(f.Data); err == nil {
				sort(m, true)
			}
		}
	}
	texts, err := state.Texts(ctx)
	if err != nil {
		return nil, err
	}
	inFile, went := map[string]bool{}, map[string]bool{}
	for _, m := range kept {
		inFile[m.UUID] = true
	}
	newest := map[string]*file.Memory{}
	for _, m := range append(slices.Clone(k.memories), texts...) {
		if n := newest[m.UUID]; n == nil || n.Lineage.Version <= m.Lineage.Version {
			newest[m.UUID] = m
		}
	}
	for id, m := range newest {
		if !inFile[id] && gone(m, false) {
			went[id] = true
		}
	}
	for _, m := range texts {
		if went[m.UUID] { // with the versions from before it was personal
			k.memories = append(k.memories, m)
		} else {
			sort(m, false)
		}
	}
	k.uuids = slices.Sorted(maps.Keys(went))
	k.traces = slices.DeleteFunc(traces(k.memories, kept), func(t string) bool { return isPath(places, t) })
	still := inventory.MemoryKeys(kept)
	for key := range inventory.MemoryKeys(k.memories) {
		if still[key] == nil {
			k.keys = append(k.keys, key)
		}
	}
	return k, nil
}

// isPath reports whether a text is the path of a file or folder, which is found in the logs of work
// that had nothing to do with the memory.
func isPath(places []*workspace.Workspace, text string) bool {
	name := filepath.FromSlash(strings.Trim(text, "/"))
	if !filepath.IsLocal(name) {
		return false
	}
	for _, p := range places {
		if _, err := os.Lstat(filepath.Join(p.Root, name)); err == nil {
			return true
		}
	}
	return false
}

// traces returns what the memories in gone are recognized by. What the kept ones contain too says
// nothing.
func traces(gone, kept []*file.Memory) []string {
	var b strings.Builder
	for _, m := range kept {
		b.WriteString(m.ShortID() + "\n" + strings.Join(words(m), "\n") + "\n")
		if data, err := m.Marshal(); err == nil { // its places and lineage, too
			b.Write(data)
		}
	}
	others, seen, out := b.String(), map[string]bool{}, []string(nil)
	ids := map[string]bool{}
	for _, m := range kept {
		ids[m.UUID], ids[m.ShortID()] = true, true
	}
	addID := func(id string) { // also where a kept memory's relation names it
		if !seen[id] && !ids[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	add := func(t string) {
		if !seen[t] && !strings.Contains(others, t) {
			seen[t] = true
			out = append(out, t)
		}
	}
	for _, m := range gone {
		addID(m.UUID)
		addID(m.ShortID())
		for _, text := range words(m) {
			for _, t := range pieces(text) {
				add(t)
			}
		}
	}
	return out
}

// words returns the texts that a person or an agent wrote.
func words(m *file.Memory) []string {
	out := []string{m.What, m.Why}
	var v any
	if len(m.Details) > 0 && json.Unmarshal(m.Details, &v) == nil {
		out = leaves(v, out)
	}
	return out
}

func leaves(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, x := range v {
			out = leaves(x, out)
		}
	case map[string]any:
		for _, x := range v {
			out = leaves(x, out)
		}
	}
	return out
}

// pieces cuts a text into parts that look the same in every file: without characters that JSON or a
// shell writes in another way.
func pieces(text string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("\"\\<>&'`$", r) }) {
		for part = strings.TrimSpace(part); len(part) > longest; part = part[longest:] {
			out = append(out, part[:longest])
		}
		if len(part) >= shortest {
			out = append(out, part)
		}
	}
	if text = strings.TrimSpace(text); len(out) == 0 && len(text) >= least {
		out = append(out, text)
		if quoted, err := json.Marshal(text); err == nil {
			out = append(out, strings.Trim(string(quoted), `"`))
		}
	}
	return out
}

// contains reports whether data has a trace of a removed memory.
func (k *knowledge) contains(data []byte) bool {
	for _, t := range k.traces {
		if bytes.Contains(data, []byte(t)) {
			return true
		}
	}
	return false
}

// find lists the files at or below some paths that contain a trace. It reads databases as bytes, so
// that pages which SQLite has freed count too; this process has none open by then.
func (k *knowledge) find(paths ...string) (out []string, err error) {
	for _, p := range paths {
		err := inventory.Walk(p, func(name string, _ fs.FileInfo) error {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if k.contains(data) {
				out = append(out, name)
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
