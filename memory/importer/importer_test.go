package importer

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf8"

	"manicule/indexer/must"
	"manicule/memory/file"
)

var day = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

// tree makes a workspace of name, text pairs.
func tree(pairs ...string) Options {
	m := fstest.MapFS{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return Options{Root: m, Files: slices.Sorted(maps.Keys(m)), Now: day, All: true}
}

func read(t *testing.T, opts Options) ([]Chunk, Report) {
	t.Helper()
	chunks, rep, err := ReadAll(context.Background(), opts)
	must.OK(t, err)
	return chunks, rep
}

func whats(chunks []Chunk) []string {
	var out []string
	for _, c := range chunks {
		out = append(out, c.What)
	}
	return out
}

func TestFind(t *testing.T) {
	tests := []struct {
		path string
		kind Kind
		dir  string
	}{
		{"CLAUDE.md", KindClaude, ""},
		{"pkg/a/CLAUDE.md", KindClaude, "pkg/a"},
		{".claude/CLAUDE.md", KindClaude, ""},
		{"CLAUDE.local.md", KindClaude, ""},
		{"AGENTS.md", KindAgents, ""},
		{"pkg/GEMINI.md", KindGemini, "pkg"},
		{".cursorrules", KindCursor, ""},
		{".cursor/rules/deep/x.mdc", KindCursor, ""},
		{"web/.cursor/rules/x.mdc", KindCursor, "web"},
		{".claude/rules/a/b.md", KindClaudeRule, ""},
		{".github/copilot-instructions.md", KindCopilot, ""},
		{".github/instructions/go/x.instructions.md", KindInstructions, ""},
		{".windsurfrules", KindWindsurf, ""},
		{".windsurf/rules/x.md", KindWindsurf, ""},
		{".clinerules", KindCline, ""},
		{".clinerules/x.md", KindCline, ""},
		{".clinerules/workflows/release.md", KindWorkflow, ""},
		{"docs/adr/0001-x.md", KindDecision, ""},
		{"doc/adr/0001-x.md", KindDecision, ""},
		{"adr/0001-x.md", KindDecision, ""},
		{"docs/decisions/use-x.md", KindDecision, ""},
		{"docs/design/decisions/0001-x.md", KindDecision, ""},
		{"svc/docs/adr/0001-x.md", KindDecision, "svc"},
		{".aide/memories/technical/a.json", KindAide, ""},
		{"docs/adr/README.md", "", ""},
		{"docs/adr/template.md", "", ""},
		{"node_modules/x/CLAUDE.md", "", ""},
		{"vendor/x/AGENTS.md", "", ""},
		{"README.md", "", ""},
		{"src/decisions/model.md", "", ""},
		{".clinerules/hooks/README.md", "", ""},
	}
	for _, tt := range tests {
		got := Find([]string{tt.path})
		if tt.kind == "" {
			if len(got) > 0 {
				t.Errorf("Find(%s) = %v, want nothing", tt.path, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Kind != tt.kind || got[0].Dir != tt.dir {
			t.Errorf("Find(%s) = %v, want %s of %q", tt.path, got, tt.kind, tt.dir)
		}
	}
}

func TestGlobs(t *testing.T) {
	tests := []struct {
		name, front string
		want        []string
	}{
		{"plain list", "globs: src/**/*.ts,src/**/*.tsx", []string{"src/**/*.ts", "src/**/*.tsx"}},
		{"unquoted star is no YAML", "description: Use: always\nglobs: *.ts", []string{"*.ts"}},
		{"quoted", `globs: "src/**, test/**"`, []string{"src/**", "test/**"}},
		{"two quoted values are no YAML", `globs: "**/*.ts", "**/*.tsx"`, []string{"**/*.ts", "**/*.tsx"}},
		{"commas within braces", "globs: src/**/*.{ts,tsx},*.md", []string{"src/**/*.{ts,tsx}", "*.md"}},
		{"leading brace is no YAML list", "globs: {src,test}/**/*.go", []string{"{src,test}/**/*.go"}},
		{"block list", "globs:\n  - 'a/**'\n  - b/**\nalwaysApply: false", []string{"a/**", "b/**"}},
		{"flow list", "paths: ['**/*.test.ts', 'tests/**']", []string{"**/*.test.ts", "tests/**"}},
		{"flow list without quotes", "globs: [*.ts, **/*.tsx]", []string{"*.ts", "**/*.tsx"}},
		{"block list without quotes", "globs:\n  - *.ts\n  - **/*.tsx", []string{"*.ts", "**/*.tsx"}},
		{"copilot", `applyTo: "**/*.go,**/go.mod"`, []string{"**/*.go", "**/go.mod"}},
		{"exclusion", "globs: !dist/**", []string{"!dist/**"}},
		{"empty list", "globs: []", nil},
		{"empty", "globs:\nalwaysApply: true", nil},
		{"carriage returns", "globs: *.ts\r\nalwaysApply: false\r", []string{"*.ts"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, rest := cutFrontMatter(decode([]byte("---\n" + tt.front + "\n---\nAlways test your code.\n")))
			if !slices.Equal(m.globs, tt.want) {
				t.Errorf("globs = %q, want %q", m.globs, tt.want)
			}
			if strings.TrimSpace(rest) != "Always test your code." {
				t.Errorf("the text is %q", rest)
			}
		})
	}
}

func TestScopes(t *testing.T) {
	opts := tree(
		"AGENTS.md", "- Always run the formatter first.\n- Never call the model twice for one prompt.\n- `src/agent/`: agent sessions live here\n\n## The web (`web/`)\n\nRoutes are generated; edit the table of routes.\n\n## Where\n\n`nowhere/`: is not there at all\n",
		"pkg/AGENTS.md", "---\nglobs: \"*.ts,src/**\"\n---\n- Always pass the context to helpers in pkg.go.\n",
		"web/CLAUDE.md", "- `a.ts` — holds the routes\n",
		"CLAUDE.md", "- `web/a.ts` caches the heights of its rows.\n- When you change `src/agent/`, run the smoke test twice.\n- `web/a.ts` must not import `src/agent/x.go`.\n- Put new handlers into `web/a.ts` and nowhere else.\n",
		"src/agent/x.go", "", "web/a.ts", "",
	)
	got := map[string][]string{}
	chunks, _ := read(t, opts)
	for _, c := range chunks {
		got[c.What] = c.Scope
	}
	want := map[string][]string{
		"Always run the formatter first.":                                   nil,
		"`src/agent/`: agent sessions live here":                            {"src/agent/**"},
		"`nowhere/`: is not there at all":                                   nil,
		"Always pass the context to helpers in pkg.go.":                     {"pkg/**/*.ts", "pkg/src/**"},
		"`a.ts` — holds the routes":                                         {"web/a.ts"},
		"`web/a.ts` caches the heights of its rows.":                        {"web/a.ts"},
		"When you change `src/agent/`, run the smoke test twice.":           {"src/agent/**"},
		"`web/a.ts` must not import `src/agent/x.go`.":                      nil, // it is about both
		"Put new handlers into `web/a.ts` and nowhere else.":                nil, // who writes one elsewhere has to know
		"The web (`web/`): Routes are generated; edit the table of routes.": {"web/**"},
	}
	for what, scope := range want {
		if s, ok := got[what]; !ok || !slices.Equal(s, scope) {
			t.Errorf("%q has the scope %v (found %v), want %v", what, s, ok, scope)
		}
	}
}

func TestKeysAreStable(t *testing.T) {
	rules := "# Rules\n\n## Style\n\n- Always use tabs in Go files.\n- Never edit generated files by hand.\n"
	first, _ := read(t, tree("CLAUDE.md", rules))
	tests := map[string]Options{
		"again":             tree("CLAUDE.md", rules),
		"moved":             tree("CLAUDE.md", "Some words that say what this is about.\n\n\n"+strings.ReplaceAll(rules, "## Style", "## Code style")),
		"copied":            tree("CLAUDE.md", rules, "AGENTS.md", rules, ".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\n"+rules),
		"renamed":           tree("GEMINI.md", rules),
		"windows line ends": tree("CLAUDE.md", "\ufeff"+strings.ReplaceAll(rules, "\n", "\r\n")),
		"wrapped":           tree("CLAUDE.md", strings.ReplaceAll(rules, "generated files", "generated\n  files")),
	}
	known := map[string]bool{}
	for _, c := range first {
		known[c.Origin.Key] = true
	}
	if len(known) != 2 {
		t.Fatalf("found %q", whats(first))
	}
	for name, opts := range tests {
		n := 0
		chunks, _ := read(t, opts)
		for _, c := range chunks {
			if known[c.Origin.Key] {
				n++
			} else if name != "moved" {
				t.Errorf("%s: %q is new", name, c.What)
			}
		}
		if n != 2 {
			t.Errorf("%s: %d of 2 rules were known again, of %q", name, n, whats(chunks))
		}
	}
	nested, _ := read(t, tree("a/CLAUDE.md", rules, "b/CLAUDE.md", rules))
	if len(nested) != 4 {
		t.Errorf("the same rules of two folders are %d chunks, want 4", len(nested))
	}
}

func TestImports(t *testing.T) {
	opts := tree(
		"CLAUDE.md", "@docs/rules.md\n\nSee also the code `@docs/not.md` and @../outside.md or @~/.claude/mine.md here.\n\n@AGENTS.md\n",
		"docs/rules.md", "- Always pin the versions of tools.\n\n@more.md\n",
		"docs/more.md", "- Never push to main directly.\n\n@rules.md\n",
		"docs/not.md", "- Never read this file at all.\n",
		"AGENTS.md", "- Always say what you did.\n",
	)
	chunks, rep := read(t, opts)
	got := whats(chunks)
	for _, want := range []string{"Always pin the versions of tools.", "Never push to main directly.", "Always say what you did."} {
		if n := strings.Count(strings.Join(got, "\n"), want); n != 1 {
			t.Errorf("%q was read %d times", want, n)
		}
	}
	if slices.Contains(got, "Never read this file at all.") {
		t.Error("an import within code was followed")
	}
	if len(rep.Notes) != 2 {
		t.Errorf("notes: %q", rep.Notes)
	}
	for _, c := range chunks {
		if c.What == "Never push to main directly." && c.Origin.File != "docs/more.md" {
			t.Errorf("it comes from %s", c.Origin.File)
		}
	}
}

func TestDrops(t *testing.T) {
	src := `<!-- a comment -->
# Title

[![build](https://x/b.svg)](https://x)

This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.

## Contents

- [Style](#style)
- [Tests](#tests)

## Style

- Never log MySecret.

## Layout

` + "```\nroot/\n├── a.go\n└── b.go\n```\n\n```bash\nmake test\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" + `
## See also

- Always read the other guide first.
`
	chunks, rep := read(t, tree("CLAUDE.md", src))
	if got := whats(chunks); len(got) != 1 || got[0] != "Never log MySecret." {
		t.Errorf("kept %q", got)
	}
	for _, reason := range []string{"comment", "badge", "boilerplate", "contents", "file tree", "commands", "table", "links"} {
		if rep.Reasons()[reason] == 0 {
			t.Errorf("nothing was dropped as %q: %v", reason, rep.Drops)
		}
	}
}

func TestChunks(t *testing.T) {
	long := "Always keep handlers of `mux` short. " + strings.Repeat("A long function hides what it does and is hard to test. ", 60)
	src := "# T\n\n## Release workflow\n\n1. Run the tests.\n2. Tag the commit.\n3. Push the tag.\n\n" +
		"## Do not\n\n- Edit generated files\n- Push to main\n\n## Size\n\n" + long + "\n\n" +
		"## Calls\n\nUse the wrapper for every request:\n\n```go\nget(url)\n```\n"
	chunks, _ := read(t, tree("CLAUDE.md", src))
	if len(chunks) != 5 {
		t.Fatalf("found %d: %q", len(chunks), whats(chunks))
	}
	steps, avoid, size, calls := chunks[0], chunks[1], chunks[3], chunks[4]
	if steps.Type != file.WorkflowRecipe || steps.Origin.Line != 5 || !strings.Contains(steps.Why, "2. Tag the commit.") {
		t.Errorf("steps: %+v", steps)
	}
	if avoid.Type != file.Convention || avoid.What != "Do not: Edit generated files" || avoid.Label != "Do not" {
		t.Errorf("avoid: %+v", avoid)
	}
	if size.What != "Always keep handlers of `mux` short. A long function hides what it does and is hard to test." || utf8.RuneCountInString(size.Why) > maxWhy || !strings.HasSuffix(size.Why, "…") {
		t.Errorf("size: %q, %d", size.What, utf8.RuneCountInString(size.Why))
	}
	if calls.Type != file.Convention || calls.What != "Calls: Use the wrapper for every request: `get(url)`" {
		t.Errorf("calls: %+v", calls)
	}
}

func TestEncodings(t *testing.T) {
	want := "Never write café by hand."
	utf16 := "\xff\xfe"
	for _, r := range "- " + want + "\n" {
		utf16 += string([]byte{byte(r), byte(r >> 8)})
	}
	for name, text := range map[string]string{
		"utf-8": "- " + want, "mark": "\ufeff- " + want + "\r\n", "latin-1": "- Never write caf\xe9 by hand.\r", "utf-16": utf16,
	} {
		chunks, _ := read(t, tree(".cursorrules", text))
		if got := whats(chunks); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestDecisions(t *testing.T) {
	opts := tree(
		"docs/adr/0001-use-go.md", "# 1. Use Go\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n## Context\n\nWe need one binary.\n\n## Decision\n\nWe write it in Go. It links everything.\n\n## Consequences\n\nCgo is needed.\n",
		"docs/adr/0002-old.md", "# 2. Old\n\n## Status\n\nSuperseded by [ADR 3](0003-new.md)\n\n## Decision\n\nWe do the old thing.\n",
		"docs/adr/0003-new.md", "# ADR-0003: New\n\n- Status: accepted\n\nIt supersedes [ADR 2](0002-old.md).\n\n## Context and Problem Statement\n\nThe old thing is slow.\n\n## Decision Outcome\n\nChosen option: \"new\", because it is fast.\n",
		"docs/adr/0004-madr.md", "---\nstatus: rejected\n---\n# A rejected one\n\n## Decision Outcome\n\nNothing.\n",
		"docs/adr/0005-notes.md", "# Just notes\n\nWords.\n",
	)
	chunks, rep := read(t, opts)
	if len(chunks) != 2 {
		t.Fatalf("found %q, dropped %v", whats(chunks), rep.Drops)
	}
	c := chunks[0]
	if c.Type != file.Decision || c.What != "Use Go: We write it in Go." || !strings.Contains(c.Why, "Context: We need one binary.") || !strings.Contains(c.Why, "Consequences: Cgo") {
		t.Errorf("nygard: %+v", c)
	}
	c = chunks[1]
	if len(c.Relations) != 1 || c.Relations[0].File != "docs/adr/0002-old.md" || !strings.HasPrefix(c.What, "New: Chosen option") {
		t.Errorf("madr: %+v", c)
	}
	for _, reason := range []string{"record superseded", "record rejected", "no decision record"} {
		if rep.Reasons()[reason] != 1 {
			t.Errorf("%q: %v", reason, rep.Reasons())
		}
	}
}

// TestChosenOption: a decision that is only the number of an option says what the option is.
func TestChosenOption(t *testing.T) {
	const head = "# 3. Context injection\n\n## Status\n\nAccepted\n\n"
	for name, tt := range map[string]struct{ text, want string }{
		"paragraphs":    {"## Options\n\n**#1 Parameters**\n\nEach function takes them.\n\n**#2 `Context.of()` (combination)**\n\nOne object.\n\n## Decision\n\nWe use **#2**.\n\nIt is frozen.\n", "Context injection: `Context.of()` (combination)"},
		"headings":      {"## Considered Options\n\n### Option A: Parameters\n\nx\n\n### Option B (new): One object\n\ny\n\n## Decision Outcome\n\nChosen: option B\n", "Context injection: One object"},
		"a list":        {"## Alternatives\n\n1. Parameters. Each function takes them.\n2. One object.\n\n## Decision\n\nOption 1.\n", "Context injection: Parameters"},
		"no such":       {"## Options\n\n- Parameters\n\n## Decision\n\nWe use #2. It is frozen.\n", "Context injection"},
		"named as well": {"## Decision\n\nWe use #2 (one object).\n", "Context injection: We use #2 (one object)."},
		"a language":    {"## Decision\n\nWe use C.\n", "Context injection: We use C."},
	} {
		chunks, rep := read(t, tree("docs/adr/0003-x.md", head+tt.text))
		if got := whats(chunks); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %q, dropped %v, want %q", name, got, rep.Drops, tt.want)
		}
	}
}

func TestOnlyDependencies(t *testing.T) {
	for text, want := range map[string]bool{
		"Dependencies: `pydantic>=2`, Python stdlib (`os`, `sys`)":                        true,
		"Boot sequence: Dependencies: `loguru>=0.7,<1` for structured logging; `certifi`": true,
		"Dependencies: use `bd dep <blocker> --blocks <blocked>` for a simple blocker":    false,
		"Dependencies: Each context's `dependencies.py` is its composition root":          false,
		"Dependencies: never `left-pad`":                                                  false,
		"Dependencies: User database, Authorization system":                               false,
		"The queue has no dependencies":                                                   false,
	} {
		if got := onlyDependencies(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestAide(t *testing.T) {
	const id = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11"
	opts := tree(
		".aide/memories/area_context/"+id+".json", `{"uuid":"`+id+`","layer":"area_context","what":"Refresh fails silently without Redis","why":null,"scope":"src/auth/**","context_label":"auth","contributor":"ahmed","tags":["auth"],"source":"conversation","shared":true,"generated_by":{"tool":"claude-code","model":null,"author_type":"human"},"derived_from":null,"created_at":"2026-04-06T12:00:00.000Z","updated_at":"2026-05-01T10:00:00Z","later":1}`,
		".aide/memories/preferences/personal/b.json", `{"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12","layer":"preferences","what":"Short answers","scope":null,"derived_from":"`+id+`","created_at":"2026-04-06T12:00:00Z"}`,
		".aide/memories/guidelines/broken.json", `{"uuid":`,
	)
	chunks, rep := read(t, opts)
	if len(chunks) != 2 || len(rep.Notes) != 1 {
		t.Fatalf("%d chunks, notes %q", len(chunks), rep.Notes)
	}
	m := chunks[0].Memory
	if m.UUID != id || m.Type != file.Gotcha || m.Layer != file.AreaContext || !slices.Equal(m.Scope, []string{"src/auth/**"}) ||
		m.CreatedAt.Day() != 6 || m.UpdatedAt.Day() != 1 || m.GeneratedBy.AuthorType != "human" || !strings.Contains(string(m.Extra), "later") {
		t.Errorf("memory: %+v", m)
	}
	p := chunks[1]
	if p.Memory.Visibility != file.Personal || !p.Personal || p.Type != file.Preference || len(p.Relations) != 1 {
		t.Errorf("personal: %+v", p)
	}
	for _, c := range chunks {
		if _, err := c.Memory.Marshal(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	opts := tree("CLAUDE.md", strings.Repeat("x", maxSize+1))
	if _, _, err := Read(context.Background(), opts.Root, Source{Path: "CLAUDE.md", Kind: KindClaude}, opts); !errors.Is(err, errTooLarge) {
		t.Errorf("a huge file: %v", err)
	}
	if _, _, err := Read(context.Background(), opts.Root, Source{Path: "no.md", Kind: KindClaude}, opts); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := ReadAll(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRealFiles reads every rule file of the data: the owners' globs become
// the scopes, the limits hold, and a second run finds nothing new.
func TestRealFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, repo := range openRules(t) {
		opts := repoOptions(t, repo)
		keys := map[string]bool{}
		const runs = 2
		for run := range runs {
			for _, src := range present(t, repo, opts) {
				chunks, _, err := Read(context.Background(), opts.Root, src, opts)
				if err != nil {
					t.Errorf("%s/%s: %v", repo, src.Path, err)
				}
				checkReal(t, opts, src, chunks)
				for _, c := range chunks {
					if run == 1 && !keys[c.Origin.Key] {
						t.Errorf("%s/%s:%d is new in the second run", repo, src.Path, c.Origin.Line)
					}
					keys[c.Origin.Key] = true
				}
			}
		}
	}
}

func checkReal(t *testing.T, opts Options, src Source, chunks []Chunk) {
	t.Helper()
	data, err := readAll(opts.Root, src.Path)
	must.OK(t, err)
	m, _ := cutFrontMatter(decode(data))
	for _, c := range chunks {
		if utf8.RuneCountInString(c.What) > maxWhat || utf8.RuneCountInString(c.Why) > maxWhy || strings.TrimSpace(c.What) == "" {
			t.Errorf("%s:%d is out of its limits", src.Path, c.Origin.Line)
		}
		if len(m.globs) > 0 && src.Dir == "" && !slices.Equal(c.Scope, m.globs) && len(c.Scope) != 1 {
			t.Errorf("%s:%d has the scope %v, its owner wrote %v", src.Path, c.Origin.Line, c.Scope, m.globs)
		}
		if c.Origin.File == src.Path && (c.Origin.Line < 1 || c.Origin.Line > strings.Count(string(data), "\n")+1) {
			t.Errorf("%s: line %d", src.Path, c.Origin.Line)
		}
	}
}

func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"---\nglobs: *.ts\n---\nx", "---\npaths: [a, '**']\n---", "---\nglobs: {a,b}\n", "---\n- a\n---\n", "---\n&a: *a\n---\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text := decode([]byte(s))
		m, rest := cutFrontMatter(text)
		if strings.Count(rest, "\n") != strings.Count(text, "\n") {
			t.Errorf("the lines moved: %q became %q", text, rest)
		}
		for _, g := range m.globs {
			if strings.TrimSpace(g) == "" {
				t.Errorf("an empty glob in %q", m.globs)
			}
		}
	})
}

func FuzzChunks(f *testing.F) {
	for _, s := range []string{"# A\n\n- Never x.\n  - y\n", "Do not:\n1. a\n2. b\n", "> [!NOTE]\n> Always z here.\n", "| a |\n|--|\n| b |", "- [ ] a\n- [x] b\n", "@a.md\n"} {
		f.Add(s, "CLAUDE.md")
		f.Add(s, "docs/adr/0001-a.md")
		f.Add(s, ".clinerules/workflows/a.md")
	}
	f.Fuzz(func(t *testing.T, s, name string) {
		if !fs.ValidPath(name) || path.Clean(name) != name {
			t.Skip()
		}
		if !isSource(name) {
			name = "CLAUDE.md"
		}
		opts := tree(name, s)
		chunks, _, err := ReadAll(context.Background(), opts)
		must.OK(t, err)
		lines := strings.Count(decode([]byte(s)), "\n") + 1
		for _, c := range chunks {
			if !utf8.ValidString(c.What+c.Why) || utf8.RuneCountInString(c.What) > maxWhat || utf8.RuneCountInString(c.Why) > maxWhy {
				t.Errorf("out of the limits: %+v", c)
			}
			if strings.TrimSpace(c.What) == "" || c.Type == "" || c.Origin.Line < 1 || c.Origin.Line > lines {
				t.Errorf("incomplete: %+v", c)
			}
		}
	})
}

// A link to another rule file, or a copy of it, is said to be one: what it leaves out is not
// counted again, and its rules are also its own.
func TestSameFile(t *testing.T) {
	rules := "# Rules\n\n- Never call `Close` twice: the pool panics.\n- Be nice.\n\nSee also:\n"
	opts := tree("AGENTS.md", rules, "CLAUDE.md", rules, "GEMINI.md", rules+"\n- Run `make gen` after a change of `api.proto`.\n", "pkg/AGENTS.md", rules, "pkg/a.go", "package a")
	opts.All = false
	chunks, rep := read(t, opts)
	if !maps.Equal(rep.Same, map[string]string{"CLAUDE.md": "AGENTS.md"}) {
		t.Errorf("same: %v", rep.Same)
	}
	for _, d := range rep.Drops {
		if d.File == "CLAUDE.md" {
			t.Errorf("left out again: %+v", d)
		}
	}
	if len(chunks) == 0 || !slices.Equal(chunks[0].Origin.Also, []string{"CLAUDE.md", "GEMINI.md", "pkg/AGENTS.md"}) {
		t.Errorf("chunks: %+v", chunks)
	}
	for _, c := range chunks {
		if c.Scope != nil {
			t.Errorf("a rule of the whole project again, for a folder: %+v", c)
		}
	}
	if got := TallyOf(chunks, rep)[1].String(); got != "CLAUDE.md: the same as AGENTS.md" {
		t.Errorf("tally: %s", got)
	}
}

// TestNamed: a file that a person names is about its folder, a document about what its folder documents.
func TestNamed(t *testing.T) {
	for name, want := range map[string]Source{
		"AGENTS.md":             {"AGENTS.md", KindAgents, ""},
		"CONTRIBUTING.md":       {"CONTRIBUTING.md", KindAgents, ""},
		"agents/one/AGENT.md":   {"agents/one/AGENT.md", KindAgents, "agents/one"},
		"nix/docs/TESTING.md":   {"nix/docs/TESTING.md", KindAgents, "nix"},
		"docs/ARCHITECTURE.md":  {"docs/ARCHITECTURE.md", KindAgents, ""},
		".github/TESTING.md":    {".github/TESTING.md", KindAgents, ""},
		"web/.github/RULES.txt": {"web/.github/RULES.txt", KindAgents, "web"},
	} {
		if got := Named(name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestCutText: what is cut says nothing that its source does not say.
func TestCutText(t *testing.T) {
	long := strings.Repeat("whatever the clone has at that moment and nobody can know, ", 3)
	for name, c := range map[string]struct{ path, text, what, why string }{
		"an enumeration": {"docs/adr/0002-init.md", "# Sources of an id\n\n## Status\n\nAccepted\n\n## Decision\n\nEach `init` takes its id from one source: (a) a new one, (b) the remote's (" + long + "by a flag), or (c) the local one; " + long + "and so on.\n",
			"…", ""},
		"what is said is no reason": {"docs/adr/0003-pool.md", "# Pool\n\n## Status\n\nAccepted\n\n## Decision\n\nUse one pool for each database.\n\n- It closes with the server.\n",
			"Pool: Use one pool for each database.", "- It closes with the server."},
		"a drawing": {"AGENTS.md", "# States\n\nEach worker tracks its state in the `workers` table by name:\n\n```\nidle → running\n  ↓\nstuck\n```\n",
			"Each worker tracks its state in the `workers` table by name", "```\nidle → running\n  ↓\nstuck\n```"},
	} {
		opts := tree(c.path, c.text)
		chunks, _ := read(t, opts)
		if len(chunks) != 1 {
			t.Errorf("%s: %+v", name, chunks)
			continue
		}
		if got := chunks[0]; !strings.HasSuffix(got.What, c.what) || c.why != "" && got.Why != c.why {
			t.Errorf("%s: %q, because %q", name, got.What, got.Why)
		}
	}
}

// TestStateIsNoTrap: a name in code is no word for what goes wrong.
func TestStateIsNoTrap(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# Workers\n\n## State machine\n\nKey states of a worker in the `workers` table: `idle`, `running`, `stuck`, `stale`\n"))
	if len(chunks) != 1 || chunks[0].Type == file.Gotcha {
		t.Errorf("%+v", chunks)
	}
}

// TestLeadScope: a lead-in that only names a folder is the scope of the rules below it; another one is not.
func TestLeadScope(t *testing.T) {
	const rules = "\n\n- Always collapse `if` statements that `clippy` finds.\n- Never call `unwrap` in a handler of `server.rs`; the process ends.\n"
	for lead, want := range map[string][]string{
		"In the core folder where the code lives:":     {"core/**"},
		"When working on `core/server.rs`:":            {"core/server.rs"},
		"In the other folder:":                         nil,
		"In the core folder, before a release is cut:": nil,
	} {
		chunks, _ := read(t, tree("AGENTS.md", "# Rules\n\n"+lead+rules, "core/server.rs", "fn main() {}\n"))
		if n := len(chunks); want != nil && n != 2 || want == nil && n != 1 { // with a lead-in that says more, they are one
			t.Errorf("%s: %+v", lead, chunks)
		}
		for _, c := range chunks {
			if !slices.Equal(c.Scope, want) || strings.HasPrefix(c.What, lead) != (want == nil) {
				t.Errorf("%s: %q in %v, want %v", lead, c.What, c.Scope, want)
			}
		}
	}
}

// TestRemark: an exception or an example belongs to its rule.
func TestRemark(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# API\n\n- Always expose fields as camelCase with `rename_all`.\n- Exception: config payloads are `snake_case`, as in `config.toml`.\n- **Example**: `user_id` becomes `userId`.\n"))
	if len(chunks) != 1 || !strings.Contains(chunks[0].Why, "config payloads are") || !strings.Contains(chunks[0].Why, "becomes") {
		t.Errorf("%+v", chunks)
	}
}

// TestFormerKey: a rule above a drawing has the key by which the versions that read the drawing's lines as words imported it, so that it
// is known.
func TestFormerKey(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"above a drawing": {"# States\n\nEach worker tracks its state in the `workers` table by name:\n\n```\nidle → running\n  ↓\nstuck\n```\n",
			"30ed6e5c2efe3804706ff8b8873d45fa37163b317341c7da09e94beeb8253888"}, // as such a version wrote it
		"entry above a drawing": {"# Layers\n\n- Never skip a layer of `queue.go`:\n\n  ```\n  handler ↓\n  store\n  ```\n",
			keyOf("rules", "Never skip a layer of `queue.go`: `handler ↓`; `store`", nil)},
		"above code":            {"# Build\n\nRun the checks of `Makefile` before each commit:\n\n```\nmake check\n```\n", ""},
		"above a large drawing": {"# States\n\nEach worker tracks its state in the `workers` table by name:\n\n```\na\n↓\nb\n↓\nc\n```\n", ""},
	} {
		chunks, _ := read(t, tree("AGENTS.md", c.text))
		if len(chunks) != 1 || chunks[0].Former != c.want {
			t.Errorf("%s: %+v", name, chunks)
		}
	}
}
