package importer

import (
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestDoubtful: what is advice, half a sentence or an example is left out and counted; what ties a
// rule to its repository keeps it.
func TestDoubtful(t *testing.T) {
	for text, reason := range map[string]string{
		"Keep components small and focused":                                            "known to all",
		"Use functional components with hooks":                                         "known to all",
		"Follow SOLID principles, Postel's law, and separation of concerns":            "known to all",
		"Log errors with appropriate context":                                          "known to all",
		"Naming: Use ALL_CAPS for constants":                                           "known to all",
		"Never call Close twice: the pool panics.":                                     "",
		"Never: the pool panics.":                                                      "says nothing",
		"Match naming conventions exactly":                                             "says nothing",
		"should NOT unless explicitly requested or strictly necessary for the change":  "half a sentence",
		"If the change affects columns or types of tables read by the export queries.": "half a sentence",
		"The new data model is":                                                        "half a sentence",
		"Problem: Users confused about the dimensions of the `span` processor":         "example",
		"Stop apologising if corrected, just provide the correct information or code":  "talk",
		"Act as an experienced technical writer for the tracing team at Example Labs.": "persona",
		"Error capture, how a path should report: `../skills/errors/SKILL.md`":         "links",
		"See the `linting-and-ci` skill for details.":                                  "links",
		"Please consider the following when reviewing code contributions.":             "lead-in without its block",
		"✅ Extracted exact commands and versions from the package file":                "status",
		"@app.cell def _(): import marimo as mo import polars as pl return":            "code",
		"The prefix of the option: `feat(lexical): hide the handles`":                  "fragment",
		"As GitHub Copilot, you review the pipelines of the platform team.":            "talk",
		"Use `TodoWrite` to track each part of the work":                               "talk",
		"Reload it with `/memory refresh` after an edit.":                              "talk",
		"Always use the `docs-writer` skill for pages.":                                "slash commands",
		"Purpose: generate Talos manifests from the templates of the cluster.":         "description of the project",
		"Read and follow `CONTRIBUTING.md` as well, it has the details.":               "links",
		"`docs/pool.md` — connection pool: `wantConn` queue and dial backoff":          "links",
		"Docstrings have the format below.":                                            "refers to what stands elsewhere",
		"Direct input: ∂ ∇ ℑ ∗ ± × ÷ → ∈ ∉":                                            "fragment",
		"Toolbox — a file manager for the desktop of Plan Nine":                        "description of the project",
		"\"Line 58 does not validate `user_input` before the call, add SafeEval.\"":    "example",
		"`common_mistakes` - What to avoid":                                            "fragment",
		"Debug adapter handles requests (breakpoints, stepping, etc.)":                 "says nothing specific",
		"Provide actionable next steps for each failure":                               "says nothing specific",
		"다른 개발자가 코드를 쉽게 이해할 수 있도록 작성합니다.":                                              "says nothing specific",
		"Implements Serde's `Serialize` and `Deserialize` traits (C-SERDE)":            "half a sentence",
		"Row 14 was added after the incident of `v0.2`.":                               "status",
		"Never put the session into the collection":                                    "",
		"When the cache is full, drop what the tree no longer holds":                   "",
		"Tables hold `*.snap` files of all runs":                                       "",
		"Commits: Avoid force-pushes":                                                  "",
		"Keep new files under 500 lines (split by responsibility if larger)":           "",
		"Avoid single-letter variable names except for indices (`i`, `j`, `k`).":       "",
		"Use the `errors` package for consistent wrapping of errors":                   "",
		"When working on the roller branch activate the upgrade skill of Electron.":    "",
		"If a feature is disabled by config, the code path should do no work.":         "",
		"Project setup needs Node.js 18+.":                                             "",
		"Never log tokens; mask what is passed in.":                                    "",
		"Never log the token of a session, mask what is passed in":                     "half a sentence",
	} {
		chunks, rep := read(t, tree("CLAUDE.md", "# T\n\n## Work\n\n- "+text+"\n- Always regenerate `api.go` after a change of `api.yaml`.\n"))
		got := ""
		for _, d := range rep.Drops {
			got = d.Reason
		}
		if got != reason || len(chunks) != map[bool]int{true: 2, false: 1}[reason == ""] {
			t.Errorf("%q: left out as %q, want %q; kept %q", text, got, reason, whats(chunks))
		}
	}
}

// TestReversed: an entry under a heading that forbids says so.
func TestReversed(t *testing.T) {
	for _, head := range []string{"Explicit non-goals", "Out of scope", "Not allowed", "Anti-patterns"} {
		chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## "+head+"\n\n- Change public APIs of the plugin host\n"))
		if got := whats(chunks); len(got) != 1 || got[0] != head+": Change public APIs of the plugin host" {
			t.Errorf("%s: %q", head, got)
		}
	}
}

// TestNotReversed: what to do, below a heading that forbids, is not forbidden.
func TestNotReversed(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## Anti-Patterns\n\n**DO**\n\n- Inject `Clock` for time-dependent operations\n"))
	if got := whats(chunks); len(got) != 1 || got[0] != "Inject `Clock` for time-dependent operations" {
		t.Errorf("%q", got)
	}
}

// TestFactsAndRules: an order is a convention also after a label or a condition, a statement without
// one is an insight.
func TestFactsAndRules(t *testing.T) {
	for text, want := range map[string]file.Type{
		"create-app uses AST parsing with `ts-morph` to change template files.":             file.ModuleInsight,
		"The project is built using Maven. Use the `./mvnw` wrapper for all of it.":         file.Convention,
		"CREATE vs RETURN links: calculations create new data nodes; workflows don't.":      file.ModuleInsight,
		"`bootstrap/*.yaml` and `sops/` hold encrypted secrets.":                            file.ModuleInsight,
		"Upfront reads: At the start of a question, read all context files in parallel.":    file.Convention,
		"Launch scripts in `lsp/scripts/` handle the setup of the environment.":             file.ModuleInsight,
		"Assert invariants of the pager. Don't silently fail.":                              file.Convention,
		"Agents: It is imperative that you do not open pull requests written by a machine.": file.Convention,
		"Never run `go clean`: it deletes the shared cache and breaks concurrent builds.":   file.Gotcha,
	} {
		chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## Notes\n\n"+text+"\n"))
		if len(chunks) != 1 || chunks[0].Type != want {
			t.Errorf("%q: %+v, want %s", text, chunks, want)
		}
	}
}

// TestForeignFiles: the rules of a copied skill or of a template for other projects are not this
// repository's; they are listed as left out.
func TestForeignFiles(t *testing.T) {
	const rule = "# T\n\n- Always regenerate `api.go` after a change of `api.yaml`.\n"
	opts := tree("AGENTS.md", "@tools/review/SKILL.md\n\n"+rule, "tools/review/SKILL.md", rule+"- Never call `exec` in a handler.\n", ".agents/skills/react/AGENTS.md", rule+"- Never call `fetch` in an effect.\n",
		"plugin/template/AGENTS.md", rule+"- Never call `open` in a plugin.\n", "skills/AGENTS.md", "# T\n\n- Never rename `SKILL.md` of a skill.\n",
		"plugin/skills/beads/resources/AGENTS.md", rule+"- Never call `bd slot` in a loop.\n")
	chunks, rep, err := ReadAll(t.Context(), opts)
	must.OK(t, err)
	if got := whats(chunks); !slices.Equal(got, []string{"Always regenerate `api.go` after a change of `api.yaml`.", "Never rename `SKILL.md` of a skill."}) {
		t.Errorf("kept %q", got)
	}
	if r := rep.Reasons(); r["a skill's file"] != 3 || r["a template for other projects"] != 1 {
		t.Errorf("left out: %v", rep.Drops)
	}
}

// TestNothingIsCut: lists and steps that don't fit lose whole entries, never half of one.
func TestNothingIsCut(t *testing.T) {
	steps := ""
	for _, s := range []string{"schema", "client", "queue", "worker", "handler", "mapper"} {
		steps += "1. Update the " + s + " in `packages/shared/src/server/" + s + ".ts` (and its test, if the " + s + " has one that covers the change)\n"
	}
	for name, src := range map[string]string{
		"steps":          "## Adding a queue\n\n" + steps,
		"led-in steps":   "## Queues\n\nTo add a queue:\n\n" + steps,
		"one entry":      "## Bootstrap\n\n- Flow:\n  1. `task init` — render the templates from `cluster.yaml` and from `nodes.yaml`.\n  2. edit `cluster.yaml` and `nodes.yaml`, whose samples show the fields that are required.\n  3. `task configure` — render the manifests again, encrypt the secrets, check the schema of all of it.\n  4. commit the encrypted files and push them to the repository that the cluster follows.\n",
		"a cut-off lead": "## Use\n\nJ.Unknown should only be used for:\n\n- Syntax that no parser maps yet, whatever the language\n- Placeholders of the first version of a parser\n",
	} {
		chunks, _ := read(t, tree("AGENTS.md", "# T\n\n"+src))
		if len(chunks) != 1 {
			t.Fatalf("%s: %q", name, whats(chunks))
		}
		what := chunks[0].What
		if strings.Count(what, "`")%2 == 1 || strings.HasSuffix(what, " f") || strings.Contains(what, "…;") || strings.Contains(what, "1. ") {
			t.Errorf("%s: %q", name, what)
		}
	}
}

// TestGuides: a long file that names nothing of its repository is a copied guide; one name makes it
// the project's own.
func TestGuides(t *testing.T) {
	src := "# Formulas\n\n"
	for _, name := range []string{"par", "long", "text", "frac", "sqrt", "sum", "int", "left", "right", "over", "hat", "bar"} {
		src += "- Never use `\\" + name + "` inside of a macro.\n"
	}
	chunks, rep := read(t, tree(".cursor/rules/tex.mdc", src, "web/render.ts", ""))
	if len(chunks) != 0 || rep.Reasons()["a general guide"] != 12 {
		t.Errorf("a guide: kept %q, %v", whats(chunks), rep.Reasons())
	}
	chunks, _ = read(t, tree(".cursor/rules/tex.mdc", src+"- Never call `render` twice.\n", "web/render.ts", ""))
	if len(chunks) != 13 {
		t.Errorf("the project's own: kept %q", whats(chunks))
	}
}

// TestFinished: what was done is no rule.
func TestFinished(t *testing.T) {
	for _, head := range []string{"⬜ TASK 3: dead providers", "Task list", "Task 4"} {
		chunks, rep := read(t, tree("AGENTS.md", "# T\n\n## "+head+"\n\n- Remove `AuraAPI` from `types.ts` once all is migrated\n"))
		if len(chunks) != 0 || rep.Reasons()["status"] != 1 {
			t.Errorf("%s: %q, %v", head, whats(chunks), rep.Reasons())
		}
	}
	chunks, rep := read(t, tree("AGENTS.md", "# T\n\n## Phase 2 (completed)\n\n- ✅ Integration of `qwen` with the chat and the history of it\n"))
	if len(chunks) != 0 || rep.Reasons()["status"] != 1 {
		t.Errorf("%q, %v", whats(chunks), rep.Reasons())
	}
}

// TestListWithCode: code below a list belongs to its last entry if that leads it in.
func TestListWithCode(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## Tests\n\n- Never run `make all` twice.\n- For one package, prefer:\n```bash\ngo test -run Name ./cmd\n```\n"))
	if got := whats(chunks); len(got) != 2 || got[1] != "Tests: For one package, prefer: `go test -run Name ./cmd`" {
		t.Errorf("%q", got)
	}
}

// TestConditionalHeading: what stands below a condition keeps it.
func TestConditionalHeading(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## If you change...\n\n- `go.mod` → `make tidy`\n- Never push `dist/` by hand.\n"))
	if len(chunks) != 2 || !strings.HasPrefix(chunks[0].What, "If you change: ") || chunks[0].Type != file.WorkflowRecipe {
		t.Errorf("%+v", chunks)
	}
}

// TestOwnSlashCommands: files of a program's own slash commands are no list of an agent's.
func TestOwnSlashCommands(t *testing.T) {
	chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## Slash commands\n\n- `src/slash/index.ts` — definitions of all commands\n- `src/slash/run.ts` — how one runs\n", "src/slash/index.ts", "", "src/slash/run.ts", ""))
	if len(chunks) == 0 {
		t.Error("left out")
	}
}
