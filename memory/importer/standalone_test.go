package importer

import (
	"slices"
	"strings"
	"testing"

	"manicule/memory/file"
)

// TestStandsAlone: what import keeps can be understood without its file.
func TestStandsAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		src    string
		want   []string
		reason string // of the drop that must be there
	}{
		"a lead-in without its block": {"## Tests\n\nUse the runner like this:\n\n## Next\n\nAlways run the linter before a push.\n", []string{"Next: Always run the linter before a push."}, "lead-in without its block"},
		"a lead-in that is complete":  {"When running tests, use the `--watch false` flag to avoid watch mode:\n\nThe runner is Vitest.\n", []string{"When running tests, use the `--watch false` flag to avoid watch mode."}, ""},
		"a lead-in that names code":   {"Always use the `Client` for requests such as these:\n\nNever commit to the release branch.\n", []string{"Never commit to the release branch."}, "lead-in without its block"},
		"a sentence about others":     {"## Dialogs\n\nThese prevent the overflow that comes back with each copy.\n\nWidths include the border since `v2`.\n", []string{"Dialogs: Widths include the border since `v2`."}, "refers to what stands elsewhere"},
		"rules below such a sentence": {"# Rules\n\nThese rules prevent outages:\n\n- Always use `pnpm` in the web client, never npm: the lockfile is shared\n- Never log a token, not even in debug mode\n", []string{"Always use `pnpm` in the web client, never npm: the lockfile is shared", "Never log a token, not even in debug mode"}, "refers to what stands elsewhere"},
		"a sentence that goes on":     {"## Cache\n\nThe cache holds parsed `File`s.\n\nIt is dropped when the schema changes.\n", []string{"The cache holds parsed `File`s."}, ""},
		"a listing of folders":        {"## Layout\n\n- `cmd/` - entry points\n- `pkg/` - libraries\n- `web/` - the site\n", []string{"Layout: `cmd/` - entry points; `pkg/` - libraries; `web/` - the site"}, ""},
		"commands":                    {"## Commands\n\n- Build: `go build ./...`\n- Test: `go test ./...`\n", []string{"Commands: Build: `go build ./...`; Test: `go test ./...`"}, ""},
		"code stays with its line":    {"Run one test by its name:\n\n```sh\ngo test -run Name ./...\n```\n", []string{"Run one test by its name: `go test -run Name ./...`"}, ""},
		"slash commands":              {"## Slash commands\n\n- `/review` reviews the branch\n- `/ship` makes the release\n", nil, "slash commands"},
		"skills":                      {"## Available skills\n\n- Profiling: how to profile the server\n- Tracing: how to trace a request\n", nil, "slash commands"},
		"talk":                        {"Thanks for helping, we love your ideas.\n\nNever commit to the release branch.\n", []string{"Never commit to the release branch."}, "talk"},
		"what a day was like":         {"## Roadmap\n\n- Add themes to the web page\n- Add an export of charts\n", nil, "status"},
		"the file itself":             {"Update this table whenever a feature lands.\n\nNever commit to the release branch.\n", []string{"Never commit to the release branch."}, "about the file itself"},
		"entries that go on a lead":   {"Update the threat model when:\n\n- a public API is added or removed\n- a parser changes its limits\n", []string{"Update the threat model when: a public API is added or removed; a parser changes its limits"}, ""},
		"code without a fence":        {"## Forms\n\nSelect::make('type') ->options(CompanyType::class) ->visible(fn (Get $get): bool => $get('type') === 'business'),\n\nNever commit to the release branch.\n", []string{"Forms: Never commit to the release branch."}, "code"},
		"a divider":                   {"=== filament rules ===\n\nNever commit to the release branch.\n", []string{"Never commit to the release branch."}, "fragment"},
		"a persona":                   {"## Your Role\n\n- You implement features and fix bugs.\n- Never edit files below `vendor/`, ask first.\n", []string{"Your Role: Never edit files below `vendor/`, ask first."}, "persona"},
		"labels keep their values": {"## Project overview\n\n- Language: Go, with the version that the module file requires, at the moment one point twenty-five, and no other compiler\n- Frontend: an Elm application below the folder of the user interface, whose Node version is pinned in a file\n- API: version two, generated from the description in `api/openapi.yaml` by a script of the repository\n",
			[]string{"Language: Go, with the version that the module file requires, at the moment one point twenty-five, and no other compiler", "Frontend: an Elm application below the folder of the user interface, whose Node version is pinned in a file", "API: version two, generated from the description in `api/openapi.yaml` by a script of the repository"}, ""},
		"a heading that only warns":  {"## Common Gotchas\n\n- Use `tea.Batch()` when returning multiple commands.\n\n## Widths\n\n### Gotchas & caveats\n\n- Always account for padding in `View`.\n", []string{"Use `tea.Batch()` when returning multiple commands.", "Widths: Always account for padding in `View`."}, ""},
		"a heading with the mistake": {"## Common Pitfalls\n\n- Forgetting to close `resp.Body`.\n", []string{"Common Pitfalls: Forgetting to close `resp.Body`."}, ""},
		"a question":                 {"Which branch should I use as a base?\n\nNever commit to the release branch.\n", []string{"Never commit to the release branch."}, "fragment"},
	} {
		chunks, rep := read(t, tree("CLAUDE.md", "# T\n\n"+tt.src))
		if got := whats(chunks); !slices.Equal(got, tt.want) {
			t.Errorf("%s: kept %q, want %q", name, got, tt.want)
		}
		if tt.reason != "" && rep.Reasons()[tt.reason] == 0 {
			t.Errorf("%s: nothing was dropped as %q: %v", name, tt.reason, rep.Drops)
		}
	}
}

// TestTypes: a rule is a convention or a requirement, a fact an insight, a trap a gotcha.
func TestTypes(t *testing.T) {
	for text, want := range map[string]file.Type{
		"Do not add author tags to source files.":                                    file.Convention,
		"Every handler image must list its dependencies by hand.":                    file.Requirement,
		"The cache holds the `File`s of one workspace.":                              file.ModuleInsight,
		"Never run two benchmarks at once: the results are silently wrong.":          file.Gotcha,
		"Decision: the monorepo root is a workspace and no build target.":            file.Decision,
		"Consolidate handlers that catch the same exception into one block of code.": file.Convention,
	} {
		chunks, _ := read(t, tree("AGENTS.md", "# T\n\n## Packages\n\n"+text+"\n"))
		if len(chunks) != 1 || chunks[0].Type != want {
			t.Errorf("%q: %+v, want %s", text, chunks, want)
		}
	}
}

// TestLowerCaseNames: a document named agents.md is no rule file, unless it lies at the root.
func TestLowerCaseNames(t *testing.T) {
	var got []string
	for _, s := range Find([]string{"agents.md", "docs/ja/agents.md", "docs/AGENTS.md", "web/claude.md"}) {
		got = append(got, s.Path)
	}
	if want := []string{"agents.md", "docs/AGENTS.md"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestTally(t *testing.T) {
	chunks, rep := read(t, tree("CLAUDE.md", "# T\n\n- Always run the formatter before a push.\n- The cache holds parsed files of `tree`.\n- Never write to the log without its lock.\n\n![x](y)\n"))
	var got []string
	for _, l := range TallyOf(chunks, rep) {
		got = append(got, l.String())
	}
	if s := strings.Join(got, "\n"); s != "CLAUDE.md: 1 module insight, 2 conventions; 1 left out" {
		t.Errorf("tally: %q", s)
	}
}
