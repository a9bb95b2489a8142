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

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/inventory"
	"manicule/memory/store"
)

// Sizes of the texts that are recognized as a whole, because they are shorter than a quote.
const (
	shortest = 16 // shorter parts of a longer text are in other texts too
	least    = 8  // a text that is shorter than this is found by its memory's id alone
)

// knowledge is what is known of the memories that a purge removes.
type knowledge struct {
	memories []*file.Memory // every version
	uuids    []string       // of those that go with all their versions
	traces   []string       // their ids, and short texts that no other memory has
	quotes   *quotes        // of their longer texts
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
		files, err := inventory.MemoryFiles(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if f.Memory != nil {
				sort(f.Memory, true)
			}
		}
		shared, err := inventory.ProjectFiles(ctx, p)
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
	k.traces, k.quotes = traces(k.memories, kept, onceEach(func(t string) bool { return isPath(places, t) }))
	still := inventory.MemoryKeys(kept)
	for key := range inventory.MemoryKeys(k.memories) {
		if still[key] == nil {
			k.keys = append(k.keys, key)
		}
	}
	return k, nil
}

// onceEach asks once about each text: memories are of the same words, and each is looked for in all worktrees.
func onceEach(is func(string) bool) func(string) bool {
	known := map[string]bool{}
	return func(text string) bool {
		yes, asked := known[text]
		if !asked {
			yes = is(text)
			known[text] = yes
		}
		return yes
	}
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

// traces returns what the memories in gone are recognized by. What the kept ones contain too, and a
// path, says nothing.
func traces(gone, kept []*file.Memory, isPath func(string) bool) (out []string, long *quotes) {
	var b strings.Builder
	for _, m := range kept {
		b.WriteString(m.ShortID() + "\n" + strings.Join(append(words(m), remarks(m)...), "\n") + "\n")
		if data, err := m.Marshal(); err == nil { // its places and lineage, too
			b.Write(data)
		}
	}
	others, seen := b.String(), map[string]bool{}
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
	long = newQuotes()
	for _, m := range gone {
		addID(m.UUID)
		addID(m.ShortID())
		for _, text := range words(m) {
			for _, t := range short(text) {
				if !seen[t] && !isPath(t) && !strings.Contains(others, t) {
					seen[t] = true
					out = append(out, t)
				}
			}
		}
		for _, text := range append(words(m), remarks(m)...) {
			for _, line := range forms(text) {
				long.learn(line, outside(line, isPath))
			}
		}
	}
	long.forget(others)
	return out, long
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

// remarks returns what people wrote about a memory. What is short there, such as a label, is in many.
func remarks(m *file.Memory) []string {
	out := []string{m.ContextLabel, m.Lineage.ChangeNote}
	for _, d := range m.Trust.Disputes {
		out = append(out, d.Says)
	}
	if d := m.Trust.Deprecated; d != nil {
		out = append(out, d.Why)
	}
	for _, v := range m.Conflict {
		out = append(out, words(&file.Memory{What: v.What, Why: v.Why, Details: v.Details})...)
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

// short returns the parts of a text that are too short for a quote, and the text itself if it is.
func short(text string) []string {
	var out []string
	long := false
	for _, part := range parts(text) {
		long = long || len(part) >= quoted
		if len(part) >= shortest && len(part) < quoted {
			out = append(out, part)
		}
	}
	if text = strings.TrimSpace(text); !long && len(out) == 0 && len(text) >= least {
		out = append(out, text)
		if in, ok := inJSON(text); ok {
			out = append(out, in)
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
	return k.quotes.in(data)
}

// find lists the files at or below some paths that contain a trace. It reads databases as bytes, so
// that pages which SQLite has freed count too; this process has none open by then.
func (k *knowledge) find(ctx context.Context, paths ...string) (out []string, err error) {
	for _, p := range paths {
		err := inventory.Walk(ctx, p, func(name string, _ fs.FileInfo) error {
			data, err := treefile.ReadLarge(name)
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
