package observe

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
)

// leftOf lists what a session leaves.
func leftOf(p *play) string {
	w := p.f.Report().Work
	out := append(append([]string{}, w.Words...), w.Open...)
	for _, x := range w.Waits {
		out = append(out, x.Text)
	}
	return strings.Join(out, "|")
}

func (p *play) stops(text string) *play { return p.event(eventlog.Record{Kind: "stop", Text: text}) }

// TestLastWordsHandOver: what a person has to do or to send is told, and a description of what the code does, a courtesy and what is
// running by itself are not. "Refresh token rotation" is left, and "Refresh the page" is how the result is used.
func TestLastWordsHandOver(t *testing.T) {
	for said, want := range map[string]string{
		"Run `make migrate` on the server and paste the output here.":                       "paste the output here",
		"I need the API key. Once you've added it to .env, I'll run the import.":            "added it to .env",
		"Start Docker Desktop. Once it's up, I'll run the integration tests.":               "Once it's up",
		"Please send me the log of the failing run.":                                        "send me the log",
		"Remaining: Refresh token rotation":                                                 "Refresh token rotation",
		"TODO: click handler of the save button":                                            "click handler",
		"You'll need to run this yourself in your terminal:\n\n```\nsudo make install\n```": "run this yourself in your terminal",
		"The cache is not wired up yet:\n\nIt needs the new key.":                           "not wired up yet",
		"Users can now export and share their results.":                                     "",
		"It will retry and then send logs to Sentry.":                                       "",
		"Error handling works: catch the exception and send the error message to a client":  "",
		"Post results are cached for an hour now.":                                          "",
		"Done. Let me know once you've tested it.":                                          "",
		"All tests pass. Let me know after you have had a chance to look.":                  "",
		"After you merge it, I can also add dark mode.":                                     "",
		"The build is running in the background. Once it's done, I'll check the results.":   "",
		"The modal closes once you click outside, so I'll leave it.":                        "",
		"Next: Refresh the page in your browser":                                            "",
		"Next step: try saving a retry; the banner should list it":                          "",
		"The next step is to open the page in your browser.":                                "",
	} {
		p := newPlay()
		p.say("Fix the retry of the queue").edit("a.go", "1", "2").sh("go test ./...", "").stops(said)
		if got := leftOf(p); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

// TestAskedInstead: a question in place of work waits, and one behind thanks, a greeting or the text that was asked for does not.
func TestAskedInstead(t *testing.T) {
	for _, tt := range []struct{ asked, said, want string }{
		{"Deploy it", "To which environment should I deploy it, staging or production?", "staging or production?"},
		{"no, the other one", "Do you mean the one in queue.go?", "queue.go?"},
		{"Thanks!", "You're welcome! What would you like to work on next?", ""},
		{"thanks, that works", "Great! Ready for the next task?", ""},
		{"hi", "Hello! What can I do for you?", ""},
		{"That's all for today", "Good night! Shall we continue then?", ""},
		{"Write a PR description for this", "## Summary\nRetries wait longer.\n\n## Test plan\nRun the tests.\n\nIs anyone to review it?", ""},
		{"Give me a commit message", "fix: retry waits longer\n\nShould I adjust the tone?", ""},
	} {
		p := newPlay()
		p.say("Fix the retry of the queue").edit("a.go", "1", "2").sh("go test ./...", "").sh("git commit -m x", "").stops("Done.").say(tt.asked).stops(tt.said)
		if got := leftOf(p); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%q, %q: %q, want %q", tt.asked, tt.said, got, tt.want)
		}
	}
}

// TestWordsStay: what the last message says is left stays where nothing is told in its place.
func TestWordsStay(t *testing.T) {
	for asked, want := range map[string]string{
		"continue": "wire the flag into the parser", "commit and push this": "wire the flag into the parser", "Do the flag": "wire the flag into the parser",
		"That's all for today": "wire the flag into the parser", "I'll do that tomorrow": "wire the flag into the parser", "Rename it to backoff": "Rename it to backoff",
	} {
		p := newPlay()
		p.say("Fix the retry of the queue").edit("a.go", "1", "2").sh("go test ./...", "").stops("The retry waits.\n\nRemaining:\n- wire the flag into the parser").say(asked)
		if strings.HasPrefix(asked, "commit") {
			p.sh("git commit -m x", "")
		}
		if got := leftOf(p); !strings.Contains(got, want) || strings.Contains(got, "nothing came of it: That's") || strings.Contains(got, "nothing came of it: I'll") {
			t.Errorf("%q: %q, want %q", asked, got, want)
		}
	}
}

// TestListStays: a list is not forgotten by who goes on with it, asks about it or answers a question of the agent.
func TestListStays(t *testing.T) {
	todo := func(p *play, items string) *play {
		return p.call(eventlog.Call{Tool: "TodoWrite", Class: "other", Query: items}, "")
	}
	for _, tt := range []struct{ said, asked, want string }{
		{"The parser is done.", "continue with the next item", "Wire the flag"},
		{"The parser is done.", "finish the rest of it", "Wire the flag"},
		{"The parser is done.", "Why did you rename the parser?", "Wire the flag"},
		{"The parser is done.", "Now wire the flag please", "Wire the flag"},
		{"The parser is done. Should the flag be short?", "A long one is better", "Wire the flag"},
		{"The parser is done.", "Translate the docs to French", ""},
	} {
		p := newPlay()
		todo(p, "Wire the flag").edit("a.go", "1", "2").stops(tt.said).say(tt.asked).read("b.go").stops("Read.")
		if got := strings.Join(p.f.Report().Work.Open, "|"); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.said, tt.asked, got, tt.want)
		}
	}
}
