package reviews

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// The forms that are read, as their documentation shows them.
const (
	restComments = `[
 {"id": 10, "pull_request_review_id": 42, "diff_hunk": "@@ -1 +1 @@", "path": "store/put.go", "line": 7, "position": 3, "user": {"login": "ada", "type": "User"},
  "author_association": "MEMBER", "html_url": "https://github.com/o/r/pull/7#discussion_r10", "body": "We never hold the lock while we call the network. Use a copy instead of the map."},
 {"id": 11, "in_reply_to_id": 10, "diff_hunk": "@@", "path": "store/put.go", "line": 7, "position": 3, "user": {"login": "bea", "type": "User"}, "author_association": "NONE", "body": "Done"},
 {"id": 12, "diff_hunk": "@@", "path": "a.go", "line": null, "position": null, "user": {"login": "eve", "type": "User"}, "author_association": "NONE", "body": "Always wrap errors with ` + "`fmt.Errorf`" + ` instead of returning them as they are."},
 {"id": 13, "diff_hunk": "@@", "path": "a.go", "line": 2, "position": 1, "user": {"login": "codecov[bot]", "type": "Bot"}, "body": "Always cover lines with tests instead of nothing."}
]`
	reviews = `[{"id": 1, "user": {"login": "ada"}, "state": "APPROVED", "body": ""}, {"id": 2, "user": {"login": "ada"}, "state": "COMMENTED", "body": "LGTM, nice work"}]`
	ghView  = `{"comments": [{"id": "IC_1", "author": {"login": "ada"}, "authorAssociation": "OWNER", "body": "Never log the token, not even in debug builds.", "url": "https://x/1"}], "reviews": [{"id": "PRR_1", "author": {"login": "bea"}, "authorAssociation": "MEMBER", "body": "What about a test?", "state": "COMMENTED"}]}`
	graphQL = `{"data": {"repository": {"pullRequest": {"reviewThreads": {"nodes": [{"id": "T1", "isResolved": true, "isOutdated": false, "path": "api/h.go", "line": 5, "comments": {"nodes": [
  {"id": "C1", "author": {"login": "ada"}, "authorAssociation": "MEMBER", "body": "Handlers must not write to the response after ` + "`next`" + `, because the proxy has already sent the headers."},
  {"id": "C2", "author": {"login": "bea"}, "body": "ok"}]}}]}}}}}`
	gitLab = `[{"id": "d1", "individual_note": false, "notes": [
  {"id": 5, "system": false, "author": {"username": "ada"}, "body": "Prefer ` + "`Option`" + ` instead of null in public functions.", "resolvable": true, "resolved": true, "position": {"new_path": "src/a.ts", "new_line": 9}},
  {"id": 6, "system": false, "author": {"username": "bea"}, "body": "changed"}]},
 {"id": "d2", "individual_note": true, "notes": [{"id": 7, "system": true, "author": {"username": "ada"}, "body": "added 1 commit"}]}]`
	checks = `{"check_runs": [{"id": 1, "name": "lint", "conclusion": "failure", "output": {"summary": "Never import ` + "`unsafe`" + ` outside of internal packages."}}, {"id": 2, "name": "test", "conclusion": "success", "output": {"summary": "fine"}}]}`
)

func show(c Comment) string {
	return fmt.Sprintf("%s %s %s:%d member=%t bot=%t reply=%t settled=%t check=%t", c.ID, c.Author, c.Path, c.Line, c.Member, c.Bot, c.Reply, c.Settled, c.Check)
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"REST", restComments, `10 ada store/put.go:7 member=true bot=false reply=false settled=false check=false
11 bea store/put.go:7 member=false bot=false reply=true settled=false check=false
12 eve a.go:0 member=false bot=false reply=false settled=true check=false
13 codecov[bot] a.go:2 member=false bot=true reply=false settled=false check=false`},
		{"reviews", reviews, `2 ada :0 member=false bot=false reply=false settled=false check=false`},
		{"gh pr view", ghView, `PRR_1 bea :0 member=true bot=false reply=false settled=false check=false
IC_1 ada :0 member=true bot=false reply=false settled=false check=false`},
		{"GraphQL", graphQL, `C1 ada api/h.go:5 member=true bot=false reply=false settled=true check=false
C2 bea api/h.go:5 member=false bot=false reply=true settled=true check=false`},
		{"GitLab", gitLab, `5 ada src/a.ts:9 member=false bot=false reply=false settled=true check=false
6 bea :0 member=false bot=false reply=true settled=false check=false`},
		{"remarks of a review, without their author", `{"mergedAt": "x", "author": "bea", "body": "Never read the description.", "reviews": [{"id": "R1", "state": "COMMENTED", "author": "ada", "authorAssociation": "MEMBER", "body": "", "comments": [{"originalPosition": 8, "body": "Never use globals."}, {"originalPosition": 9, "body": "Why so?"}]}]}`,
			`R1#0 ada :0 member=true bot=false reply=false settled=false check=false
R1#1 ada :0 member=true bot=false reply=false settled=false check=false`},
		{"checks", checks, `1 lint :0 member=false bot=false reply=false settled=false check=true`},
		{"several, in pages", `{"comments": [` + restComments + `], "checks": ` + checks + `}`, `10 ada store/put.go:7 member=true bot=false reply=false settled=false check=false
11 bea store/put.go:7 member=false bot=false reply=true settled=false check=false
12 eve a.go:0 member=false bot=false reply=false settled=true check=false
13 codecov[bot] a.go:2 member=false bot=true reply=false settled=false check=false
1 lint :0 member=false bot=false reply=false settled=false check=true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Parse([]byte(tt.in))
			must.OK(t, err)
			var got []string
			for _, c := range list {
				got = append(got, show(c))
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
	for _, in := range []string{`[]`, `{}`, `{"message": "Not Found"}`, `7`, `null`} {
		if _, err := Parse([]byte(in)); !errors.Is(err, ErrNoComments) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := Parse([]byte(`[{`)); err == nil || errors.Is(err, ErrNoComments) {
		t.Errorf("half a file: %v", err)
	}
	if _, err := Parse([]byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000))); !errors.Is(err, ErrNoComments) {
		t.Errorf("deep: %v", err)
	}
}

// TestPullRequest: in a pull request as GitHub's API has it, with its timeline, what its author says of it is
// no review.
func TestPullRequest(t *testing.T) {
	const data = `{"type": "pull", "pull": {"id": 1, "diff_url": "x", "user": {"login": "bea"}, "body": "Always close the body instead of leaving it."},
		"events": [{"event": "committed", "sha": "a"}, {"event": "commented", "id": 2, "user": {"login": "ada"}, "author_association": "MEMBER", "body": "Never use globals instead of parameters."}],
		"comments": [{"id": 3, "user": {"login": "ada"}, "path": "a.go", "position": null, "diff_hunk": "@@", "body": "Never use panics instead of errors."}]}`
	list, err := Parse([]byte(data))
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprintf("%s %s %t %t", c.ID, c.Author, c.Member, c.Settled))
	}
	if err != nil || !slices.Equal(got, []string{"3 ada false true", "2 ada true false"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSuggest(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       string // the suggestion, or the reason for none
	}{
		{"rule", "We never hold the lock while we call the network.", "We never hold the lock while we call the network."},
		{"of this project", "In this repository we always wrap errors.", "In this repository we always wrap errors."},
		{"of this project, told", "In this codebase, never compare errors with `==`.", "In this codebase, never compare errors with `==`."},
		{"of this project, at the end", "We never log secrets in this project.", "We never log secrets in this project."},
		{"of this function", "In this function we always hold the lock.", string(IsOnce)},
		{"of this project, about the change", "In this repository we always had that bug.", string(IsOnce)},
		{"of code with such a word", "We never call time.Now() in handlers, because tests freeze the clock.", "We never call time.Now() in handlers, because tests freeze the clock."},
		{"of code in backquotes", "Never write to `this.state`, because React compares it.", "Never write to `this.state`, because React compares it."},
		{"of two halves", "We never call `Now()` in handlers; use the clock of the request.", "We never call `Now()` in handlers; use the clock of the request."},
		{"of code now", "We never call `Clock` now in handlers.", string(IsOnce)},
		{"a lead-in of a list", "We never call these in handlers;", string(IsOnce)},
		{"short", "We don't vertically align variables.", "We don't vertically align variables."},
		{"an aside", "(and we avoid anyone thinking that fewer `acks` always mean less throughput).", string(IsOnce)},
		{"rule with its reason", "Always close the body. Otherwise the connection is never reused.", "Always close the body. Otherwise the connection is never reused."},
		{"label", "nit: Prefer early returns instead of nested ifs.", "Prefer early returns instead of nested ifs."},
		{"trap", "`Reader.Close` deadlocks when a write is pending, because both take the same mutex.", "`Reader.Close` deadlocks when a write is pending, because both take the same mutex."},
		{"around a suggestion", "Use `errors.Is` instead of comparing errors.\n```suggestion\nif errors.Is(err, x) {\n```", "Use `errors.Is` instead of comparing errors."},
		{"in markup", "<p>Never call <code>halt</code> in an <b>after</b> filter, because the response is built by then.</p>", "Never call `halt` in an after filter, because the response is built by then."},
		{"with parameters of a type", "Never return Optional<User> from a getter, because callers forget it.", "Never return Optional<User> from a getter, because callers forget it."},
		{"about markup", "Never emit `<p>` inside of a heading, because the parser closes the heading.", "Never emit `<p>` inside of a heading, because the parser closes the heading."},
		{"a quote", "> Always do X instead of Y.\n\nI don't think so", string(IsOnce)},
		{"a question", "Could we rename this to `limit`?", string(IsOnce)},
		{"for this change", "Please add a test for this function and update the docs", string(IsOnce)},
		{"about people", "Please don't waste our time with duplicates.", string(IsOnce)},
		{"about what is known", "We don't know if the cache is ever used.", string(IsOnce)},
		{"at hand", "Prefer to use a clearer name here.", string(IsOnce)},
		{"the rest of a sentence", "use shift instead of power", string(IsOnce)},
		{"a lead-in", "Always use one of the following:", string(IsOnce)},
		{"what comes before a rule", "Never mind the build. Never use `assert` in the library instead of an error.", "Never use `assert` in the library instead of an error."},
		{"about merging code", "We always add a property test when we touch the merge code.", "We always add a property test when we touch the merge code."},
		{"about a merge of the change", "We always squash before the merge button is green.", string(IsOnce)},
		{"about a merge's conflicts", "We never commit the merge conflicts of a branch.", string(IsOnce)},
		{"project's rule", "We don't generally permit spaces in descriptor notation.", "We don't generally permit spaces in descriptor notation."},
		{"a trap of the change", "The deadlock in `Send` happens because the first commit holds the lock.", string(IsOnce)},
		{"praise", "LGTM! Nice work", string(IsPraise)},
		{"code alone", "```suggestion\nx := 1\n```", string(IsBare)},
		{"markup", "<table><tr><td>" + strings.Repeat("<img src='https://example.com/badge.svg?x=1'>", 20) + "</td></tr></table> Always use HTTPS instead of HTTP.", string(IsHTML)},
		{"generated", "Summary of changes. Generated by a tool. Always use tabs instead of spaces.", string(ByBot)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Suggest([]Comment{{ID: "1", Author: "ada", Body: tt.body, Thread: "1", Path: "a.go", Inline: true}}, Bots())
			got := ""
			for why := range f.Left {
				got = string(why)
			}
			if len(f.Suggestions) > 0 {
				got = f.Suggestions[0].What
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestWhereItWasSaid: in the talk about a change a rule has to be a member's and worded for everybody; at a
// line, what to use is a rule if it names what it replaces, or why.
func TestWhereItWasSaid(t *testing.T) {
	for _, tt := range []struct {
		name, body     string
		inline, member bool
		want           bool
	}{
		{"for everybody", "We never hold the lock while we call the network.", false, true, true},
		{"a stranger's", "We never hold the lock while we call the network.", false, false, false},
		{"for the author", "Don't touch older keys.", false, true, false},
		{"a polite one", "Please don't add non-model arguments to setModel calls.", false, true, true},
		{"what was done", "- Rebased\n- Never throw in a destructor\n- Fuzzing tests compile", false, true, false},
		{"a trap in the talk", "`Close` deadlocks when a write is pending.", false, true, false},
		{"a trap at a line", "`Close` deadlocks when a write is pending.", true, false, true},
		{"at a line", "Use bytes instead of string", true, true, false},
		{"what it replaces", "Use `nullptr` instead of `NULL`", true, false, true},
		{"with its reason", "Use sorted names instead of raw ones, because the search is binary.", true, false, true},
		{"a commit's title", "`Never throw in a destructor`", true, true, false},
		{"half a span", "Use grep -E instead of egrep.`", true, true, false},
		{"to the author", "Please make sure you don't add false positives.", true, true, false},
		{"another change", "Please don't use `Lookup` for it as in #10692.", true, true, false},
	} {
		f := Suggest([]Comment{{ID: "1", Author: "ada", Body: tt.body, Thread: "1", Inline: tt.inline, Member: tt.member}}, Bots())
		if got := len(f.Suggestions) == 1; got != tt.want {
			t.Errorf("%s: %+v, left %v", tt.name, f.Suggestions, f.Left)
		}
	}
}

// TestWeight: what ended in a change, and what a member says, comes first; the same twice comes once.
func TestWeight(t *testing.T) {
	rule := func(id, text string) Comment {
		return Comment{ID: id, Thread: id, Author: "ada", Body: text, Inline: true}
	}
	a, b, c, d := rule("a", "Never use panics instead of errors."), rule("b", "Always close the body instead of leaving it."), rule("c", "Never use globals instead of parameters."), rule("d", "Never use panics instead of errors.")
	b.Member = true
	answer := Comment{ID: "e", Thread: "c", Reply: true, Author: "bea", Body: "Done, thanks"}
	f := Suggest([]Comment{a, b, c, d, answer}, nil)
	var got []string
	for _, s := range f.Suggestions {
		got = append(got, fmt.Sprintf("%s %.1f", s.Key, s.Confidence))
	}
	if strings.Join(got, ", ") != "c 0.7, b 0.6, a 0.5" || f.Left[IsSame] != 1 || f.Left[IsReply] != 1 {
		t.Errorf("%q, left %v", got, f.Left)
	}
}

func TestBots(t *testing.T) {
	patterns := append(Bots(), BotPatterns("# ours\nrelease-*\r\n\ntext:Build number\n")...)
	for author, want := range map[string]bool{"codecov[bot]": true, "Dependabot": true, "ada": false, "release-manager": true, "botticelli": false, "k8s-ci-robot": true} {
		if got := isBot(Comment{Author: author, Body: "x"}, patterns); got != want {
			t.Errorf("%s: %t", author, got)
		}
	}
	if !isBot(Comment{Author: "ada", Body: "build NUMBER 7"}, patterns) {
		t.Error("a text of a program")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{restComments, reviews, ghView, graphQL, gitLab, checks, "[", "null"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse(data)
		if err != nil {
			return
		}
		found := Suggest(list, Bots())
		left := 0
		for _, n := range found.Left {
			left += n
		}
		if left+len(found.Suggestions) != len(list) {
			t.Errorf("%d comments, %d suggestions, %d left out", len(list), len(found.Suggestions), left)
		}
	})
}

// TestRulesWithReasons: what a rule's reason points to may be the rule, and the reason makes a rule of what would be an order for one place.
func TestRulesWithReasons(t *testing.T) {
	for body, want := range map[string]bool{
		"Never cache the DNS answer beyond its TTL, because the balancer moves hosts without telling us.": true,
		"Always pass the context to the query, since otherwise a cancelled request keeps its connection.": true,
		"Use `Decimal` for prices because floats lose cents when they are summed.":                        true,
		"Don't return 200 for a partial failure: clients retry only on 5xx, so the rest would be lost.":   true,
		"Timeouts must come from the config, because ops tune them per region.":                           true,
		"We log ids and not names, because the logs leave the country.":                                   true,
		"Migrations have to be reversible: we roll back by running them down.":                            true,
		"Tests must not depend on real timers; use the fake clock, as the CI runners are slow.":           true,
		"Close the response body before retrying, otherwise the connection is never reused.":              true,
		"Hold the lock until the file is renamed, because readers open the old one.":                      true,
		"Run the linter before pushing this branch, otherwise CI fails again.":                            false,
		"Close the other tab before merging, otherwise the conflict stays.":                               false,
		"Return the error here, otherwise callers see an empty list.":                                     false,
		"Call `Flush` in the handler, because the buffer is full.":                                        false,
		"Never log access tokens!": true,
		"Always hard-delete rows of anonymous users, because the law asks for it.":              true,
		"Never cache it beyond its TTL, because the balancer moves hosts without telling us.":   false,
		"Never cache the DNS answer here, because the balancer moves hosts without telling us.": false,
		"Use `Decimal` because floats lose cents when they are summed.":                         false,
		"Don't do this for prices, because floats lose cents when they are summed.":             false,
		"Only change since last review is splitting commits, because the first was too large.":  false,
		"This should use a hash, since it doesn't need to be free of context.":                  false,
		"The method must be renamed, because it no longer copies just the hash.":                false,
		"Endpoints can't create a gap, as it can only be declared by the frame.":                false,
		"We log ids and not names, because I think the logs leave the country.":                 false,
		"Always good to delete text that nobody reads":                                          false,
		"Whenever we do that, we create ambiguity in the draft.":                                false,
		"Only explain the example.":                      false,
		"Don't change the path Don't process the packet": false,
		"Please, don't overstate the threat!":            false,
	} {
		found := Suggest([]Comment{{ID: "1", Author: "ada", Path: "a.go", Line: 3, Inline: true, Member: true, Body: body}}, nil)
		if got := len(found.Suggestions) == 1; got != want {
			t.Errorf("%q: %v %v", body, found.Suggestions, found.Left)
		}
	}
}
