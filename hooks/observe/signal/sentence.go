package signal

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/wording"
	"manicule/memory/file"
)

func (d RecurringError) Sentence(e Extent) (what, why string, typ file.Type) {
	return noneWorks(d.Commands, d.Message),
		fmt.Sprintf("%d calls met it in %s, and none worked after them.", e.Here, e.seen()), file.ErrorPattern
}

// noneWorks is the sentence of commands that fail and for which no way out is known.
func noneWorks(commands []string, message string) string {
	return fmt.Sprintf("%s fails here with “%s”, and no call of it that works is known.", strings.Join(inCode(commands), ", "), strings.TrimRight(wording.OneLine(message, 110), "."))
}

// says tells what is wrong with the page.
func (d FaultyPage) says() string {
	said := wording.OneLine(d.Shown, 120)
	switch d.Fault {
	case event.PageMissing:
		return fmt.Sprintf("The page `%s` of the app does not come: “%s”.", d.Page, said)
	case event.ElementHidden:
		return fmt.Sprintf("An element of the page `%s` can't be used as one would think: “%s”.", d.Page, said)
	case event.ScriptError:
		return fmt.Sprintf("A script of the page `%s` fails: “%s”.", d.Page, said)
	case event.RequestFailed:
		return fmt.Sprintf("A request of the page `%s` fails: “%s”.", d.Page, said)
	case event.WaitedInVain:
		return fmt.Sprintf("A browser waits in vain on the page `%s`: “%s”.", d.Page, said)
	case event.Alerted:
		return fmt.Sprintf("The page `%s` tells an error: “%s”.", d.Page, said)
	}
	return ""
}

func (d UnmetNeed) Sentence(e Extent) (what, why string, typ file.Type) {
	said := wording.OneLine(d.Message, 120)
	why = fmt.Sprintf("Without it, it failed with “%s” in %s; with it, it worked.", said, e.seen())
	switch d.Need {
	case failures.NeedsVariable:
		return fmt.Sprintf("`%s` needs the environment variable `%s`.", d.Command, d.Name), why, file.ErrorPattern
	case failures.NeedsService:
		return fmt.Sprintf("`%s` needs what `%s` starts.", d.Command, d.Name), why, file.ErrorPattern
	case failures.NeedsBefore:
		return fmt.Sprintf("`%s` needs `%s` before it.", d.Command, d.Name), fmt.Sprintf("Without it, it failed with “%s” in %s; after it, it worked, and nothing was edited.", said, e.seen()), file.ErrorPattern
	case failures.NeedsFolder:
		where := "in `" + d.Name + "/`"
		if d.Name == "." {
			where = "at the root"
		}
		return fmt.Sprintf("Run `%s` %s.", d.Command, where), fmt.Sprintf("Elsewhere it failed with “%s” in %s; there it worked.", said, e.seen()), file.Gotcha
	case failures.NeedsManager:
		return fmt.Sprintf("Use `%s` here, not `%s`.", d.Name, path.Base(strings.Fields(d.Command)[0])), fmt.Sprintf("`%s` failed with “%s” in %s; the same by the other worked.", d.Command, said, e.seen()), file.ErrorPattern
	}
	return "", "", ""
}

// SequenceHead begins the sentence about checks before a commit. One such memory is
// enough.
const SequenceHead = "Before a commit, run "

// alwaysShare is the share of sessions from which a file is one that nearly all open.
const alwaysShare = 0.8

// Extent is how often and in how many sessions a signal was seen.
type Extent struct {
	Sessions int // including this one
	Here     int // occurrences in this session
	Total    int // in all sessions
}

// seen says in how many sessions.
func (e Extent) seen() string { return times(e.Sessions) }

func (d Opened) Sentence(Extent) (what, why string, typ file.Type) {
	share := "Most sessions open"
	if float64(d.Sessions) >= alwaysShare*float64(d.Of) {
		share = "Nearly every session opens"
	}
	return fmt.Sprintf("%s `%s`: read it first.", share, d.Path), fmt.Sprintf("Opened in %d of %d sessions.", d.Sessions, d.Of), ""
}

func (d EditedTogether) Sentence(Extent) (what, why string, typ file.Type) {
	var each []string
	for _, p := range d.Partners {
		each = append(each, strconv.Itoa(p.Both))
	}
	return fmt.Sprintf("Who changes `%s` mostly changes %s too: look there before you finish.", d.Path, inWords(pathsOf(d.Partners))),
		fmt.Sprintf("Of %d sessions that edited the first, %s edited it too.", d.Partners[0].Of, strings.Join(each, ", ")), ""
}

func (d MissedText) Sentence(e Extent) (what, why string, typ file.Type) {
	if e.Total < 5 {
		return "", "", ""
	}
	return fmt.Sprintf("Edits of `%s` often miss its text: read the lines again right before, and copy tabs and spaces as they are.", d.Path),
		fmt.Sprintf("The text to replace was not found %d times in %s.", e.Total, e.seen()), file.Gotcha
}

func (d BrokenRule) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("`%s` enforces `%s`: “%s”, for example.", d.Command, d.Rule, strings.TrimRight(wording.OneLine(d.Message, 110), ".")), "It stopped the work in " + e.seen() + ".", file.ErrorPattern
}

func (d WrongPath) Sentence(e Extent) (what, why string, typ file.Type) {
	switch {
	case d.Folder || d.Found == "":
		return "", "", ""
	case path.Base(d.Path) == path.Base(d.Found):
		return fmt.Sprintf("There is no `%s`: it is `%s`.", d.Path, d.Found), "The wrong path was tried in " + e.seen() + ".", file.Gotcha
	}
	return fmt.Sprintf("There is no `%s`: look into `%s`.", d.Path, d.Found), "The wrong path was tried in " + e.seen() + ".", file.Gotcha
}

func (d FailedCall) Sentence(e Extent) (what, why string, typ file.Type) {
	if !cmdline.Misused(d.Message) || cmdline.InlineProgram(d.Failed) || cmdline.InlineProgram(d.Worked) || strings.HasPrefix(d.Failed, d.Worked+" |") {
		return "", "", "" // a filter that finds nothing fails, too
	}
	if cmdline.Refused(d.Message) {
		if what, why = d.refusal(e); what != "" || newOption(d.Failed, d.Worked) {
			return what, why, typ
		}
	}
	if cmdline.Depth(firstWord(d.Failed)) == 1 && strings.Contains(strings.ToLower(d.Message), "no such file") {
		return "", "", "" // a path that was guessed, in a command that only looks
	}
	failed, worked := cmdline.PlainCommand(d.Failed), cmdline.PlainCommand(d.Worked)
	if strings.HasPrefix(worked, failed) { // the processing of the output is the point
		failed, worked = wording.OneLine(d.Failed, 110), wording.OneLine(d.Worked, 110)
	}
	switch {
	case d.Worked == "" && d.Key != "" && e.Sessions >= missedIn && notThere(d.Message):
		return noneWorks([]string{d.Key}, d.Message), fmt.Sprintf("It failed so in %s, and worked in none of them.", e.seen()), file.ErrorPattern
	case d.Worked == "" || worked == failed:
		return "", "", ""
	case strings.HasSuffix(failed, "…") || strings.HasSuffix(worked, "…") || len(cmdline.Keys(d.Worked)) > len(cmdline.Keys(d.Failed)):
		return "", "", ""
	}
	return fmt.Sprintf("`%s` does not work here; `%s` does.", failed, worked), fmt.Sprintf("It failed with “%s” in %s.", wording.OneLine(d.Message, 120), e.seen()), ""
}

// missedIn is in how many sessions a program or a subcommand was not there, before that is a fact of the machines here.
const missedIn = 3

// notThere reports whether an error says that a program, or a subcommand of one, is not installed.
func notThere(line string) bool {
	return cmdline.MissingProgram(line) != "" || wording.Has(strings.ToLower(line), "no such command", "no such subcommand", "is not a git command")
}

// refusal says what a program does not accept here. The call that worked shows that the command itself does; it may have been changed
// in other ways too.
func (d FailedCall) refusal(e Extent) (what, why string) {
	words := cmdline.RefusedWords(d.Failed, d.Worked, d.Key, d.Message)
	if d.Worked == "" || d.Key == "" || len(words) == 0 || len(words) > cmdline.MaxDropped || !slices.ContainsFunc(words, func(w string) bool { return !cmdline.Words(d.Worked)[w] }) {
		return "", ""
	}
	return fmt.Sprintf("`%s` with `%s` is refused here: leave it out.", d.Key, strings.Join(words, "` and `")), fmt.Sprintf("It failed with “%s” in %s.", wording.OneLine(d.Message, 120), e.seen())
}

// newOption reports whether a call that worked has an option that the failed one had not: it may do something else.
func newOption(failed, worked string) bool {
	had := cmdline.Words(failed)
	for w := range cmdline.Words(worked) {
		if cmdline.IsOption(w) && !had[w] {
			return true
		}
	}
	return false
}

func (d UndoneEdit) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("Edits of `%s` tend to be taken back: settle the approach before changing it.", d.Path), "An edit was undone in " + e.seen() + ".", ""
}

func (d LeftFor) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("`%s` is easily taken for `%s`, which is where the change belongs.", d.Path, d.Meant), "Opened and left for the other in " + e.seen() + ".", ""
}

// A search finds the declaration again, so it is not worth a sentence.
func (SoughtName) Sentence(Extent) (what, why string, typ file.Type) { return "", "", "" }

func (d CheckSequence) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf(SequenceHead+"%s.", inWords(d.Commands)), "Done in " + e.seen() + " before a commit.", ""
}

func (d SlowCommand) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("`%s` takes %s: give it time, and run a narrower check while working.", d.Command, duration(d.Median)),
		fmt.Sprintf("The median of all measured runs, nine of ten within %s, in %s.", duration(d.Most), e.seen()), ""
}

func (d Noted) Sentence(Extent) (what, why string, typ file.Type) {
	return d.Text, "The agent noted it after a call had failed.", ""
}

func (d FetchedPage) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("The work here is looked up in %s again and again.", wording.OneLine(d.URL, 120)), "Fetched in " + e.seen() + ".", ""
}

func (d EmptySearch) Sentence(e Extent) (what, why string, typ file.Type) {
	if d.Path == "" {
		return "", "", ""
	}
	return fmt.Sprintf("A search for `%s` finds nothing; `%s` is there all the same.", wording.OneLine(d.Pattern, 60), d.Path), "Searched for in vain in " + e.seen() + ".", ""
}

func (d ReadChain) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("Who reads `%s` mostly needs `%s` as well, by way of `%s`.", d.First, d.Last, d.Via), "Read one after the other in " + e.seen() + ".", ""
}

func (d FailsFirst) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("Run `%s` before `%s`: it is the one that fails first.", d.First, d.Then), "It failed before the other was run in " + e.seen() + ".", ""
}

func (d ConfigWithCode) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("`%s` and `%s` change together.", d.Config, d.Code), "Edited together in " + e.seen() + ".", ""
}

func (d LongRequest) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("Work in `%s/` takes more steps than it seems: one request took %d calls. Cut it into smaller tasks.", d.Folder, d.Calls), "Seen in " + e.seen() + ".", ""
}

func (d Conflict) Sentence(e Extent) (what, why string, typ file.Type) {
	switch {
	case !d.Changed:
		return fmt.Sprintf("`%s` is edited by several agents at once: leave it to one.", d.Path), "Two agents edited it within minutes in " + e.seen() + ".", ""
	case e.Sessions < 2:
		return "", "", ""
	}
	return fmt.Sprintf("`%s` is changed by a tool or a person while agents edit it: read it again before each edit.", d.Path), "An edit was refused in " + e.seen() + ", because the file had changed since it was read.", ""
}

func (d LargeResult) Sentence(e Extent) (what, why string, typ file.Type) {
	if d.File {
		return fmt.Sprintf("Reading the whole of `%s` costs about %d,000 tokens: search in it, or read a part.", d.Name, d.Thousands), "Seen in " + e.seen() + ".", ""
	}
	return fmt.Sprintf("`%s` prints about %d,000 tokens: narrow it down, or cut its output.", d.Name, d.Thousands), "Seen in " + e.seen() + ".", ""
}

func (d FaultyPage) Sentence(e Extent) (what, why string, typ file.Type) {
	return d.says(), fmt.Sprintf("A browser saw it in %s (class %s).", e.seen(), d.Fault), ""
}

func (d RefusedCommand) Sentence(e Extent) (what, why string, typ file.Type) {
	return fmt.Sprintf("Ask before running `%s`: people here refuse it when it comes unasked.", d.Command), "Refused by a person in " + e.seen() + ".", file.Preference
}

func (d Instruction) Sentence(Extent) (what, why string, typ file.Type) {
	return quoted(d.Text), "A person said so to the agent while it worked.", correctionType(d.Text)
}

func firstWord(command string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return w
}

// correctionType returns the type of a person's rule: about how to work, or about the
// code.
func correctionType(text string) file.Type {
	low := strings.ToLower(text)
	for _, sign := range []string{"commit", "push", "run ", "branch", "lint", "test", "changelog", "always", "never"} {
		if strings.Contains(low, sign) {
			return file.Convention
		}
	}
	return file.Preference
}

// joins matches the words by which a sentence goes on from another one, objects to what was done, or asks politely.
var joins = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:and|also|oh|btw|please)\b,?\s+|(?:no|nope|nah|stop|wait|hmm|hey|ok|okay|yes|well|actually)(?:[,.!:…]+|\s+[-–—]+)\s+)+`)
})

// quoted makes a sentence of a typed text, with a capital and an end mark. It stands alone, so what joined it to the one before is
// left out.
func quoted(s string) string {
	s = wording.OneLine(s, wording.MaxSaid)
	if alone := joins().ReplaceAllString(wording.Praised().ReplaceAllString(s, ""), ""); wording.LetterFirst(strings.ToLower(alone)) {
		s = alone
	}
	if strings.HasPrefix(s, "(") {
		s = strings.TrimRight(strings.TrimPrefix(s, "("), ").") + "."
	}
	r := []rune(s)
	if len(r) == 0 {
		return ""
	}
	if r[0] >= 'a' && r[0] <= 'z' {
		r[0] -= 'a' - 'A'
	}
	if last := r[len(r)-1]; !strings.ContainsRune(".!?…", last) {
		r = append(r, '.')
	}
	return string(r)
}

func times(sessions int) string {
	if sessions == 1 {
		return "one session"
	}
	return fmt.Sprintf("%d sessions", sessions)
}

func inWords(commands []string) string {
	commands = inCode(commands)
	if len(commands) == 1 {
		return commands[0]
	}
	return strings.Join(commands[:len(commands)-1], ", ") + " and " + commands[len(commands)-1]
}

// inCode puts names between backquotes.
func inCode(names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, "`"+n+"`")
	}
	return out
}

func duration(seconds int) string {
	if seconds < 100 {
		return fmt.Sprintf("about %d seconds", seconds/10*10)
	}
	if m := (seconds + 30) / 60; m > 1 {
		return fmt.Sprintf("about %d minutes", m)
	}
	return "about a minute"
}
