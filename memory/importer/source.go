package importer

import (
	"path"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/lazyregexp"
)

// Kind is the form of a rule file.
type Kind string

// The kinds. All but the last three contain rules as Markdown or plain text.
const (
	KindClaude       Kind = "claude"       // CLAUDE.md, CLAUDE.local.md
	KindAgents       Kind = "agents"       // AGENTS.md
	KindGemini       Kind = "gemini"       // GEMINI.md
	KindCursor       Kind = "cursor"       // .cursorrules, .cursor/rules/**/*.mdc
	KindClaudeRule   Kind = "claude_rule"  // .claude/rules/**/*.md
	KindCopilot      Kind = "copilot"      // .github/copilot-instructions.md
	KindInstructions Kind = "instructions" // .github/instructions/**/*.instructions.md
	KindWindsurf     Kind = "windsurf"     // .windsurfrules, .windsurf/rules/*.md
	KindCline        Kind = "cline"        // .clinerules
	KindNotes        Kind = "notes"        // .serena/memories/*.md
	KindWorkflow     Kind = "workflow"     // .clinerules/workflows/*.md: one procedure each
	KindDecision     Kind = "decision"     // decision records
	KindAide         Kind = "aide"         // .aide/memories/**/*.json
)

// follows reports whether files of the kind may import others by "@path".
func (k Kind) follows() bool { return k == KindClaude || k == KindGemini || k == KindAgents }

// Source is a rule file of the workspace.
type Source struct {
	Path string // relative to the root, forward slashes
	Kind Kind
	// Dir is the folder to which the file applies, "" for the whole workspace.
	Dir string
}

// places are the patterns of rule files; the first match decides. The group "dir" is the folder to
// which the file applies.
var places = []struct {
	kind Kind
	re   *lazyregexp.Regexp
}{
	{KindAide, lazyregexp.New(`^(?P<dir>)\.aide/memories/.+\.json$`)},
	{KindClaude, lazyregexp.New(`^(?P<dir>(?:.+?/)??)(?:\.claude/)?(?:CLAUDE(?:\.local)?\.md)$|^(?i:claude(?:\.local)?\.md)$`)},
	{KindAgents, lazyregexp.New(`^(?P<dir>(?:.+/)?)AGENTS\.md$|^(?i:agents\.md)$`)},
	{KindGemini, lazyregexp.New(`^(?P<dir>(?:.+?/)??)(?:\.gemini/)?GEMINI\.md$|^(?i:gemini\.md)$`)},
	{KindCursor, lazyregexp.New(`^(?P<dir>(?:.+/)?)(?:\.cursorrules|\.cursor/rules/.+\.mdc)$`)},
	{KindClaudeRule, lazyregexp.New(`^(?P<dir>(?:.+/)?)\.claude/rules/.+\.md$`)},
	{KindCopilot, lazyregexp.New(`^(?P<dir>)\.github/copilot-instructions\.md$`)},
	{KindInstructions, lazyregexp.New(`^(?P<dir>)\.github/instructions/.+\.instructions\.md$`)},
	{KindWindsurf, lazyregexp.New(`^(?P<dir>(?:.+/)?)(?:\.windsurfrules|\.windsurf/rules/.+\.md)$`)},
	{KindWorkflow, lazyregexp.New(`^(?P<dir>)\.clinerules/workflows/[^/]+\.md$`)},
	{KindCline, lazyregexp.New(`^(?P<dir>(?:.+/)?)(?:\.clinerules|\.clinerules/[^/]+\.(?:md|txt))$`)},
	{KindNotes, lazyregexp.New(`^(?P<dir>(?:.+/)?)\.serena/memories/.+\.md$`)},
	{KindDecision, lazyregexp.New(`^(?P<dir>(?:.+/)?)(?:adrs?|architecture-decisions|architecture_decisions|architectural-decisions|decision-records)/(?:.+/)?[^/]+\.md$`)},
	{KindDecision, lazyregexp.New(`^(?P<dir>(?:.+/)?)decisions/(?:.+/)?(?i:adr[-_ ]?)?\d[^/]*\.md$`)},
	{KindDecision, lazyregexp.New(`^(?P<dir>(?:docs?|design|architecture)/)(?:design/|architecture/)?decisions/(?:.+/)?[^/]+\.md$`)},
}

// notRecords matches files in a decision folder that are no decisions.
var notRecords = lazyregexp.New(`(?i)^(?:readme|index|_?template.*|.*[-_]template|0*-?template.*|decisions|adr|claude|agents)\.md$`)

// foreign matches folders whose rule files belong to others.
var foreign = lazyregexp.New(`(?:^|/)(?:node_modules|vendor|third_party|\.git|\.venv|site-packages)/`)

// docFolders contain documents about their parent folder.
var docFolders = []string{"docs", "doc", "design", "architecture", "documentation", "adr", ".adr"}

// Find lists the rule files among all files of a workspace, in a stable order.
func Find(files []string) []Source {
	var out []Source
	for _, f := range files {
		if src, ok := sourceOf(f); ok {
			out = append(out, src)
		}
	}
	sorting.Func(out, func(a, b Source) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(out)
}

// IsRuleFile reports whether a file tells agents rules, by its name. A decision record tells people.
func IsRuleFile(name string) bool {
	src, ok := sourceOf(name)
	return ok && src.Kind != KindDecision
}

func isSource(name string) bool {
	_, ok := sourceOf(name)
	return ok
}

// mayHoldRules is a fast check of a name before the patterns of places.
func mayHoldRules(name string) bool {
	switch path.Ext(name) {
	case ".md", ".MD", ".mdc", ".txt", ".cursorrules", ".windsurfrules", ".clinerules":
		return true
	case ".json":
		return strings.HasPrefix(name, ".aide/")
	}
	return false
}

func sourceOf(name string) (Source, bool) {
	if !mayHoldRules(name) || foreign.MatchString(name) {
		return Source{}, false
	}
	for _, p := range places {
		m := p.re.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		if p.kind == KindDecision && notRecords.MatchString(path.Base(name)) {
			return Source{}, false
		}
		dir := strings.TrimSuffix(m[p.re.SubexpIndex("dir")], "/")
		if p.kind == KindDecision {
			dir = subjectOfDocs(dir)
		}
		return Source{Path: name, Kind: p.kind, Dir: dir}, true
	}
	return Source{}, false
}

// Named is the source of a file that a person names: if it is none of the known rule files, it holds rules about its folder. Folders of
// documents and hidden ones are about their parent.
func Named(name string) Source {
	if src, ok := sourceOf(name); ok {
		return src
	}
	dir := path.Dir(name)
	for dir != "." && strings.HasPrefix(path.Base(dir), ".") {
		dir = path.Dir(dir)
	}
	if dir == "." {
		dir = ""
	}
	return Source{Path: name, Kind: KindAgents, Dir: subjectOfDocs(dir)}
}

// subjectOfDocs strips document folders: docs/design applies to the root.
func subjectOfDocs(dir string) string {
	for dir != "" && slices.Contains(docFolders, path.Base(dir)) {
		dir = path.Dir(dir)
		if dir == "." {
			dir = ""
		}
	}
	return dir
}
