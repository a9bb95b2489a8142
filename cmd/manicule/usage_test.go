package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"manicule/indexer/graph"
)

// TestUsageErrors holds that a command line that can't be understood is answered in the
// product's own words, with a line that can.
func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args      string
		msg, hint string
	}{
		{"graph", "`manicule graph` needs FILE[#Symbol] | FILE:LINE | NAME | FOLDER", "`manicule graph src/auth/token.go#Store.Validate`, or `manicule graph --help`"},
		{"graph a b", "`manicule graph` has no use for \"b\"", "manicule graph --help"},
		{"status now", "`manicule status` has no use for \"now\"", "manicule status --help"},
		{"show", "`manicule show` needs ", "manicule show --help"},
		{"recall --nonsense", "there is no flag --nonsense", "manicule recall --help"},
		{"recall -x", "there is no flag -x", "manicule recall --help"},
		{"recall --limit", "--limit needs a value: how many at most", "manicule recall --help"},
		{"list --state fresch", `unknown state "fresch"`, "Did you mean fresh?"},
		{"list --layer tecnical", `unknown layer "tecnical"`, "Did you mean technical?"},
		{"list -C /tmp", "there is no flag -C", "manicule list --root DIR"},
		{"recall --limt 3", "there is no flag --limt", "Did you mean --limit?"},
		{"edit 1f2e --wht x", "there is no flag --wht", "Did you mean --what or --why?"},
		{"search --limit -3 x", "--limit takes a whole number from 0 on, not \"-3\"", "manicule search --help"},
		{"remember do not call Close twice", "`manicule remember` takes a text as one argument", "`manicule remember \"do not call Close twice\"`"},
		{"dispute 1f2e it is not so", "`manicule dispute` takes a view as one argument", "`manicule dispute 1f2e \"it is not so\"`"},
		{"revert 40f96e78 1", "`manicule revert` has no use for \"1\"", "`manicule revert 40f96e78 --to 1`"},
		{"edit 40f9 --confirm --what x", "--confirm stands alone: it would leave out --what", "`manicule edit 40f9 --what …` changes it"},
		{"edit 40f9 --deprecate gone --type decision", "--deprecate stands alone: it would leave out --type", "another `manicule edit 40f9 --deprecate`"},
		{"edit 40f9 --confirm --correct", "--correct needs a value", "`manicule edit 40f9 --what"},
		{"dispute", "`manicule dispute` needs ID", "manicule dispute --help"},
		{"thread add", "`manicule thread add` needs TEXT", "manicule thread add --help"},
		{"build new", "`manicule build new` needs TITLE", "manicule build new --help"},
		{"build add", "`manicule build add` needs ", "manicule build add --help"},
		{"record append", "`manicule record append` needs ID TEXT", "manicule record append --help"},
		{"record put", "`manicule record put` needs ", "manicule record put --help"},
		{"completion tcsh", "there are no completions for \"tcsh\", but for bash, fish, powershell, zsh", "`source <(manicule completion bash)`"},
		{"completion bash x", "`manicule completion bash` has no use for \"x\"", "manicule completion bash --help"},
		{"list --limit -1", "--limit takes a whole number from 0 on, not \"-1\"", "`manicule list --limit 100`, or"},
		{"search --limit -1 x", "--limit takes a whole number from 0 on, not \"-1\"", "`manicule search token refresh --limit "},
		{"purge --all", "there is no terminal to ask on", "`manicule purge --all --dry-run` lists"},
		{"recall --limit many", "--limit takes a whole number, not \"many\"", "manicule recall --help"},
		{"thread done", "`manicule thread done` needs ID", "manicule thread done --help"},
		{"work begin a b", "`manicule work begin` has no use for \"b\"", "manicule work begin --help"},
		{"record append 1", "`manicule record append` needs ID TEXT", "manicule record append --help"},
		{"delete 5b0d9a12", "unknown command \"delete\"", "Did you mean `manicule forget`?"},
		{"list --since 7d", "there is no flag --since", "--newer 7d"},
		{"thread ad", "unknown command \"thread ad\"", "Did you mean `manicule thread add`?"},
		{"build nonsense", "unknown command \"build nonsense\"", "manicule build --help"},
		{"verify --diff", "--diff needs a value", "`manicule verify --diff main --sarif"},
		{"purge", "give --personal, --workspace or --all", "manicule purge --help"},
		{"edit 1f2e --pin --unpin", "only one of --pin and --unpin can be given", "manicule edit --help"},
		{"init --dry-run --import", "only one of --dry-run and --import can be given", "manicule import --dry-run"},
		{"graph a --format png", "--format does not take \"png\": there is text, dot, mermaid and html", "manicule graph --help"},
	} {
		t.Run(c.args, func(t *testing.T) {
			a, _, complaint := testApp(t, strings.Fields(c.args)...)
			if code := a.run(); code != exitUsage {
				t.Errorf("exit code %d", code)
			}
			msg, hint, _ := strings.Cut(complaint.String(), "\n  try: ")
			if !strings.Contains(msg, c.msg) || !strings.Contains(hint, c.hint) {
				t.Errorf("got %q and %q", msg, hint)
			}
		})
	}
}

// TestDashedText: a text that begins with a dash, as an item of a list does, is no unknown flag, and what is told to do works.
func TestDashedText(t *testing.T) {
	for text, example := range map[string]string{"- [ ] ship it": `"- [ ] ship it"`, "-- see below": `"-- see below"`, "- `x` fails": "TEXT"} {
		a, _, complaint := testApp(t, "build", "add", text)
		if code := a.run(); code != exitUsage {
			t.Errorf("%q: exit code %d", text, code)
		}
		if got := complaint.String(); !strings.Contains(got, "a text that begins with a dash is taken for a flag") || !strings.Contains(got, "`manicule build add -- "+example+"`") {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestFlagsHaveOneWord holds that a flag's value is named by one word in the help: what stands between
// backticks in the text of a flag would be that name.
func TestFlagsHaveOneWord(t *testing.T) {
	a, _, _ := testApp(t)
	for _, c := range everyCommand(newRootCommand(newCLI(a, a.in, &output{}))) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); strings.ContainsAny(name, " /") || name == "manicule" {
				t.Errorf("%s --%s takes a %q", c.CommandPath(), f.Name, name)
			}
		})
	}
}

// TestGroups holds that the help begins with ten commands, that each group names commands
// that exist, and none twice.
func TestGroups(t *testing.T) {
	a, _, _ := testApp(t)
	root := newRootCommand(newCLI(a, a.in, &output{}))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var exist, seen []string
	for _, c := range root.Commands() {
		exist = append(exist, c.Name())
	}
	for id, names := range groupOf() {
		if id == groupEveryday && len(names) != 10 {
			t.Errorf("%d commands for every day", len(names))
		}
		for _, name := range names {
			if !slices.Contains(exist, name) || slices.Contains(seen, name) {
				t.Errorf("%s: %s is none, or is there twice", id, name)
			}
			seen = append(seen, name)
		}
	}
}

// TestIndexLines holds that indexing without a terminal says where it is every few seconds,
// in whole lines, and nothing at all if it is short.
func TestIndexLines(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	var err bytes.Buffer
	show := indexLines(&console{err: &err}, func() time.Time { return now })
	for i := range 100 {
		phase := "read"
		if i >= 80 {
			phase = "resolve"
		}
		show(graph.Progress{Phase: phase, Done: i, Total: 100})
		now = now.Add(100 * time.Millisecond)
	}
	want := "manicule: read 20 of 100 files\nmanicule: read 50 of 100 files\nmanicule: resolved 80 of 100 files\n"
	if err.String() != want {
		t.Errorf("got:\n%s", err.String())
	}
	// Work that begins late is not long for that.
	err.Reset()
	late := progressOnce(&console{err: &err}, func() time.Time { return now }, "read", "memory files")
	now = now.Add(time.Hour)
	late(1, 88)
	if err.Len() > 0 {
		t.Errorf("short work is reported: %s", err.String())
	}
}

// TestEmbeddingLines holds that work of many minutes says every ten seconds where it is and how long
// it takes, without what an earlier run did.
func TestEmbeddingLines(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	var err bytes.Buffer
	show := progressBy(&console{err: &err}, func() time.Time { return now }, "has embedded", "pieces of code")
	for done := 40_000; done <= 100_000; done += 100 {
		show(done, 100_000)
		now = now.Add(time.Second)
	}
	lines := strings.Split(strings.TrimSuffix(err.String(), "\n"), "\n")
	if n := len(lines); n < 60 || n > 75 {
		t.Errorf("%d lines in 10 minutes", n)
	}
	for at, want := range map[int]string{
		0:              "manicule: has embedded 40,200 of 100,000 pieces of code",
		10:             "manicule: has embedded 43,300 of 100,000 pieces of code, about 9 minutes left",
		len(lines) - 1: "manicule: has embedded 99,300 of 100,000 pieces of code",
	} {
		if lines[at] != want {
			t.Errorf("line %d is %q, want %q", at, lines[at], want)
		}
	}
}

// TestFitted holds that descriptions fit into a terminal, and that what is laid out stays.
func TestFitted(t *testing.T) {
	kept := "One line.\nAnother.\n\n  1  a list of levels that is laid out by hand and has a line which is longer than the others are"
	if got := fitted(kept, maxProseWidth); got != kept {
		t.Errorf("got %q", got)
	}
	if got := fitted(strings.Repeat("word ", 25)+"\nend", maxProseWidth); got != strings.TrimSpace(strings.Repeat("word ", 19))+"\n"+strings.Repeat("word ", 6)+"end" {
		t.Errorf("got %q", got)
	}
	a, _, _ := testApp(t)
	root := newRootCommand(newCLI(a, a.in, &output{}))
	for _, c := range root.Commands() {
		for _, each := range append(c.Commands(), c) {
			for line := range strings.SplitSeq(each.Long, "\n") {
				if n := len([]rune(line)); n > maxProseWidth+5 {
					t.Errorf("%s: a line of %d characters: %s", each.CommandPath(), n, line)
				}
			}
		}
	}
}

// TestHelpFitsTheTerminal holds that the descriptions of flags are broken to the width of the terminal, and those of
// commands.
func TestHelpFitsTheTerminal(t *testing.T) {
	for _, width := range []int{50, 60, 80, 100} {
		for command, words := range map[string]string{
			"":     "work Units of work: issues, tickets, specifications, missions, and what is learned in them build",
			"work": "accept A unit is accepted: what was learned in it is offered, and a mission's memories are the project's reject",
		} {
			a, out, _ := testApp(t, append(strings.Fields(command), "--help")...)
			a.tty, a.columns = true, func() int { return width }
			if code := a.run(); code != exitOK {
				t.Fatalf("exit code %d", code)
			}
			help, _, _ := strings.Cut(out.String(), "\nFlags:\n")
			if !strings.Contains(strings.Join(strings.Fields(help), " "), words) {
				t.Errorf("%d columns: words are missing: %s", width, help)
			}
			prose, rest, _ := strings.Cut(help, "\nUsage:\n")
			if _, commands, found := strings.Cut(rest, "\nAvailable Commands:\n"); found { // examples are to be copied
				rest = commands
			}
			for line := range strings.SplitSeq(prose+rest, "\n") {
				if len([]rune(line)) > width {
					t.Errorf("%d columns: %q", width, line)
				}
			}
		}
	}
	for width, most := range map[int]int{60: 60, 80: 80, 400: maxHelpWidth} {
		a, out, _ := testApp(t, "remember", "--help")
		a.tty, a.columns = true, func() int { return width }
		if code := a.run(); code != exitOK {
			t.Fatalf("exit code %d", code)
		}
		_, flags, _ := strings.Cut(out.String(), "\nFlags:\n")
		longest := 0
		for line := range strings.SplitSeq(flags, "\n") {
			longest = max(longest, len([]rune(line)))
		}
		if longest > most || longest < most-20 {
			t.Errorf("%d columns: the longest line has %d characters, want up to %d", width, longest, most)
		}
		if words := strings.Join(strings.Fields(flags), " "); !strings.Contains(words, "FILE#Symbol or the bare name of a symbol; repeat for several --cite") {
			t.Errorf("%d columns: words are missing: %s", width, words)
		}
	}
}

// TestNearCommands holds that a misspelled command is answered with the nearest ones, and what only
// editors and agents start after the others.
func TestNearCommands(t *testing.T) {
	for typed, want := range map[string]string{
		"lst":    "Did you mean `manicule list` or `manicule lsp`?",
		"rember": "Did you mean `manicule remember`?",
		"st":     "Did you mean `manicule status` or `manicule list`?",
	} {
		a, _, complaint := testApp(t, typed)
		if code := a.run(); code != exitUsage || !strings.Contains(complaint.String(), want) {
			t.Errorf("%s: exit code %d, %s", typed, code, complaint)
		}
	}
}
