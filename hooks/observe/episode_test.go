package observe

import (
	"fmt"
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/fold/foldtest"
	"manicule/memory/episode"
)

// played folds a session of one event a line, as [foldtest.Play] has it.
func played(lines ...string) *Fold { return &Fold{foldtest.Play(lines...)} }

// TestParts: what subagents did hangs below the session, each with its files and the checks that it left failing.
func TestParts(t *testing.T) {
	f := New("/repo")
	n := 0
	call := func(agent, class, command, fault string, paths ...string) {
		n++
		ok := fault == ""
		c := eventlog.Call{ID: fmt.Sprint(n), Tool: class, Class: class, Command: command, Paths: paths}
		r := eventlog.Record{Session: "s", Agent: "claude-code", CWD: "/repo", AgentID: agent, Time: int64(n) * 1000, Kind: string(event.PreTool), Calls: []eventlog.Call{c}}
		if agent == "a1" {
			r.Facts = map[string]string{fold.AgentTypeFact: "Explore"}
		}
		f.Add(r)
		c.OK, c.Error, r.Kind, r.Facts = &ok, fault, string(event.PostTool), nil
		r.Calls = []eventlog.Call{c}
		f.Add(r)
	}
	call("", "edit", "", "", "/repo/main.go")
	call("a1", "read", "", "", "/repo/a.go")
	call("a2", "edit", "", "", "/repo/b.go")
	call("a2", "shell", "go test ./...", "Exit code 1\nb_test.go:3: broken")
	call("a1", "shell", "go vet ./...", "Exit code 1\nx")
	call("a1", "shell", "go vet ./...", "")
	got := f.Episode().Parts
	want := []episode.Part{{Agent: "a1", Type: "Explore", Calls: 3}, {Agent: "a2", Calls: 2, Edited: []string{"b.go"}, Failed: []string{"go test"}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestEpisodeOutcome(t *testing.T) {
	ask := "ask Make the retry wait longer"
	for _, tt := range []struct {
		name     string
		lines    []string
		want     episode.Outcome
		evidence string
		fallback bool
	}{
		{"nothing known", []string{"ask Make the retry wait longer"}, episode.Partial, "nothing was done", true},
		{"answered", []string{"ask Where is the retry?", "read /repo/a.go", "said In a.go."}, episode.Success, "answered", false},
		{"unchecked", []string{ask, "edit /repo/a.go", "said Done."}, episode.Success, "nothing checked it", false},
		{"checked", []string{ask, "edit /repo/a.go", "run go test ./..."}, episode.Success, "checks pass: go test", false},
		{"checked before the last edit", []string{ask, "run go test ./...", "edit /repo/a.go", "said Done."}, episode.Success, "nothing checked it", false},
		{"checked and committed", []string{ask, "edit /repo/a.go", "run go test ./...", "run git commit -m 'a: wait longer'"}, episode.Success, "committed", false},
		{"fails, then passes", []string{ask, "edit /repo/a.go", "fail go test ./...", "edit /repo/a.go", "run go test ./..."}, episode.Success, "checks pass", false},
		{"fails at the end", []string{ask, "edit /repo/a.go", "fail go test ./..."}, episode.Partial, "fails at the end: go test", false},
		{"reports what fails", []string{"ask Review the retry", "fail go test ./...", "said It waits too short, and its test fails."}, episode.Success, "this fails: go test", false},
		{"fails, nothing reported", []string{"ask Review the retry", "fail go test ./..."}, episode.Partial, "this fails: go test", false},
		{"fails, and nothing was fixed", []string{"ask Fix the test of the retry", "fail go test ./...", "said I can't."}, episode.Partial, "this fails: go test", false},
		{"asked why it fails", []string{"ask Why did the retry fail to wait?", "fail go test ./...", "said It waits too short."}, episode.Success, "this fails: go test", false},
		{"fails for another reason", []string{ask, "edit /repo/a.go", "fail go test ./...", "said Done. The suite still has 3 unrelated existing failures."}, episode.Success, "failed before", false},
		{"said so before a question", []string{ask, "edit /repo/a.go", "fail go test ./...", "said Done. What remains is pre-existing.", "ask What was the fix?", "said The wait."}, episode.Success, "failed before", false},
		{"said so before another change", []string{ask, "edit /repo/a.go", "fail go test ./...", "said Done. What remains is pre-existing.", "ask Shorten its text", "edit /repo/a.go", "fail go test ./...", "said Shortened."}, episode.Partial, "fails at the end", false},
		{"never at rest", []string{ask, "edit /repo/a.go"}, episode.Partial, "never ended its turn", false},
		{"credit", []string{ask, "edit /repo/a.go", "said Credit balance is too low"}, episode.Partial, "service failed", false},
		{"cancelled", []string{ask, "edit /repo/a.go", "said I delete it now.|Cancelled"}, episode.Partial, "service failed", false},
		{"thanks", []string{ask, "edit /repo/a.go", "said Done.", "ask Thank you, it waits now"}, episode.Success, "last words", false},
		{"thanks, and asks for more", []string{ask, "edit /repo/a.go", "said Done.", "ask Thank you, let's clear the demo data."}, episode.Partial, "was not answered", false},
		{"agrees, and asks for more", []string{ask, "edit /repo/a.go", "said Done. Save the plan, too?", "ask ok save it in the repo"}, episode.Partial, "was not answered", false},
		{"agrees", []string{ask, "edit /repo/a.go", "said Done.", "ask ok"}, episode.Success, "nothing speaks against it", false},
		{"cancelled before a word", []string{ask, "edit /repo/a.go", "said Cancelled"}, episode.Partial, "service failed", false},
		{"boxes that are done", []string{ask, "edit /repo/a.go", "said ## Todo List||- [x] Lengthen the wait of the retry|- [!] Rename the flag||It waits longer now."}, episode.Success, "nothing speaks against it", false},
		{"a box that is open", []string{ask, "edit /repo/a.go", "said ## Todo List|- [x] Lengthen the wait|- [x] Rename the flag|- [x] Tell it in the help|- [ ] Try it against the server||It waits longer now."}, episode.Partial, "Try it against the server", false},
		{"nothing said", []string{"ask Where is the retry?", "read /repo/a.go", "stop", "said No response requested."}, episode.Failure, "interrupted", false},
		{"another toolchain", []string{ask, "edit /repo/a.go", "fail cargo test", "run cargo +1.96.0 test", "said Done."}, episode.Success, "checks pass", false},
		{"only shown", []string{ask, "edit /repo/a.go", "fail Format-List", "said Done."}, episode.Success, "nothing checked it", false},
		{"a notice of the program", []string{ask, "edit /repo/a.go", "ask Tool budget soft limit reached after 18 tool calls. Stop starting new work.", "said Done."}, episode.Success, "nothing checked it", false},
		{"said that it does not work, and only explained", []string{ask, "edit /repo/a.go", "said Done.", "ask that did not fix it", "said It is cached."}, episode.Partial, "does not work", false},
		{"said how it went, and asked something", []string{ask, "edit /repo/a.go", "said Done.", "ask that was not working because I didn't save, I reverted it. Can you tell me what the wait does?", "said It doubles."}, episode.Success, "nothing checked it", false},
		{"reverted by the person", []string{ask, "edit /repo/a.go", "said Done.", "ask I reverted mine"}, episode.Partial, "not answered", false},
		{"interrupted after an answer", []string{ask, "run ls", "said It waits a second.", "ask Now the docs of it", "read /repo/b.go", "stop"}, episode.Partial, "interrupted", false},
		{"interrupted, nothing done before", []string{"ask hello there, retry", "said Hello.", "ask Now the docs of it", "read /repo/b.go", "stop"}, episode.Failure, "interrupted", false},
		{"a short announcement", []string{ask, "read /repo/a.go", "said These are three labels. I'll remove each."}, episode.Partial, "in the middle", false},
		{"a plan to go on", []string{ask, "edit /repo/a.go", "said The build uses 17. I plan to raise it after the tests."}, episode.Partial, "in the middle", false},
		{"fails, not run again", []string{ask, "fail go test ./...", "edit /repo/a.go"}, episode.Partial, "was not run again", false},
		{"one of two fails", []string{ask, "edit /repo/a.go", "run go test ./...", "fail make lint"}, episode.Partial, "make lint", false},
		{"committed while it fails", []string{ask, "edit /repo/a.go", "fail make lint", "run git commit -m x"}, episode.Partial, "committed while", false},
		{"undone", []string{ask, "edit /repo/a.go", "run git checkout -- a.go"}, episode.Failure, "undone", false},
		{"items open", []string{ask, "edit /repo/a.go", "todo write the docs", "said Done."}, episode.Partial, "1 item of", false},
		{"complaint", []string{ask, "edit /repo/a.go", "run go test ./...", "ask It still doesn't work"}, episode.Failure, "last words", false},
		{"complaint, then mended", []string{ask, "edit /repo/a.go", "ask It still doesn't work", "edit /repo/a.go", "run go test ./..."}, episode.Success, "checks pass", false},
		{"thanks", []string{ask, "edit /repo/a.go", "fail make lint", "ask Perfect, thanks"}, episode.Success, "last words: Perfect", false},
		{"refused", []string{ask, "refuse rm -r x"}, episode.Failure, "interrupted", false},
		{"refused, then allowed", []string{ask, "refuse make x", "run make x", "edit /repo/a.go", "said Done."}, episode.Success, "", false},
		{"cut short", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "ask Commit and push it, please", "read /repo/a.go"}, episode.Partial, "in the middle", false},
		{"announced", []string{ask, "edit /repo/a.go", "run go test ./...", "said All green. Commit and push:"}, episode.Partial, "in the middle", false},
		{"announced in a sentence", []string{ask, "edit /repo/a.go", "run go test ./...", "said The set is right. Let me commit and push."}, episode.Partial, "in the middle", false},
		{"announced before anything", []string{ask, "said Let me look at how the retry works."}, episode.Partial, "in the middle", false},
		{"it waits for the person", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done. Let me know if it should be longer."}, episode.Success, "checks pass", false},
		{"an item was not ticked off", []string{ask, "edit /repo/a.go", "run go test ./...", "todo write the docs", "said All done. The docs say so."}, episode.Success, "checks pass", false},
		{"an item is open, and it says so", []string{ask, "edit /repo/a.go", "run go test ./...", "todo write the docs", "said The retry is longer."}, episode.Partial, "1 item of", false},
		{"denied, and only explained", []string{ask, "edit /repo/a.go", "ask nope, I don't see it in the log", "read /repo/a.go", "said It is in another place."}, episode.Partial, "does not work", false},
		{"a question that sounds like it", []string{ask, "edit /repo/a.go", "run go test ./...", "ask Can you check that this is not in the library?", "read /repo/a.go", "said It isn't."}, episode.Success, "checks pass", false},
		{"said at its end", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done."}, episode.Success, "checks pass", false},
		{"interrupted", []string{ask, "edit /repo/a.go", "stop"}, episode.Failure, "interrupted", false},
		{"a part done, then interrupted", []string{ask, "edit /repo/a.go", "ask Shorten its text as well", "edit /repo/a.go", "refuse make x"}, episode.Partial, "interrupted", false},
		{"a plan", []string{ask, "read /repo/a.go", "plan"}, episode.Success, "ended with a plan", false},
		{"a plan that is carried out elsewhere", []string{ask, "edit /repo/a.go", "ask Plan the tests of the retry", "noplan"}, episode.Partial, "ended with a plan", false},
		{"a check called in another way", []string{ask, "fail npx tsc --noEmit", "edit /repo/a.go", "run ./node_modules/.bin/tsc"}, episode.Success, "checks pass", false},
		{"another check", []string{ask, "fail npx tsc --noEmit", "edit /repo/a.go", "run npx vitest"}, episode.Success, "checks pass", false},
		{"the pull request's checks", []string{ask, "edit /repo/a.go", "run git commit -m x", "fail gh pr checks 3 --watch"}, episode.Success, "committed", false},
		{"the service fails", []string{ask, "edit /repo/a.go", "run go test ./...", "said API Error: 401 token expired"}, episode.Partial, "service failed", false},
		{"what was asked for failed", []string{"ask run `make release`", "edit /repo/a.go", "fail make release", "said It needs a terminal."}, episode.Failure, "asked for failed: make release", false},
		{"what was asked for worked", []string{"ask run `make release`", "fail make release", "edit /repo/a.go", "run make release", "said Done."}, episode.Success, "", false},
		{"never answered", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "ask Shorten its text as well"}, episode.Partial, "not answered", false},
		{"a question at the end", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "ask Is it longer than the text of b.go now?"}, episode.Partial, "not answered", false},
		{"a question at the end, and answers are not told", []string{ask, "edit /repo/a.go", "run go test ./...", "ask Is it longer than the text of b.go now?"}, episode.Success, "checks pass", false},
		{"interrupted after its end", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "stop"}, episode.Success, "checks pass", false},
		{"interrupted after an announcement", []string{ask, "edit /repo/a.go", "said Now the tests:", "stop"}, episode.Failure, "interrupted", false},
		{"the person's limit", []string{ask, "edit /repo/a.go", "said You've hit your limit · resets 8pm"}, episode.Partial, "service failed", false},
		{"never pushed", []string{ask, "edit /repo/a.go", "run git commit -m x", "fail git push", "said The push timed out."}, episode.Partial, "git push failed", false},
		{"pushed again", []string{ask, "edit /repo/a.go", "run git commit -m x", "fail git push", "run git push", "said Done."}, episode.Success, "committed", false},
		{"a program that is not there", []string{ask, "edit /repo/a.go", "fail python -m pytest", "run python3 -m pytest"}, episode.Success, "checks pass", false},
		{"it is busy", []string{ask, "edit /repo/a.go", "run go test ./...", "said The tests pass. I'm committing it now."}, episode.Partial, "in the middle", false},
		{"it is busy, as it says what stands against it", []string{ask, "edit /repo/a.go", "said The branch is behind, so I’m making a commit first, then I’ll push. The new file stays out of it."}, episode.Partial, "in the middle", false},
		{"no such module", []string{"ask Add a test of the retry, please", "edit /repo/a_test.py", "bare python3 -m pytest", "run python3 -m unittest", "edit /repo/a_test.py", "said Added."}, episode.Success, "nothing speaks against it", false},
		{"no such program", []string{"ask Audit the retry, please", "lack vitest run a.test.ts", "said It waits too short."}, episode.Success, "answered", false},
		{"no such option", []string{"ask Why was the retry refused?", "misuse pnpm vitest run --runInBand", "said It waits too short."}, episode.Success, "answered", false},
		{"it leaves", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done. I will now exit."}, episode.Success, "checks pass", false},
		{"a filter that finds nothing", []string{ask, "edit /repo/a.go", "fail npm run check:types 2>&1 | grep a.go", "said Done."}, episode.Success, "nothing checked it", false},
		{"it failed before", []string{ask, "edit /repo/a.go", "fail make lint", "said Done. No new lint errors, all are pre-existing."}, episode.Success, "failed before", false},
		{"a push that a chain never reached", []string{ask, "edit /repo/a.go", "run git commit -m x", "fail git pull --rebase && git push", "said Done, but it is not pushed."}, episode.Partial, "git push failed", false},
		{"undone, and the rest is kept", []string{ask, "edit /repo/a.go", "run git checkout -- a.go", "run git add b.go", "said Done."}, episode.Success, "nothing checked it", false},
		{"it waits for the person's choice", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done. I'm waiting for your choice."}, episode.Success, "checks pass", false},
		{"it waits for a program", []string{ask, "edit /repo/a.go", "run go test ./...", "said The push still runs. I'm letting it finish before I go on."}, episode.Partial, "in the middle", false},
		{"it is busy, and says why", []string{ask, "read /repo/a.go", "said I'm also checking the issue for it. It may hold the reason for the short wait."}, episode.Partial, "in the middle", false},
		{"asked to go on", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "ask Keep checking"}, episode.Partial, "not answered", false},
		{"told that it is well", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.", "ask ok cool"}, episode.Success, "checks pass", false},
		{"it advises", []string{ask, "edit /repo/a.go", "run go test ./...", "said Done.\n\nNext steps:\n- Review the text of the error"}, episode.Success, "checks pass", false},
		{"given up", []string{ask, "edit /repo/a.go", "said Done.", "ask you won't fix it, it seems", "read /repo/a.go", "said Try another browser."}, episode.Failure, "gave it up", false},
		{"given up after something worked", []string{ask, "edit /repo/a.go", "ask Shorten its text as well", "edit /repo/a.go", "ask I'll give it a try myself", "said Here is how."}, episode.Partial, "gave it up", false},
		{"not allowed", []string{ask, "read /repo/a.go", "deny /repo/a.go", "said I need the permission."}, episode.Failure, "not allowed", false},
		{"not allowed, then done", []string{ask, "deny /repo/a.go", "edit /repo/a.go", "said Done."}, episode.Success, "nothing checked it", false},
		{"it could not", []string{"ask Search what is deprecated", "said I'm sorry, I can't answer that question with what I know."}, episode.Failure, "could not do", false},
		{"it could not, in Chinese", []string{"ask 你能识别我的图片吗", "said 很抱歉，我无法识别你的图片。"}, episode.Failure, "could not do", false},
		{"it found none, which is an answer", []string{"ask Search what is deprecated", "read /repo/a.go", "said I couldn't find anything that is deprecated."}, episode.Success, "answered", false},
		{"an excuse after a change", []string{ask, "edit /repo/a.go", "said Sorry, I can't run the tests here, but the retry is longer."}, episode.Success, "nothing checked it", false},
		{"a result in Chinese", []string{ask, "edit /repo/a.go", "said 我将重试时间改长了吗？是的，已经完成。"}, episode.Success, "nothing checked it", false},
		{"declined behind other work", []string{"ask Plan the retry", "run make plan", "said Planned.", "ask Carry it out", "said I'm sorry, but I don't have enough time to carry it out."}, episode.Partial, "could not do", false},
		{"asked back", []string{ask, "read /repo/a.go", "said There are two. Could you clarify which one?"}, episode.Partial, "what was meant", false},
		{"asked back after a change", []string{ask, "edit /repo/a.go", "said Done. Please tell me if it is too long."}, episode.Success, "nothing checked it", false},
		{"asked back after some work", []string{ask, "run a", "run b", "run c", "run d", "said It waits now. Please tell me if it is too long."}, episode.Success, "answered", false},
		{"a command that was asked for fails", []string{"ask Run `make retry`", "fail cd x && make retry", "said It fails."}, episode.Failure, "make retry", false},
		{"a path that was asked for is not found", []string{"ask Write `docs/retry.md`", "fail rg x docs/retry.md", "edit /repo/docs/retry.md", "said Written."}, episode.Success, "nothing checked it", false},
		{"failed and not run again", []string{ask, "fail make test", "edit /repo/a.go", "said Done.", "ask Shorten its text", "edit /repo/a.go", "said Done."}, episode.Partial, "not run again", false},
		{"its last act is the commit", []string{ask, "edit /repo/a.go", "said Now the tests.", "run go test ./...", "run git commit -m x"}, episode.Success, "checks pass", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := played(tt.lines...).Episode()
			if e.Outcome != tt.want || !strings.Contains(strings.Join(e.Evidence, "; "), tt.evidence) || e.Fallback != tt.fallback {
				t.Errorf("%s %q fallback=%t, want %s %q", e.Outcome, e.Evidence, e.Fallback, tt.want, tt.evidence)
			}
			if e.Confidence < .5 || e.Confidence > 1 {
				t.Errorf("confidence %.2f", e.Confidence)
			}
		})
	}
}

func TestBroken(t *testing.T) {
	refusedCommit := "fail git commit -m x => $ tsc --noEmit\na.ts(3,1): error TS2322: no type for x\nFound 1 error.\nhusky - pre-commit script failed (code 2)\n"
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"fails at the end", []string{"ask Make it so", "edit /repo/a.go", "fail go test ./..."}, "go test ./...: something is wrong"},
		{"mended", []string{"edit /repo/a.go", "fail go test ./...", "run go test ./..."}, ""},
		{"edited since", []string{"edit /repo/a.go", "fail go test ./...", "edit /repo/a.go"}, ""},
		{"nothing was changed", []string{"fail go test ./..."}, ""},
		{"committed all the same", []string{"edit /repo/a.go", "fail make lint", "run git commit -m x"}, ""},
		{"called otherwise", []string{"edit /repo/a.go", "fail rtk go test ./...", "run go test ./..."}, ""},
		{"no check", []string{"edit /repo/a.go", "fail ./deploy"}, ""},
		{"a filter found nothing", []string{"edit /repo/a.go", "fail go vet ./... 2>&1 | grep a.go"}, ""},
		{"a filter before it", []string{"edit /repo/a.go", "fail git diff | grep x && go vet ./..."}, "go vet ./...: something is wrong"},
		{"merged all the same", []string{"edit /repo/a.go", "fail gh pr checks 23 --watch", "run gh pr merge 23"}, ""},
		{"a push that did not get there", []string{"edit /repo/a.go", "run git commit -m x", "away git push"}, "git push: ssh: connect to host github.com port 22: Operation timed out"},
		{"nothing before it got there", []string{"run git commit -m x", "away git pull --rebase && git push"}, "git push: ssh: connect to host github.com port 22: Operation timed out"},
		{"a hook refused the commit", []string{"edit /repo/a.go", refusedCommit, "said The hook wants types."}, "git commit: a.ts(3,1): error TS2322: no type for x"},
		{"and it is there all the same", []string{"edit /repo/a.go", refusedCommit, "run git log -1", "said The commit went through: the hook made it."}, ""},
		{"it got there later", []string{"run git commit -m x", "away git pull --rebase && git push", "run git push"}, ""},
		{"two", []string{"edit /repo/a.go", "fail make lint", "fail make test"}, "make test: something is wrong; make lint: something is wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, b := range played(tt.lines...).Report().Work.Fails {
				got = append(got, b.Command+": "+b.Line)
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestEpisodeTask(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"first request", []string{"ask Make the retry wait longer", "ask Now the docs of it"}, "Make the retry wait longer"},
		{"a word about what was", []string{"ask OK it opens now.||Make the retry wait longer"}, "OK it opens now. Make the retry wait longer"},
		{"it goes on below", []string{"ask can you look at||- docs/retry.md|- docs/wait.md"}, "can you look at docs/retry.md docs/wait.md"},
		{"not an answer", []string{"ask yes proper brainstorm", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"not what only the talk shows", []string{"ask can we fix this?", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"a longer answer", []string{"ask yes, make the retry wait longer than before"}, "yes, make the retry wait longer than before"},
		{"not an issue that only a picture shows", []string{"ask fix this issue", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"an issue that has a name", []string{"ask fix this retry issue in the parser"}, "fix this retry issue in the parser"},
		{"behind the file that the editor shows", []string{"ask <ide_opened_file>The user opened the file /repo/a.go in the IDE.</ide_opened_file>||Make the retry wait longer", "ask Now the docs of it"}, "Make the retry wait longer"},
		{"not where another session ended", []string{"ask where did we leave off?", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"going on is all", []string{"ask Please pick up where we left off", "ask go on", "edit /repo/a.go"}, "Please pick up where we left off"},
		{"not an act of git", []string{"ask check out main and pull the latest", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"a script without spaces", []string{"ask 作って", "ask コミットとプッシュして", "ask このサイトの改善案を洗い出して"}, "このサイトの改善案を洗い出して"},
		{"not getting to know the project", []string{"ask can you check out this project? learn about it", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"not a look over the project", []string{"ask check the folder and the whole project", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"a look over the project is all", []string{"ask scan the whole project", "read /repo/a.go"}, "scan the whole project"},
		{"below a look over the project", []string{"ask scan the whole project||Make the retry wait longer than before"}, "Make the retry wait longer than before"},
		{"not the agent's own rule file", []string{"ask Generate a file named AGENTS.md that serves as a contributor guide for this repository.||Your goal is a clear document.", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"a file by its path", []string{"ask 优化 /repo/web/src/retry.tsx 36-43行逻辑", "ask 这个变量是否可以直接去掉吗"}, "优化 /repo/web/src/retry.tsx 36-43行逻辑"},
		{"a path alone asks for nothing", []string{"ask yes, /repo/a.go", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"looking at a part is a task", []string{"ask Look at the codebase of the retry and explain how long it waits between attempts", "ask Make the retry wait longer"}, "Look at the codebase of the retry and explain how long it waits between attempts"},
		{"git is all", []string{"ask commit and push", "run git push"}, "commit and push"},
		{"what stands below", []string{"ask The log prints this||12:01 retry failed|12:02 retry failed||does the retry wait too short?"}, "The log prints this … does the retry wait too short?"},
		{"what stands below, at length", []string{"ask on a branch of its own, so that we don't meet the others, can we take this||Downloads/spinner.gif||and show it while the retry waits"}, "on a branch of its own, so that we don't meet the others, can we take this … and show it while the retry waits"},
		{"behind a context", []string{"ask There is a file ~/sample.retry from the old client||It is of the wait.||I'd like to read it and find out its format"}, "There is a file ~/sample.retry from the old client … I'd like to read it and find out its format"},
		{"a fault asks by itself", []string{"ask The retry of the client does not wait at all, as the log shows||Please look at the wait of both clients"}, "The retry of the client does not wait at all, as the log shows"},
		{"not what is forbidden", []string{"ask The new client of the retry lives in a folder of its own||Do not change the old client, please"}, "The new client of the retry lives in a folder of its own"},
		{"it asks already", []string{"ask Make the retry of the client wait longer than it does|Use the wait of the server"}, "Make the retry of the client wait longer than it does Use the wait of the server"},
		{"an item by its number", []string{"ask go ahead and start working on #004", "ask Make the retry wait longer"}, "go ahead and start working on #004"},
		{"a line that ends with a comma", []string{"ask 组件里有一个保存设置的按钮，可以设置一些组件显示参数，|帮我添加一个清除设置按钮"}, "组件里有一个保存设置的按钮，可以设置一些组件显示参数， 帮我添加一个清除设置按钮"},
		{"an agent's instructions", []string{"ask # Agent Instructions (Planning)||Scope: retry||## Objective||Make the retry wait longer than a minute, at least by one second||## Rules||None"}, "Make the retry wait longer than a minute, at least by one second"},
		{"a plan is none", []string{"ask # Longer retries in the agent||## Goal||Fewer failures"}, "Longer retries in the agent"},
		{"not a greeting", []string{"ask hi", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"heading of a plan", []string{"ask Implement the following plan:||# Plan: Longer retries||## Context|…"}, "Plan: Longer retries"},
		{"lead-in", []string{"ask I got this:||panic: nil map|in a.go"}, "I got this: panic: nil map in a.go"},
		{"heading", []string{"ask Low severity||The error of load is wrapped twice"}, "Low severity The error of load is wrapped twice"},
		{"a command of the agent", []string{"ask <command-name>/clear</command-name>", "ask Make the retry wait longer"}, "Make the retry wait longer"},
		{"commit", []string{"ask go on", "edit /repo/a.go", "run git commit -m \"a: wait longer\""}, "a: wait longer"},
		{"commit by here-document", []string{"edit /repo/a.go", "run git commit -m \"$(cat <<'EOF'\na: wait longer\n\nwhy\nEOF\n)\""}, "a: wait longer"},
		{"a rule said meanwhile", []string{"ask go on", "edit /repo/a.go", "run git commit -m \"a: wait longer\"", "ask and please never use testify in this repository"}, "a: wait longer"},
		{"files", []string{"edit /repo/a.go", "edit /repo/b.go"}, "changes to a.go, b.go"},
		{"nothing", nil, "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if e := played(tt.lines...).Episode(); e.Task != tt.want {
				t.Errorf("%q, want %q", e.Task, tt.want)
			}
		})
	}
}

func TestEpisodeApproach(t *testing.T) {
	e := played("ask Make the retry wait longer", "read /repo/q/a.go", "read /repo/q/b.go", "edit /repo/q/a.go", "fail go test ./q", "edit /repo/q/a.go", "run go test ./q -run X",
		"run git commit -am 'q: wait longer'", "run ls").Episode()
	var got []string
	for _, s := range e.Approach {
		got = append(got, fmt.Sprintf("%s %s %d %d", s.Act, s.What, s.Times, s.Fails))
	}
	want := []string{"look q 2 0", "edit q/a.go 2 0", "run go test ./q -run X 2 1", "run git commit 1 0"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(e.Decisions) != 1 || e.Decisions[0] != "q: wait longer" {
		t.Errorf("decisions %q", e.Decisions)
	}
}

// TestLongEpisode: of a long session the record stays small.
func TestLongEpisode(t *testing.T) {
	lines := []string{"ask Make the retry wait longer"}
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("edit /repo/f%d.go", i), fmt.Sprintf("run make t%c%c", 'a'+i%26, 'a'+i/26), fmt.Sprintf("run git commit -m 'change number %d'", i))
	}
	e := played(lines...).Episode()
	if len(e.Approach) > maxApproach || len(e.Edited) > maxEdited || len(e.Decisions) > maxDecisions {
		t.Errorf("%d steps, %d files, %d decisions", len(e.Approach), len(e.Edited), len(e.Decisions))
	}
}

// TestTask: the task is what the person asked first, by a command, behind a program's instructions, or
// with a file.
func TestTask(t *testing.T) {
	for _, tt := range []struct {
		name     string
		lines    []string
		want     string
		fallback bool
	}{
		{"a request", []string{"ask Make the retry wait longer"}, "Make the retry wait longer", true},
		{"a command of one's own", []string{"ask /plan-phase 44 --auto", "ask Yes, fold them into the plan", "edit /repo/a.go"}, "/plan-phase 44 --auto", false},
		{"a setting is no task", []string{"ask /model opus", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a memory is no task", []string{"ask /remember --type gotcha Retries wait for a minute", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a memory alone", []string{"ask go on", "edit /repo/a.go", "ask /remember --type gotcha Retries wait for a minute"}, "changes to a.go", true},
		{"a path is no command", []string{"ask /repo/a.go", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a command after the request", []string{"ask Make the retry wait longer", "edit /repo/a.go", "ask /review"}, "Make the retry wait longer", false},
		{"behind instructions", []string{"ask <system_instruction>|You work inside Host.|</system-instruction>||Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"behind two blocks", []string{"ask <system_instruction>You work inside Host.</system_instruction>|<system_instruction>Read x.md</system_instruction>|Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"instructions alone", []string{"ask <system-instruction>|The person has added 2 comments to the diff, address them, and commit nothing yet.|Comment #1: wait longer", "edit /repo/a.go"}, "The person has added 2 comments to the diff, address them, and commit nothing yet.", false},
		{"a file", []string{"ask @docs/plan-retry.md", "edit /repo/a.go"}, "@docs/plan-retry.md", false},
		{"an address to explain", []string{"ask explain https://example.com/discussions/579", "ask ok fix it in a new branch", "edit /repo/a.go"}, "explain https://example.com/discussions/579", false},
		{"an address alone", []string{"ask https://example.com/discussions/579", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a frame", []string{"ask ==================|AGENT 3 - batch 3 (29 devices)|==================||Your task: document the devices", "edit /repo/a.go"}, "AGENT 3 - batch 3 (29 devices)", false},
		{"a log", []string{"ask Received headers after 5 ms - 200|info: Polly[3]|      Execution attempt.|info: Lifetime[0]|      Application is shutting down|[xUnit.net 00:00:16.85]   Finished|     1>RetryTest.Waits: error TS2304: cannot find name 'wait'", "edit /repo/a.go"}, "a pasted log: 1>RetryTest.Waits: error TS2304: cannot find name 'wait'", false},
		{"a log with a word", []string{"ask I got this from the build:||info: Polly[3]|      Execution attempt.|info: Lifetime[0]|      Application is shutting down|[xUnit.net 00:00:16.85]   Finished|1>wait: error", "edit /repo/a.go"}, "I got this from the build: info: Polly[3] Execution attempt. info: Lifetime[0]", false},
		{"a document and what to do with it", []string{"ask # Retries||" + strings.Repeat("- They wait for longer and longer.|- A minute at most, and then no more.||", 20) + "Please shorten this page by half.", "edit /repo/a.go"}, "Retries They wait for longer and longer. A minute at most, and th … Please shorten this page by half", false},
		{"a document alone", []string{"ask # Longer retries in the agent||" + strings.Repeat("- They wait for longer and longer.|- A minute at most, and then no more.||", 20) + "The tests cover both.", "edit /repo/a.go"}, "Longer retries in the agent", false},
		{"a command that prepares", []string{"ask /superpowers:using-superpowers", "ask /brainstorming Cover the mail of guilds", "edit /repo/a.go"}, "/brainstorming Cover the mail of guilds", false},
		{"a command that prepares, then a request", []string{"ask /superpowers:using-superpowers", "ask Move the queue to its own file", "edit /repo/a.go"}, "Move the queue to its own file", false},
		{"a command and its text", []string{"ask /code-review", "ask ## Context||- The branch is main|- Look at all changes", "edit /repo/a.go"}, "/code-review", false},
		{"a command that asks back", []string{"ask /code-review", "ask 2-1", "edit /repo/a.go"}, "/code-review", false},
		{"a command that worked", []string{"ask /code-review", "edit /repo/a.go", "ask /brainstorming Cover the mail of guilds"}, "/code-review", false},
		{"a command with a text below", []string{"ask /review /simplify||Scope: the commits of this branch", "edit /repo/a.go"}, "/review /simplify Scope: the commits of this branch", false},
		{"a role and what to do", []string{"ask You are an analyst of waits.|You look at the retries of a client.||Analyze the given change and tell its cost.", "edit /repo/a.go"}, "Analyze the given change and tell its cost.", false},
		{"a role and a task", []string{"ask You are a fresh instance.||Task:|Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a role alone", []string{"ask You are an analyst of waits and of retries.", "edit /repo/a.go"}, "You are an analyst of waits and of retries.", false},
		{"files and a request", []string{"ask @docs/a.md @docs/b.md||please launch the server", "edit /repo/a.go"}, "please launch the server", false},
		{"a file that the request speaks of", []string{"ask @docs/a.md doesn't tell how long a retry waits", "edit /repo/a.go"}, "@docs/a.md doesn't tell how long a retry waits", false},
		{"a verb and a file", []string{"ask implement @docs/plan-retry.md", "ask Make a pull request of the changes", "edit /repo/a.go"}, "implement @docs/plan-retry.md", false},
		{"what is next", []string{"ask 다음에 해야할 작업은 무엇일까요?", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"where it was left, and more", []string{"ask Let's pick up where we left off. Please validate sections 3.1 through 3.4, then start with retries.", "ask Make the retry wait longer", "edit /repo/a.go"}, "Let's pick up where we left off. Please validate sections 3.1 through 3.4, then start with retries.", false},
		{"where it was left", []string{"ask Let's pick up where we left off.", "ask Make the retry wait longer", "edit /repo/a.go"}, "Make the retry wait longer", false},
		{"a summary of the agent's own", []string{"ask This session is being continued from a previous conversation that ran out of context.", "edit /repo/a.go"}, "changes to a.go", true},
	} {
		e := played(tt.lines...).Episode()
		if e.Task != tt.want || e.Fallback != tt.fallback {
			t.Errorf("%s: %q fallback=%t, want %q", tt.name, e.Task, e.Fallback, tt.want)
		}
	}
}
