package hooks

import (
	"slices"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
)

// maxRuleFile bounds the size of a rule file in bytes.
const maxRuleFile = 64 << 10

// autoLoaded reports which memories below a root the agent has anyway: those imported from a
// file that it loads by itself, or that stood in one when they were imported. A memory that was changed later differs from the file and
// does not count.
func (a *answering) autoLoaded(root string) func(*file.Memory) bool {
	loads := a.agent.Loads
	if len(loads.All()) == 0 {
		return func(*file.Memory) bool { return false }
	}
	folder, inside := below(root, workspace.RealPath(a.dir()))
	known := map[string]bool{}
	return func(m *file.Memory) bool {
		if !inside || !asImported(m) {
			return false
		}
		loaded := func(name string) bool {
			has, ok := known[name]
			if !ok {
				has = loads.Has(name, folder, ruleFile(root))
				known[name] = has
			}
			return has
		}
		return loaded(m.Provenance.Import.File) || slices.ContainsFunc(m.Provenance.Import.Also, loaded)
	}
}

// asImported reports whether a memory says what it said in the file that it was imported from.
func asImported(m *file.Memory) bool {
	return m.Provenance != nil && m.Provenance.Import != nil && !slices.Contains([]string{"edit", "correct", "merge"}, m.Lineage.ChangeKind)
}

// ruleFile returns a function that reads the files of a workspace, "" for one that can't be read.
func ruleFile(root string) func(name string) string {
	return func(name string) string {
		data, err := treefile.ReadWithin(root, name, maxRuleFile)
		if err != nil {
			return ""
		}
		return string(data)
	}
}

// skipping is implemented by memories that can drop some before they limit the number to
// examine.
type skipping interface {
	Skip(skip func(*file.Memory) bool)
}

// reading is implemented by memories that leave out what belongs to other agents and sessions.
type reading interface{ For(agent, session string) }

// open opens the memories of a folder, without those that the agent has anyway.
func (a *answering) openMemories(m Memories, err error) (Memories, error) {
	if err != nil {
		return nil, err
	}
	if r, ok := m.(reading); ok {
		r.For(a.ev.Agent, a.ev.Session)
	}
	if s, ok := m.(skipping); ok {
		s.Skip(a.autoLoaded(m.Root()))
	}
	return m, nil
}

func (a *answering) closeMemories(m Memories) {
	if err := m.Close(); err != nil {
		a.note("the memories could not be closed", err)
	}
}

// withoutAutoLoaded drops hits without a memory, and those that the agent has anyway.
func (a *answering) withoutAutoLoaded(root string, hits []memory.Hit) []memory.Hit {
	has := a.autoLoaded(root)
	return slices.DeleteFunc(withMemory(hits), func(h memory.Hit) bool { return has(h.Memory) })
}
