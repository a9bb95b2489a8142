package observe

import (
	"testing"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
)

// TestNotRun: a check whose program is not on the machine is left, and stands at no file, unless something else checked the work.
func TestNotRun(t *testing.T) {
	const zsh = "zsh:1: command not found: pytest"
	for _, tt := range []struct {
		name string
		play func(*play)
		want string
	}{
		{"no such program", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh) }, "pytest -q: " + zsh},
		{"below other words", func(p *play) {
			p.edit("a.py", "1", "2").sh("pytest -q", "shellenv.sh: line 18: /bin/ps: Operation not permitted\n"+zsh)
		}, "pytest -q: " + zsh},
		{"before the last edit", func(p *play) { p.sh("pytest -q", zsh).edit("a.py", "1", "2") }, "pytest -q: " + zsh},
		{"nothing was changed", func(p *play) { p.sh("pytest -q", zsh) }, ""},
		{"run in another way", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("uv run pytest -q", "") }, ""},
		{"another check passed", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("ruff check .", "") }, ""},
		{"committed all the same", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("git commit -m x", "") }, ""},
		{"a formatter", func(p *play) {
			p.edit("a.rs", "1", "2").sh("cargo fmt --all", "bash: line 1: cargo: command not found")
		}, ""},
		{"no check", func(p *play) { p.edit("a.py", "1", "2").sh("jq . a.json", "zsh:1: command not found: jq") }, ""},
	} {
		p := newPlay().say("Change it")
		tt.play(p)
		got := ""
		for _, b := range p.f.Report().Work.Fails {
			got += b.Command + ": " + b.Line + b.At
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestNothingToRun: a check that looked where there is nothing to check, or whose program the package does not have, says nothing
// about the work.
func TestNothingToRun(t *testing.T) {
	for _, failed := range []string{
		"Exit code 1\nundefined\n ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"vitest\" not found",
		"Exit code 1\nNo test files found, exiting with code 1\n\nfilter: test/cli.test.ts",
		"Exit code 1\nNo tests found, exiting with code 1\nRun with `--passWithNoTests`",
		"Exit code 5\ncollected 0 items\n\n==== no tests ran in 0.01s ====",
	} {
		p := newPlay().say("Add the flag").edit("packages/a/cli.ts", "1", "2").sh("cd packages/a && pnpm vitest run test/cli.test.ts", failed).sh("git commit -am 'Add the flag'", "")
		if e := p.f.Episode(); e.Outcome != episode.Success {
			t.Errorf("%s: %s, %q", failed, e.Outcome, e.Evidence)
		}
		r := newPlay().edit("packages/a/cli.ts", "1", "2").sh("cd packages/a && pnpm vitest run test/cli.test.ts", failed).f.Report()
		if len(r.Work.Fails) != 0 {
			t.Errorf("%s: left %v", failed, r.Work.Fails)
		}
	}
}

// TestTestsOfAnotherFolder: a run that found no tests is settled by the next one that names the same ones from another folder.
func TestTestsOfAnotherFolder(t *testing.T) {
	if !cmdline.Misused("No test files found, exiting with code 1") || cmdline.Misused("expected 3 tests, found 2") {
		t.Error("that a runner found no tests is about its call")
	}
	const none, works = "Exit code 1\nNo test files found, exiting with code 1", "pnpm test --watch false packages/a/test/cli.test.ts"
	for _, tt := range []struct{ failed, worked, want string }{
		{"cd packages/a && pnpm vitest run test/cli.test.ts", works, works},
		{"cd packages/a && pnpm vitest run test/other.test.ts", works, ""},
		{"cd packages/a && pnpm vitest run", works, ""},
		{"cd packages/a && pnpm vitest run test/cli.test.ts", "git add packages/a/test/cli.test.ts", ""},
	} {
		p := newPlay().sh(tt.failed, none).sh(tt.worked, "")
		got := ""
		for _, f := range p.f.Report().Failures {
			got += f.Fix
		}
		if got != tt.want {
			t.Errorf("%s, then %s: %q, want %q", tt.failed, tt.worked, got, tt.want)
		}
	}
}

// TestScriptOfAProgram: a program that the package does not have is run by the script of its kind.
func TestScriptOfAProgram(t *testing.T) {
	const none = "Exit code 1\nundefined\n ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command \"eslint\" not found"
	for worked, want := range map[string]string{
		"pnpm --filter a lint": "pnpm --filter a lint",
		"pnpm --filter a test": "",
		"npm run lint":         "",
		"pnpm install":         "",
	} {
		got := ""
		for _, f := range newPlay().sh("pnpm --filter a exec eslint src", none).sh(worked, "").f.Report().Failures {
			got += f.Fix
		}
		if got != want {
			t.Errorf("%s: %q, want %q", worked, got, want)
		}
	}
}

// TestNeedsBefore: what a missing module breaks, and the same call does after something was built or installed, needs that. A finding
// that was mended, or that goes by itself, does not.
func TestNeedsBefore(t *testing.T) {
	const missing, wrong = "Exit code 2\nsrc/a.ts(1,47): error TS2307: Cannot find module '@x/server' or its corresponding type declarations.", "Exit code 2\nsrc/a.ts(1,47): error TS2339: Property 'a' does not exist."
	check := "pnpm --filter a typecheck"
	for name, tt := range map[string]struct {
		play func(p *play)
		want string
	}{
		"built":         {func(p *play) { p.sh(check, missing).sh("pnpm build --filter @x/server", "").sh(check, "") }, "before pnpm build --filter @x/server"},
		"edited":        {func(p *play) { p.sh(check, missing).edit("src/a.ts", "0", "1").sh("pnpm build", "").sh(check, "") }, ""},
		"not built":     {func(p *play) { p.sh(check, missing).sh("git status", "").sh(check, "") }, ""},
		"another error": {func(p *play) { p.sh(check, wrong).sh("pnpm build", "").sh(check, "") }, ""},
		"python": {func(p *play) {
			p.sh("pytest -q", "ModuleNotFoundError: No module named 'yaml'").sh("uv sync", "").sh("pytest -q", "")
		}, "before uv sync"},
	} {
		p := newPlay()
		tt.play(p)
		got := ""
		for _, f := range p.f.Report().Failures {
			if f.Need != "" {
				got += string(f.Need) + " " + f.Lacked
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	what, _, _ := signal.UnmetNeed{Need: failures.NeedsBefore, Command: "pnpm typecheck", Name: "pnpm build", Message: "x"}.Sentence(signal.Extent{Sessions: 2})
	if what != "`pnpm typecheck` needs `pnpm build` before it." {
		t.Errorf("it reads %q", what)
	}
}

// TestNoNetwork: a check that could not reach a host is nothing to go on with, but a push that did not is.
func TestNoNetwork(t *testing.T) {
	for _, failed := range []string{"Error: getaddrinfo ENOTFOUND registry.npmjs.org", "dial tcp: lookup proxy.golang.org: no such host", "curl: (6) Could not resolve host: repo1.maven.org",
		"java.net.UnknownHostException: repo.gradle.org", "socket.gaierror: [Errno -3] Temporary failure in name resolution"} {
		r := newPlay().say("Add the flag").edit("a/cli.ts", "1", "2").sh("npm test", "Exit code 1\n"+failed).f.Report()
		if len(r.Work.Fails) != 0 {
			t.Errorf("%s is left: %+v", failed, r.Work.Fails)
		}
	}
	r := newPlay().say("Add the flag").edit("a/cli.ts", "1", "2").sh("npm test", "Exit code 1\nTypeError: x is undefined").f.Report()
	if len(r.Work.Fails) != 1 {
		t.Errorf("a failed test: %+v", r.Work.Fails)
	}
	r = newPlay().say("Push it").edit("a/cli.ts", "1", "2").sh("git push", "fatal: unable to access 'https://git.example/': Could not resolve host: git.example").f.Report()
	if len(r.Work.Fails) != 1 {
		t.Errorf("a push: %+v", r.Work.Fails)
	}
}
