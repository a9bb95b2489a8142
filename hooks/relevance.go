package hooks

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/words"
	"manicule/memory/file"
)

// stopWords are words of prompts that say nothing about their subject.
var stopWords = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`look file files head once more again check fix add make change changes update run use using see get try next please thing things work working need want
		issue problem function method line lines code now implement create remove delete show find write read good continue go going let lets start stop keep put set take new old first last same other
		sure right wrong way part point idea question answer explain describe summarize summary review help tell give think know mean like just also still already really maybe possible current
		commit push pull request branch merge pr project repo repository folder directory test tests build step steps plan task todo done ok okay yes no thanks name value type error errors bug bugs message`) {
		out[words.Stem(w)] = true
	}
	return out
})

// minShared is the number of telling words that a prompt and a memory must share.
const minShared = 2

// identifier is a name in the code: a compound, or a file name.
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z_][\w]*(?:[._/-][A-Za-z_][\w]*)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+\(\)`)
})

// keywords returns the words of a text that say what it is about.
func keywords(text string) []string { return keywordsOf(new(words.Stemmer), text) }

func keywordsOf(stems *words.Stemmer, text string) []string {
	return slices.DeleteFunc(stems.Terms(text[:min(len(text), 4000)]), func(w string) bool { return stopWords()[w] || strings.Trim(w, "0123456789") == "" })
}

// hasSubject reports whether a prompt has a subject: two telling words, or a name.
func hasSubject(text string) bool {
	return len(keywords(text)) >= minShared || identifier().MatchString(text[:min(len(text), 4000)])
}

// address is a URL. Its parts are names of others' things.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:https?|ssh|git)://\S+`) })

// How much a memory must have in common with a prompt.
const (
	// leastCovered is the share of a memory's words, by their weight, that the prompt must have,
	// and enoughShared the weight that is enough for a long memory.
	leastCovered = 0.3
	enoughShared = 2.6
	// unread is how much more must be shared with a memory that was imported, which nobody
	// wrote to be told.
	unread = 1.5
	// fewNames is the number of names in a memory that is about each of them, not a list.
	fewNames = 3
	// telling is the weight from which a shared word says something: it stands in few memories.
	telling = 0.4
	// usualPrompt is the number of words of a prompt from which more must be shared: a pasted
	// log has words of everything.
	usualPrompt = 20
)

// Counts returns the number of memories with an expression, counting no further than most, and of
// all memories.
type Counts func(expression string, most int) (n, total int)

// rareName reports whether a name stands in so few memories that sharing it is enough. The name of
// the project stands in most.
func (c Counts) rareName(name string) bool {
	if c == nil {
		return true
	}
	_, total := c(name, 1)
	most := max(2, total/40)
	n, _ := c(name, most+1)
	return n <= most
}

// weight is 1 for a word of one memory and 0 for one of all. Among few memories every word is rare.
func (c Counts) weight(word string) float64 {
	if c == nil {
		return 1
	}
	n, total := c(word, maxCounted)
	if total < fewMemories {
		return 1
	}
	if n == 0 {
		return unknownWeight // another stem in the index
	}
	return min(1, max(0, math.Log(float64(total)/float64(n))/math.Log(float64(min(total, maxCounted)))))
}

// unknownWeight is the weight of a word that is not found in the index.
const unknownWeight = 0.5

// maxCounted bounds the counting of memories with a word.
const maxCounted = 400

// relevant selects the memories that are about a text: they share a rare name of the code with it,
// or rare words that are a good part of what they say. Silence costs less than an irrelevant
// memory.
func relevant(text string) func(*file.Memory, Counts) bool {
	text = text[:min(len(text), 4000)]
	if strings.Contains(text, "://") { // few have one, and each process compiles the expression anew
		text = address().ReplaceAllString(text, " ")
	}
	var stems words.Stemmer
	asked := map[string]bool{}
	for _, w := range keywordsOf(&stems, text) {
		asked[w] = true
	}
	asks := names(text)
	long := max(1, float64(len(asked))/usualPrompt)
	return func(m *file.Memory, counts Counts) bool {
		var about []string
		for _, a := range m.Anchors {
			about = append(about, a.Path, a.Symbol)
		}
		if has := names(m.What); long < 2 && len(has) <= fewNames {
			for _, a := range m.Anchors {
				has = append(has, strings.ToLower(a.Symbol))
			}
			if slices.ContainsFunc(asks, func(n string) bool { return slices.Contains(has, n) && counts.rareName(n) }) {
				return true
			}
		}
		need := long
		if m.Trust.Origin == file.Import && m.Trust.VerifiedBy == "" {
			need *= unread
		}
		own := keywordsOf(&stems, m.What)
		around := stems.Terms(strings.Join(slices.Concat([]string{m.Why}, m.Tags, m.Scope, about), " "))
		// Counting asks the index, so first what needs none.
		if n := both(own, asked) + both(around, asked); n < minShared && (n == 0 || len(own) > 3) {
			return false
		}
		shared, whole, rare := 0.0, 0.0, 0
		for _, w := range own {
			x := counts.weight(w)
			whole += x
			if asked[w] {
				if shared += x; x >= telling {
					rare++
				}
			}
		}
		for _, w := range around {
			if !asked[w] || slices.Contains(own, w) {
				continue
			}
			if x := counts.weight(w); x >= telling {
				shared += x / 2
				rare++
			}
		}
		if rare < minShared && (rare == 0 || len(own) > 3) { // a short memory may be about one word
			return false
		}
		return shared >= min(leastCovered*whole, enoughShared)*need
	}
}

// both counts the words of a list that are among others.
func both(list []string, others map[string]bool) int {
	n := 0
	for _, w := range list {
		if others[w] {
			n++
		}
	}
	return n
}

// names returns the names of code in a text, in lower case. Shorter ones than five characters say
// too little.
func names(text string) []string {
	var out []string
	for _, n := range identifier().FindAllString(text, -1) {
		if n = strings.ToLower(strings.TrimSuffix(n, "()")); len(n) > 4 && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// commandPrograms are the programs whose commands are known without backquotes.
const commandPrograms = "npm|pnpm|yarn|bun|npx|go|make|just|mise|cargo|pytest|poetry|uv|docker|gradle|mvn|dotnet|composer|rake|bundle|tox|task"

// commandLine matches a command in a prompt: in backquotes, or a well-known program with
// its arguments.
var commandLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`\n]{3,120})`|(?:^|[\\s(\"'>$])((?:" + commandPrograms + ")(?: [a-z][\\w:.-]*){1,3})")
})

// commandsIn returns the commands that a prompt names.
func commandsIn(text string) (out []string) {
	text = text[:min(len(text), 4000)]
	maybe := strings.Contains(text, "`")
	for program := range strings.SplitSeq(commandPrograms, "|") {
		maybe = maybe || strings.Contains(text, program+" ")
	}
	if !maybe { // each process compiles the expression anew
		return nil
	}
	for _, m := range commandLine().FindAllStringSubmatch(text, maxPromptCommands) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// maxPromptCommands bounds the commands of a prompt that are looked up.
const maxPromptCommands = 3

// promptFailures returns the earlier failures of the commands that a prompt names. No
// later hook speaks before the call.
func (j *job) promptFailures(ctx context.Context, dedupe *eventlog.Dedupe, text string) string {
	if j.opt.Failures == nil {
		return ""
	}
	var lines []string
	for _, command := range commandsIn(text) {
		list, err := j.opt.Failures(ctx, j.opt.projectDir(j.ev), event.Call{Class: event.Shell, Command: command})
		if err != nil {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, j.newWarnings(dedupe, list)...)
	}
	return strings.Join(lines, "\n")
}
