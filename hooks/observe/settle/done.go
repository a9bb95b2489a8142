// Package settle says what a session did that may settle what earlier ones left in words.
package settle

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/outcome"
	"manicule/hooks/observe/unfinished"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
)

// Done is what a session did that may settle what earlier ones left in words. It is empty after untrusted text.
type Done struct {
	files    []string   // that it edited before a check passed, or before it committed
	commands []string   // that worked
	plans    []string   // whose text was the request, or that were agreed to, before it changed files
	told     [][]string // words of its commits, and of the sentences of its last message that say what was done
	asked    string     // its first request, if it changed files for it and checked or committed that
	finished bool       // it was asked to go on with what was under way, and committed its changes without a check that fails
}

// Finished reports whether the session was asked to go on with what was under way, changed files and committed that, and no check
// fails at its end. If it left nothing either, what the branch's sessions before it left is done.
func (d Done) Finished() bool { return d.finished }

// Limits of what is compared.
const (
	maxTold       = 60
	leastShared   = 3   // words that a text must have, and share
	mostOfTheText = 0.7 // of the words of what was left
)

// Settles reports whether the session did what a text says is left: it ran the command that the text names, or one of its commits or
// a sentence of its last message says most of the text's words; it was asked for that first, in few other words, and did it;
// else, of a text that names files, if it edited all of them, checked or committed that, and said half of the words. Upper and lower case are the same.
func (d Done) Settles(text string) bool {
	text = strings.ToLower(text)
	if named := quotedCommands(text); len(named) > 0 && !slices.ContainsFunc(named, func(c string) bool { return !d.ran(c) }) {
		return true
	}
	words := slices.DeleteFunc(episode.Words(text), func(w string) bool {
		return slices.Contains([]string{"not", "yet", "still", "been", "need", "next", "step", "up"}, w)
	})
	if len(words) < leastShared {
		return false
	}
	share := mostOfTheText
	if d.edited(text) {
		share = 0.5
	}
	if d.wasAsked(text, words) {
		return true
	}
	return slices.ContainsFunc(d.told, func(told []string) bool {
		n := common(words, told)
		return n >= leastShared && float64(n) >= share*float64(len(words))
	})
}

// wasAsked reports whether the session did what a text of these words says as its first request: all words of the shorter one, few others,
// and the same numbers, as "batch 3" is not "batch 2".
func (d Done) wasAsked(text string, words []string) bool {
	telling := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(makes(), w) })
	}
	words, asked := telling(words), telling(episode.Words(d.asked))
	if slices.ContainsFunc(asked, func(w string) bool { return slices.Contains(undoes(), w) && !slices.Contains(words, w) }) {
		return false
	}
	if n := common(words, asked); n < max(leastShared, min(len(words), len(asked))) || float64(n) < mostOfTheText*float64(max(len(words), len(asked))) {
		return false
	}
	numbers := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	of := numbers(d.asked)
	return !slices.ContainsFunc(numbers(text), func(n string) bool { return !slices.Contains(of, n) })
}

// makes are words of a request to make something, of which one does for the other.
func makes() []string { return episode.Words("add build create implement write") }

// undoes are words of a request for the opposite.
func undoes() []string { return episode.Words("delete disable drop remove revert undo") }

// common counts the words of a list that are among others.
func common(words, others []string) (n int) {
	for _, w := range words {
		if slices.ContainsFunc(others, func(o string) bool { return sameStem(o, w) }) {
			n++
		}
	}
	return n
}

// sameStem reports whether two stems are of one word: an ending may have taken the e of its stem, as in wire and wired.
func sameStem(a, b string) bool { return a == b || a == b+"e" || b == a+"e" }

// Answers reports whether the session did what an [unfinished.Wait] waited for, by what it is about: it carried out the plan of this title, as the
// request or agreed to, and changed files; it changed the file whose change was refused or waited for a permission, and that passed or
// was committed; or it committed, pushed or ran the check, where that was the question or was not allowed.
func (d Done) Answers(about string) bool {
	if slices.ContainsFunc(d.plans, func(p string) bool { return strings.EqualFold(p, about) }) {
		return true
	}
	if about == "" {
		return false
	}
	if slices.Contains(d.files, strings.ToLower(about)) || d.ran(strings.ToLower(about)) {
		return true
	}
	if !unfinished.OffersDelivery().MatchString(about) && !strings.HasPrefix(about, "git commit") && !strings.HasPrefix(about, "git push") {
		return false
	}
	return d.ran("git push") || d.ran("git commit") && !unfinished.Pushing().MatchString(about)
}

func (d Done) ran(command string) bool {
	return slices.ContainsFunc(d.commands, func(c string) bool { return c == command || strings.HasPrefix(c, command+" ") })
}

// edited reports whether a text names files, and the session edited all of them.
func (d Done) edited(text string) bool {
	named := fileName().FindAllString(text, -1)
	return len(named) > 0 && !slices.ContainsFunc(named, func(name string) bool {
		return !slices.ContainsFunc(d.files, func(f string) bool { return f == name || strings.HasSuffix(f, "/"+name) })
	})
}

// Of collects what the session did.
func Of(ses *fold.Session) (d Done) {
	if ses.Tainted || ses.Blind {
		return d
	}
	d.plans, d.finished = carriedOut(ses), finishes(ses)
	var edits []string // since the last check that passed
	atOnce := false    // it checked or committed changes before the second request, which may be for something else
	for _, s := range ses.Steps {
		if !s.Succeeded() {
			continue
		}
		if s.Edits() {
			for _, p := range s.Paths {
				edits = append(edits, strings.ToLower(p))
			}
		}
		if s.Class != event.Shell {
			continue
		}
		d.addCommands(s.Simple)
		if s.Commits() || slices.ContainsFunc(s.Keys, cmdline.Checks) {
			atOnce = atOnce || len(edits) > 0 && (len(ses.Turns) < 2 || s.N < ses.Turns[1].N)
			d.files, edits = append(d.files, edits...), nil
		}
	}
	if unfinished.CutShort(ses) {
		return d
	}
	if ses.LastMessage != "" {
		d.addStatement(ses.LastMessage)
	}
	if failing, _, _ := outcome.EndsOf(ses).Sorted(); len(ses.Turns) > 0 && atOnce && len(failing) == 0 {
		d.asked = asking.Task(ses.Turns[0].Text)
	}
	return d
}

// addCommands adds simple commands that succeeded, and the titles that they gave to commits.
func (d *Done) addCommands(simple [][]string) {
	for _, args := range simple {
		if len(d.commands) < fold.MaxSaying {
			d.commands = append(d.commands, strings.ToLower(strings.Join(args, " ")))
		}
		for _, title := range cmdline.TitlesOf(args) {
			d.addTold(title)
		}
	}
}

// addStatement adds what the agent said at the end that it did.
func (d *Done) addStatement(said string) {
	for _, line := range wording.Prose(said) {
		for _, s := range wording.Clauses(line) {
			if !notDone().MatchString(s) && !strings.HasSuffix(s, "?") {
				d.addTold(s)
			}
		}
	}
}

// addTold adds the words of a text that tells what was done.
func (d *Done) addTold(text string) {
	if words := episode.Words(text); len(words) >= leastShared && len(d.told) < maxTold {
		d.told = append(d.told, words)
	}
}

// finishes is [Done.Finished].
func finishes(ses *fold.Session) bool {
	if len(ses.Turns) == 0 || unfinished.CutShort(ses) || !askedToGoOn(ses) {
		return false
	}
	x := outcome.EndsOf(ses)
	failing, _, _ := x.Sorted()
	if x.Edits == 0 || len(failing) > 0 || x.Undone {
		return false
	}
	return slices.ContainsFunc(ses.Steps[x.LastEdit:], func(s fold.Step) bool {
		return s.Succeeded() && s.Agent == "" && !fold.InProgress(s) && s.Commits()
	})
}

// askedToGoOn reports whether the first request was to go on with what is under way, and hardly more.
func askedToGoOn(ses *fold.Session) bool {
	text := strings.TrimSpace(ses.Turns[0].Text)
	return len(text) <= maxGoOn && goesOnWith().MatchString(text) && len(asking.Words(text)) <= mostOfGoOn
}

// The limits of a request to go on: what is longer says what it is about, which may be another thing.
const (
	maxGoOn    = 200
	mostOfGoOn = 3 // telling words
)

// goesOnWith matches the beginning of a request to go on.
var goesOnWith = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:good morning|hi|hello|hey|ok|okay|now|please|yes|great|thanks|let's|lets|can you|could you)\W+)*(?:continue|resume|carry on|go on|go ahead|keep going|proceed|pick (?:this |it )?up|finish (?:it|this|that|up|the rest|what)|weiter|mach weiter)\b`)
})

// quotedCommands lists the commands that a text names between backticks: those with more than one word, so
// that a name is none.
func quotedCommands(text string) (out []string) {
	for i, part := range strings.Split(text, "`") {
		if fields := strings.Fields(part); i%2 == 1 && len(fields) > 1 && command().MatchString(part) {
			out = append(out, strings.Join(fields, " "))
		}
	}
	return out
}

var (
	fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\w@+-][\w@.+/-]*\.[A-Za-z]\w{0,7}\b`) })
	// command matches the beginning of a command that does something once.
	command = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:git (?:push|tag|merge|rebase|stash pop)|gh |glab |npm |pnpm |yarn |bun |npx |bunx |uv |pip |cargo |go |make |mise |docker |kubectl |terraform |python3? |node |\./)`)
	})
	// notDone matches a sentence that says what is left, asked for or meant.
	notDone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:not|n't|no longer|never|yet|still|left|remain\w*|pending|todo|next|later|will|would|should|could|can|may|might|must|need\w*|want|if|once|when|until|before|unless|skipp\w+|deferred?|open|missing|fail\w*|blocked|waiting|recommend\w*|suggest\w*|consider|please|you|your|let me|i'll|未|まだ|尚未|还没|noch|ainda|falta)\b|n't\b|未|まだ|还没|尚未`)
	})
)

// carriedOut lists the titles of the plans that the session was to carry out and changed files for.
func carriedOut(ses *fold.Session) (out []string) {
	changed := func(after int) bool {
		return slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
			return s.N > after && s.Succeeded() && s.Edits()
		})
	}
	for _, t := range ses.Turns {
		if title := asking.PlanAsked(t.Text); title != "" && changed(t.N) {
			out = append(out, wording.OneLine(title, unfinished.MaxWait))
		}
	}
	for _, s := range ses.Steps {
		if event.AskOf(s.Tool) == event.AsksPlan && s.Succeeded() && s.Query != "" && changed(s.Ended) {
			out = append(out, wording.OneLine(s.Query, unfinished.MaxWait))
		}
	}
	return out
}
