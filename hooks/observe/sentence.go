package observe

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"manicule/memory/file"
)

// sequenceHead begins the sentence about checks before a commit. One such memory is
// enough.
const sequenceHead = "Before a commit, run "

// sentence describes a signal and its evidence as a person would. It returns
// "" for a signal that has no sentence.
func sentence(s Signal, sessions int, h History) (what, why string, typ file.Type) {
	seen := times(sessions)
	switch s.Kind {
	case FileAccess:
		share := "Most sessions open"
		if n, all := number(s.B), number(s.C); float64(n) >= alwaysShare*float64(all) {
			share = "Nearly every session opens"
		}
		return fmt.Sprintf("%s `%s`: read it first.", share, s.A), fmt.Sprintf("Opened in %s of %s sessions.", s.B, s.C), ""
	case CoAccess:
		shares := strings.Split(s.C, " ")
		_, n, _ := strings.Cut(shares[0], "/")
		var each []string
		for _, x := range shares {
			both, _, _ := strings.Cut(x, "/")
			each = append(each, both)
		}
		return fmt.Sprintf("Who changes `%s` mostly changes %s too: look there before you finish.", s.A, inWords(strings.Split(s.B, "\x00"))),
			fmt.Sprintf("Of %s sessions that edited the first, %s edited it too.", n, strings.Join(each, ", ")), ""
	case ErrorRetry:
		return retrySentence(s, h.Signals[SignalID(s.Kind, s.Key)].Count+s.N, seen)
	case Backtrack:
		return fmt.Sprintf("Edits of `%s` tend to be taken back: settle the approach before changing it.", s.A), "An edit was undone in " + seen + ".", ""
	case ReadAbandon:
		return fmt.Sprintf("`%s` is easily taken for `%s`, which is where the change belongs.", s.A, s.B), "Opened and left for the other in " + seen + ".", ""
	case RepeatedSearch:
		return "", "", "" // a search finds the declaration again, so it is not worth a sentence
	case ToolSequence:
		return fmt.Sprintf(sequenceHead+"%s.", inWords(strings.Split(s.A, "\x00"))), "Done in " + seen + " before a commit.", ""
	case TimeAnomaly:
		return fmt.Sprintf("`%s` takes %s: give it time, and run a narrower check while working.", s.A, duration(number(s.B))), fmt.Sprintf("The median of all measured runs, nine of ten within %s, in %s.", duration(number(s.C)), seen), ""
	case SelfCorrection:
		return s.A, "The agent noted it after a call had failed.", ""
	case ExternalRef:
		return fmt.Sprintf("The work here is looked up in %s again and again.", oneLine(s.A, 120)), "Fetched in " + seen + ".", ""
	case GlobIgnore:
		if s.B == "" {
			return "", "", ""
		}
		return fmt.Sprintf("A search for `%s` finds nothing; `%s` is there all the same.", oneLine(s.A, 60), s.B), "Searched for in vain in " + seen + ".", ""
	case ImportChase:
		return fmt.Sprintf("Who reads `%s` mostly needs `%s` as well, by way of `%s`.", s.A, s.B, s.C), "Read one after the other in " + seen + ".", ""
	case TestOrder:
		return fmt.Sprintf("Run `%s` before `%s`: it is the one that fails first.", s.A, s.B), "It failed before the other was run in " + seen + ".", ""
	case ConfigTouch:
		return fmt.Sprintf("`%s` and `%s` change together.", s.A, s.B), "Edited together in " + seen + ".", ""
	case StepOverrun:
		return fmt.Sprintf("Work in `%s/` takes more steps than it seems: one request took %s calls. Cut it into smaller tasks.", s.A, s.B), "Seen in " + seen + ".", ""
	case ParallelConflict:
		if s.B == "changed" && sessions < 2 {
			return "", "", ""
		}
		if s.B == "changed" {
			return fmt.Sprintf("`%s` is changed by a tool or a person while agents edit it: read it again before each edit.", s.A), "An edit was refused in " + seen + ", because the file had changed since it was read.", ""
		}
		return fmt.Sprintf("`%s` is edited by several agents at once: leave it to one.", s.A), "Two agents edited it within minutes in " + seen + ".", ""
	case TokenSpike:
		if len(s.Paths) > 0 {
			return fmt.Sprintf("Reading the whole of `%s` costs about %s,000 tokens: search in it, or read a part.", s.A, s.B), "Seen in " + seen + ".", ""
		}
		return fmt.Sprintf("`%s` prints about %s,000 tokens: narrow it down, or cut its output.", s.A, s.B), "Seen in " + seen + ".", ""
	case PageFault:
		return pageSentence(s), fmt.Sprintf("A browser saw it in %s (class %s).", seen, s.B), ""
	case UserCorrection:
		if s.B == "refused" {
			return fmt.Sprintf("Ask before running `%s`: people here refuse it when it comes unasked.", s.A), "Refused by a person in " + seen + ".", file.Preference
		}
		return quoted(s.A), "A person said so to the agent while it worked.", correctionType(s.A)
	}
	return "", "", ""
}

func retrySentence(s Signal, total int, seen string) (what, why string, typ file.Type) {
	switch {
	case s.Need != "":
		return needSentence(s, seen)
	case strings.HasPrefix(s.Key, clustered):
		return clusterSentence(s, seen)
	case strings.HasPrefix(s.Key, mismatch) && total < 5:
		return "", "", ""
	case strings.HasPrefix(s.Key, mismatch):
		return fmt.Sprintf("Edits of `%s` often miss its text: read the lines again right before, and copy tabs and spaces as they are.", s.A), fmt.Sprintf("The text to replace was not found %d times in %s.", total, seen), file.Gotcha
	case strings.HasPrefix(s.Key, ruled):
		return fmt.Sprintf("`%s` enforces `%s`: “%s”, for example.", s.A, s.B, strings.TrimRight(oneLine(s.C, 110), ".")), "It stopped the work in " + seen + ".", file.ErrorPattern
	}
	if len(s.Paths) > 0 { // a missing path
		switch {
		case strings.Contains(strings.ToLower(s.C), "eisdir"):
			return "", "", ""
		case s.B == "":
			return "", "", ""
		case path.Base(s.A) == path.Base(s.B):
			return fmt.Sprintf("There is no `%s`: it is `%s`.", s.A, s.B), "The wrong path was tried in " + seen + ".", file.Gotcha
		}
		return fmt.Sprintf("There is no `%s`: look into `%s`.", s.A, s.B), "The wrong path was tried in " + seen + ".", file.Gotcha
	}
	if !Misused(s.C) || inlineProgram(s.A) || inlineProgram(s.B) || strings.HasPrefix(s.A, s.B+" |") {
		return "", "", "" // a filter that finds nothing fails, too
	}
	if Refused(s.C) {
		if what, why, typ = refusal(s, seen); what != "" || newOption(s.A, s.B) {
			return what, why, typ
		}
	}
	if depth(firstWord(s.A)) == 1 && strings.Contains(strings.ToLower(s.C), "no such file") {
		return "", "", "" // a path that was guessed, in a command that only looks
	}
	failed, fix := plainCommand(s.A), plainCommand(s.B)
	if strings.HasPrefix(fix, failed) { // the processing of the output is the point
		failed, fix = oneLine(s.A, 110), oneLine(s.B, 110)
	}
	why = fmt.Sprintf("It failed with “%s” in %s.", oneLine(s.C, 120), seen)
	switch {
	case s.B == "" || fix == failed:
		return "", "", ""
	case strings.HasSuffix(failed, "…") || strings.HasSuffix(fix, "…") || len(Keys(s.B)) > len(Keys(s.A)):
		return "", "", ""
	}
	return fmt.Sprintf("`%s` does not work here; `%s` does.", failed, fix), why, ""
}

// newOption reports whether a call that worked has an option that the failed one had not: it may do something else.
func newOption(failed, worked string) bool {
	had := Words(failed)
	for w := range Words(worked) {
		if isOption(w) && !had[w] {
			return true
		}
	}
	return false
}

// refusal says what a program does not accept here. The call that worked shows that the command itself does; it may have been changed
// in other ways too.
func refusal(s Signal, seen string) (what, why string, typ file.Type) {
	key, _, _ := strings.Cut(s.Key, "\x00")
	words := refusedWords(s.A, s.B, key, s.C)
	if s.B == "" || key == "" || len(words) == 0 || len(words) > maxDropped || !slices.ContainsFunc(words, func(w string) bool { return !Words(s.B)[w] }) {
		return "", "", ""
	}
	return fmt.Sprintf("`%s` with `%s` is refused here: leave it out.", key, strings.Join(words, "` and `")), fmt.Sprintf("It failed with “%s” in %s.", oneLine(s.C, 120), seen), ""
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

// quoted makes a sentence of a typed text, with a capital and an end mark.
func quoted(s string) string {
	s = oneLine(s, maxSaid)
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
	for i, c := range commands {
		commands[i] = "`" + c + "`"
	}
	if len(commands) == 1 {
		return commands[0]
	}
	return strings.Join(commands[:len(commands)-1], ", ") + " and " + commands[len(commands)-1]
}

func number(s string) int {
	n := 0
	for _, r := range s {
		if r < '0' || r > '9' {
			break
		}
		n = n*10 + int(r-'0')
	}
	return n
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
