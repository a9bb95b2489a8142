package phase

import (
	"slices"
	"testing"

	"manicule/hooks/event"
	"manicule/memory/config"
	"manicule/memory/file"
	"manicule/memory/retrieve"
)

func TestNative(t *testing.T) {
	read, edit := Step{Class: event.Read}, Step{Class: event.Edit}
	pass := Step{Class: event.Shell, Command: "go test ./..."}
	fail := Step{Class: event.Shell, Command: "cd web && npm test", Failed: true}
	prompt := func(s string) Step { return Step{Prompt: s} }
	many := func(s Step, n int) (out []Step) {
		for range n {
			out = append(out, s)
		}
		return out
	}
	for name, c := range map[string]struct {
		steps []Step
		want  retrieve.Phase
	}{
		"nothing":             {nil, retrieve.NoPhase},
		"one look":            {[]Step{read}, retrieve.NoPhase},
		"looking around":      {many(read, 4), retrieve.Explore},
		"a plan":              {[]Step{prompt("Propose a design for the cache"), read}, retrieve.Define},
		"a plan to carry out": {append([]Step{prompt("Implement the following plan")}, many(read, 3)...), retrieve.Explore},
		"changing":            {append(many(read, 4), edit), retrieve.Implement},
		"checking":            {[]Step{edit, pass}, retrieve.Validate},
		"a tool of a project": {[]Step{edit, {Class: event.Shell, Command: "vendor/bin/phpunit --filter Cache"}}, retrieve.Validate},
		"one of npm":          {[]Step{edit, {Class: event.Shell, Command: "cd web && ./node_modules/.bin/jest"}}, retrieve.Validate},
		"a folder":            {[]Step{edit, {Class: event.Shell, Command: "ls robin/jest"}}, retrieve.Implement},
		"mending":             {[]Step{edit, fail, read}, retrieve.Refine},
		"mended":              {[]Step{edit, fail, edit, pass}, retrieve.Validate},
		"done":                {[]Step{edit, pass, {Class: event.Shell, Command: "git commit -am x"}}, retrieve.Reflect},
		"long ago":            {append([]Step{edit}, many(read, 12)...), retrieve.Explore},
		"only a word of it":   {[]Step{edit, {Class: event.Shell, Command: "cat contest.txt"}}, retrieve.Implement},
	} {
		if got := (Native{}).Phase(c.steps); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestMethodologies: the same steps mean something else to each.
func TestMethodologies(t *testing.T) {
	read := Step{Class: event.Read}
	write := func(paths ...string) Step { return Step{Class: event.Edit, Paths: paths} }
	pass := Step{Class: event.Shell, Command: "go test ./..."}
	fail := Step{Class: event.Shell, Command: "go test ./...", Failed: true}
	commit := Step{Class: event.Shell, Command: "git commit -m x"}
	spec, code, test := write("/r/specs/cache/plan.md"), write("/r/cache.go"), write("/r/cache_test.go")
	for name, c := range map[string]struct {
		steps              []Step
		native, specs, tdd retrieve.Phase
	}{
		"nothing":               {nil, "", "", ""},
		"looking around":        {[]Step{read, read, read}, retrieve.Explore, retrieve.Explore, retrieve.Explore},
		"planning mode":         {[]Step{read, {Class: event.Read, Plan: true}}, "", retrieve.Define, ""},
		"writing a plan":        {[]Step{read, spec}, retrieve.Implement, retrieve.Define, retrieve.Implement},
		"a plan, then code":     {[]Step{spec, code}, retrieve.Implement, retrieve.Implement, retrieve.Implement},
		"a plan is committed":   {[]Step{spec, commit}, retrieve.Reflect, retrieve.Reflect, retrieve.Reflect},
		"writing a test":        {[]Step{read, test}, retrieve.Implement, retrieve.Implement, retrieve.Define},
		"red":                   {[]Step{test, fail}, retrieve.Refine, retrieve.Refine, retrieve.Implement},
		"red, then code":        {[]Step{test, fail, code}, retrieve.Refine, retrieve.Refine, retrieve.Implement},
		"green":                 {[]Step{test, fail, code, pass}, retrieve.Validate, retrieve.Validate, retrieve.Validate},
		"green, then in order":  {[]Step{test, fail, code, pass, code}, retrieve.Implement, retrieve.Implement, retrieve.Refine},
		"the next test":         {[]Step{test, fail, code, pass, test}, retrieve.Implement, retrieve.Implement, retrieve.Define},
		"code and test at once": {[]Step{write("/r/a.go", "/r/a_test.go")}, retrieve.Implement, retrieve.Implement, retrieve.Implement},
	} {
		for m, want := range map[string]retrieve.Phase{"native": c.native, "spec-driven": c.specs, "test-first": c.tdd, "unknown": c.native} {
			if got := Named(m).Phase(c.steps); got != want {
				t.Errorf("%s, %s: %q, want %q", name, m, got, want)
			}
		}
	}
	for _, p := range []string{"a_test.go", "src/x.test.ts", "spec/models/a_spec.rb", "tests/a.py", "test_a.py", "FooTests.cs", `src\__tests__\a.js`} {
		if !isTest(write(p)) {
			t.Errorf("%s is a test", p)
		}
	}
	for _, p := range []string{"latest.go", "contest.go", "attest/a.go", "spec.md"} {
		if isTest(write(p)) {
			t.Errorf("%s is none", p)
		}
	}
	for _, p := range []string{"README.md", "specs/a.go", "plan.go", "docs/tasks-list/a.md"} {
		if isDocument(write(p)) {
			t.Errorf("%s is no plan", p)
		}
	}
}

// TestNames: the setting, the files of memories and the rules know the same methodologies.
func TestNames(t *testing.T) {
	var rules []string
	for _, m := range methodologies() {
		rules = append(rules, m.Name())
	}
	i := slices.IndexFunc(config.Settings(), func(k config.Setting) bool { return k.Key == "hooks.methodology" })
	if files := file.Methodologies(); !slices.Equal(rules, files) || i < 0 || !slices.Equal(config.Settings()[i].Enum, files) {
		t.Errorf("rules %q, files %q", rules, files)
	}
}
