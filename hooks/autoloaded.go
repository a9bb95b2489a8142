package hooks

import (
	"hash/fnv"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"manicule/hooks/agent/spec"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
)

// maxRuleFile bounds the size of a rule file in bytes.
const maxRuleFile = 64 << 10

// autoLoaded reports which memories below a root the agent has anyway: those imported from a
// file that it loads by itself, or that stood in one when they were imported, and those of the whole project that stand in
// one now, word for word. A memory that was changed later differs from the file and does not count.
func (a *answering) autoLoaded(root string) func(*file.Memory) bool {
	loads := a.agent.Loads
	if len(loads.All()) == 0 {
		return func(*file.Memory) bool { return false }
	}
	folder, inside := below(root, workspace.RealPath(a.dir()))
	known := map[string]bool{}
	loaded := func(name string) bool {
		has, ok := known[name]
		if !ok {
			has = loads.Has(name, folder, ruleFile(root))
			known[name] = has
		}
		return has
	}
	lines := sync.OnceValue(func() map[uint64]bool { return ruleLines(loads, folder, loaded, ruleFile(root)) })
	return func(m *file.Memory) bool {
		switch {
		case !inside:
			return false
		case m.Scope == nil && len(m.Anchors) == 0 && lines()[folded(m.What)]:
			return true
		case !asImported(m):
			return false
		}
		return loaded(m.Provenance.Import.File) || slices.ContainsFunc(m.Provenance.Import.Also, loaded)
	}
}

// ruleLines returns what the rule files say that the agent loads of a session's folder and of the root: their lines without what
// `manicule export --format rules` writes behind a memory, and their sentences.
func ruleLines(loads spec.Loads, folder string, loaded func(name string) bool, read func(name string) string) map[uint64]bool {
	out := map[uint64]bool{}
	for _, pattern := range loads.All() {
		name := strings.TrimPrefix(pattern, "**/")
		if strings.ContainsAny(name, "*?[{") {
			continue
		}
		for _, at := range slices.Compact([]string{name, path.Join(folder, name)}) {
			if !loaded(at) {
				continue
			}
			for line := range strings.Lines(withoutComments(read(at))) {
				if strings.Contains(line, "~~") {
					continue // struck out
				}
				line = strings.TrimSpace(strings.TrimLeft(line, "> \t+")) // of a quotation or a list
				out[folded(line)] = true
				if head, _, ok := strings.Cut(line, " — "); ok { // the reason
					out[folded(head)] = true
				}
				if i := strings.LastIndex(line, " ("); i > 0 && strings.HasSuffix(line, ")") { // pinned, important
					out[folded(line[:i])] = true
				}
				for sentence := range strings.SplitSeq(line, ". ") {
					out[folded(sentence)] = true
				}
			}
		}
	}
	delete(out, folded(""))
	return out
}

// withoutComments returns a Markdown text without its comments, which agents leave out, too.
func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "-->")
	}
}

// folded is a hash of the letters, digits and symbols of a text, in whatever case and with whatever stands between them: less is not
// more, and C no C++.
func folded(text string) uint64 {
	h := fnv.New64a()
	var buf [utf8.UTFMax]byte
	for i, r := range text {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		case unicode.IsSymbol(r) && r != '`', r == '%', r == '!' && strings.HasPrefix(text[i+1:], "="):
		default:
			continue
		}
		_, _ = h.Write(buf[:utf8.EncodeRune(buf[:], unicode.ToLower(r))]) // never fails
	}
	return h.Sum64()
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
