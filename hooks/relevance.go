package hooks

import (
	"context"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/indexer/anchor"
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

// maxCompared is how much of a text is compared, in bytes.
const maxCompared = 4000

func keywordsOf(stems *words.Stemmer, text string) []string {
	return slices.DeleteFunc(stems.Terms(text[:min(len(text), maxCompared)]), func(w string) bool {
		return stopWords()[w] || strings.Trim(w, "0123456789") == ""
	})
}

// hasSubject reports whether a prompt has a subject: two telling words, or a name.
func hasSubject(text string) bool {
	return len(keywords(text)) >= minShared || identifier().MatchString(text[:min(len(text), 4000)])
}

// address is a URL. Its parts are names of others' things.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:https?|ssh|git)://\S+`) })

// How much a memory and a text must share: words that few memories have, by their weight.
const (
	// leastShared is the weight that must be shared, or leastPart of a short memory; leastCovered is
	// the share of all that the memory says.
	leastShared  = 3
	leastPart    = .65
	leastCovered = .3
	// A memory that was imported was not written to be told, so it must have more in common.
	importedShared  = 3.5
	importedPart    = .8
	importedCovered = .4
	// usualPrompt is the number of words of a text from which more must be shared: a review or a log
	// has words of everything.
	usualPrompt = 60
	// answered is the share of the words of a short question that are enough, with the weight of
	// leastAnswered.
	answered      = .4
	leastAnswered = 1.6
	// leastWeight is what a shared word must weigh on average: many common words are no subject.
	leastWeight = .5
	// namedCovered is what must be covered beside a rare name. In a text longer than usual a name is
	// one of many.
	namedCovered = .1
	// longCovered is the share of a memory that a text longer than usual must have: while a plan is carried out, its words are met
	// everywhere.
	longCovered = .5
	// fewNames is the number of names in a memory that is about each of them, not a list.
	fewNames = 3
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

// weight is 1 for a word of one memory and 0 for one of all, and never more than what the word weighs in any project: among
// few memories every word is rare.
func (c Counts) weight(word string) float64 {
	if c == nil {
		return 1
	}
	n, total := c(word, maxCounted)
	usual := usualWeight(word)
	if total < fewMemories {
		return usual
	}
	if n == 0 {
		return min(unknownWeight, usual) // another stem in the index
	}
	return min(usual, max(0, math.Log(float64(total)/float64(n))/math.Log(float64(min(total, maxCounted)))))
}

// usualWeight is what a word weighs in any project.
func usualWeight(word string) float64 {
	if w, ok := commonWords()[word]; ok {
		return w
	}
	return 1
}

// unknownWeight is the weight of a word that is not found in the index.
const unknownWeight = 0.5

// maxCounted bounds the counting of memories with a word.
const maxCounted = 400

// question is a text with which memories are compared.
type question struct {
	words map[string]bool
	names []string
	cut   bool // there are more words
}

func ask(stems *words.Stemmer, text string) question {
	q := question{words: map[string]bool{}, names: names(text)}
	for _, w := range keywordsOf(stems, text) {
		q.words[w] = true
	}
	return q
}

// long is how much more must be shared with a long text.
func (q question) long() float64 { return max(1, float64(len(q.words))/usualPrompt) }

// relevantAnywhere selects the memories that are about a prompt, which comes from no place in the code. A memory of a place must
// be tied to it: the prompt names what the file or folder is called, or has most of the memory's words, or of its own. Without
// that, three of seven told memories were about something else that is told in the same words.
func relevantAnywhere(text string) func(*file.Memory, Counts) bool {
	about := relevant(text)
	text = text[:min(len(text), 4000)]
	var stems words.Stemmer
	q := ask(&stems, text)
	order := keywordsOf(&stems, text)
	return func(m *file.Memory, counts Counts) bool {
		return about(m, counts) && (q.anchored(m, counts) || q.tied(&stems, m, counts) || q.mostly(&stems, text, m, counts)) ||
			len(q.words) <= usualPrompt && isCritical(m.Type) && m.Trust.Origin != file.Import && namesPlace(&stems, text, order, m) && q.aboutFile(&stems, text, m, counts)
	}
}

// fewFiles is the number of files up to which a prompt that names them is about each. More are a list: a report on coverage, or the
// output of a tool.
const fewFiles = 2

// aboutFile reports whether a text that names a memory's file may be about the memory: it lists no files, and if the memory is about
// a symbol in the file it shares a telling word with it. Of what was told for the file's name alone, about symbols that nobody asked
// for, one in nine was about the work.
func (q question) aboutFile(stems *words.Stemmer, text string, m *file.Memory, counts Counts) bool {
	files := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r|`'\",:;()", r) }) {
		if ext := path.Ext(strings.TrimRight(w, ".")); len(ext) > 1 && strings.Contains(w, "/") && !strings.Contains(w, "://") {
			files[w] = true
		}
	}
	if len(files) > fewFiles {
		return false
	}
	if !slices.ContainsFunc(m.Anchors, anchor.Anchor.HasSymbol) {
		return true
	}
	var place []string
	for _, a := range m.Anchors {
		place = append(place, keywordsOf(stems, a.Path)...)
	}
	return slices.ContainsFunc(keywordsOf(stems, m.What), func(w string) bool {
		return q.words[w] && !slices.Contains(place, w) && counts.weight(w) >= leastTie
	})
}

// namesPlace reports whether a text names the only file that a memory is about, as a path or in words: the file's name beside its
// folder's ("the npm backend" is src/backend/npm.rs). The order of the text's words is that of their first use.
func namesPlace(stems *words.Stemmer, text string, order []string, m *file.Memory) bool {
	place := ""
	for _, p := range m.Scope {
		if place != "" && p != place || strings.ContainsAny(p, "*?[{") {
			return false
		}
		place = p
	}
	for _, a := range m.Anchors {
		if place != "" && a.Path != place {
			return false
		}
		place = a.Path
	}
	folder, name := path.Split(place)
	if folder == "" || name == "" {
		return false
	}
	folder = path.Base(folder)
	if strings.Contains(text, folder+"/"+name) {
		return true
	}
	stem := keywordsOf(stems, placeName(name))
	where := keywordsOf(stems, folder)
	if len(stem) == 0 || len(where) == 0 {
		return false
	}
	return follows(order, append(slices.Clone(stem), where...)) || follows(order, append(slices.Clone(where), stem...))
}

// follows reports whether words follow one another in a list.
func follows(list, words []string) bool {
	for i := 0; i+len(words) <= len(list); i++ {
		if slices.Equal(list[i:i+len(words)], words) {
			return true
		}
	}
	return false
}

// Of a memory that a prompt is not tied to must be shared: most of the memory, or nearly all of the prompt.
const (
	mostOfMemory = .5
	mostOfPrompt = .75
	// manyShared telling words are a subject if they are muchOfMemory.
	manyShared   = 6
	muchOfMemory = .35
	// leastTie is what a word of a file's name must weigh.
	leastTie = .5
)

// tied reports whether a text names the place of a memory, by a telling word of its name. A memory of no place is tied to all.
func (q question) tied(stems *words.Stemmer, m *file.Memory, counts Counts) bool {
	places := slices.Clone(m.Scope)
	for _, a := range m.Anchors {
		places = append(places, a.Path)
	}
	for _, p := range places {
		if slices.ContainsFunc(keywordsOf(stems, placeName(p)), func(w string) bool { return q.words[w] && counts.weight(w) >= leastTie }) {
			return true
		}
	}
	return len(places) == 0
}

// placeName is what a file is called without its ending, or the last folder of a pattern.
func placeName(place string) string {
	name := ""
	for part := range strings.SplitSeq(place, "/") {
		if !strings.ContainsAny(part, "*?[{") {
			name = part
		}
	}
	if i := strings.LastIndex(name, "."); i > 0 {
		name = name[:i]
	}
	return name
}

// mostly reports whether a text and a memory share most of the memory, or nearly all of the text. The parts of one name count as
// one word.
func (q question) mostly(stems *words.Stemmer, text string, m *file.Memory, counts Counts) bool {
	own := keywordsOf(stems, m.What)
	shared, whole, n := q.shared(own, counts)
	if n < minShared {
		return false
	}
	for _, part := range strings.Fields(text) {
		parts := map[string]bool{}
		for _, w := range keywordsOf(stems, part) {
			parts[w] = true
		}
		if both(own, parts) == n {
			return false
		}
	}
	return shared >= mostOfMemory*whole || n >= manyShared && shared >= muchOfMemory*whole || n > minShared && float64(n) >= mostOfPrompt*float64(len(q.words))
}

// relevant selects the memories that are about a text. Silence costs less than an irrelevant
// memory.
func relevant(text string) func(*file.Memory, Counts) bool {
	text = text[:min(len(text), 4000)]
	if strings.Contains(text, "://") { // few have one, and each process compiles the expression anew
		text = address().ReplaceAllString(text, " ")
	}
	var stems words.Stemmer
	q := ask(&stems, text)
	return func(m *file.Memory, counts Counts) bool {
		if q.anchored(m, counts) {
			return true
		}
		if !q.touches(&stems, m.What) {
			return false
		}
		own := keywordsOf(&stems, m.What)
		if n := both(own, q.words); n == 0 || n < minShared && !q.named(m, nil) { // counting asks the index
			return false
		}
		shared, whole, n := q.shared(own, counts)
		telling := n >= minShared && shared >= leastWeight*float64(n)
		enough := func(covered, weight, part float64) bool {
			if len(q.words) > usualPrompt {
				covered = max(covered, longCovered)
			}
			return telling && shared >= max(covered*whole, min(weight, part*whole)*q.long())
		}
		if m.Trust.Origin == file.Import && m.Trust.VerifiedBy == "" {
			return m.Type != file.ModuleInsight && !isList(m.What) && shared >= leastAnswered && enough(importedCovered, importedShared, importedPart)
		}
		return enough(leastCovered, leastShared, leastPart) ||
			telling && shared >= leastAnswered && float64(n) >= answered*float64(len(q.words)) ||
			shared >= namedCovered*whole && len(q.words) <= usualPrompt && q.named(m, counts)
	}
}

// sought selects the memories that an agent's search is about: those with a rare name that is searched
// for, or one that begins with it. Words alone say too little, as a pattern lists places and spellings.
func sought(pattern string) func(*file.Memory, Counts) bool {
	var stems words.Stemmer
	q := ask(&stems, pattern[:min(len(pattern), 4000)])
	return func(m *file.Memory, counts Counts) bool {
		if q.anchored(m, counts) {
			return true
		}
		if isList(m.What) {
			return false
		}
		has := names(m.What)
		return slices.ContainsFunc(q.names, func(n string) bool {
			// The folders of a pattern say where, not what, and a hyphen joins common words.
			code := !strings.Contains(n, "/") && (!strings.Contains(n, "-") || strings.ContainsAny(n, "._"))
			return code && counts.rareName(n) && slices.ContainsFunc(has, func(own string) bool { return strings.HasPrefix(own, n) })
		})
	}
}

// shared weighs the words of a memory that a text has, and all of them. n is the number of those
// shared.
func (q question) shared(own []string, counts Counts) (shared, whole float64, n int) {
	for _, w := range own {
		x := counts.weight(w)
		whole += x
		if q.words[w] {
			shared += x
			n++
		}
	}
	return shared, whole, n
}

// touches reports whether a text has a word of the question. Most memories of a file have none, and this needs no list of
// their words.
func (q question) touches(stems *words.Stemmer, text string) bool {
	if len(q.words) == 0 {
		return false
	}
	for w := range stems.Each(text[:min(len(text), maxCompared)]) {
		if q.words[w] {
			return true
		}
	}
	return false
}

// named reports whether a text has a name of a memory that few memories have.
func (q question) named(m *file.Memory, counts Counts) bool {
	if isList(m.What) {
		return false
	}
	has := names(m.What)
	return slices.ContainsFunc(q.names, func(n string) bool { return slices.Contains(has, n) && counts.rareName(n) })
}

// anchored reports whether a text names the code that a memory is about.
func (q question) anchored(m *file.Memory, counts Counts) bool {
	return len(q.words) <= usualPrompt && len(m.Anchors) <= fewNames && slices.ContainsFunc(m.Anchors, func(a anchor.Anchor) bool {
		return a.Symbol != "" && slices.Contains(q.names, strings.ToLower(a.Symbol)) && counts.rareName(strings.ToLower(a.Symbol))
	})
}

// isList reports whether a text lists things, and is about none of them.
func isList(text string) bool {
	return strings.Count(text, ";") >= fewNames || len(names(text)) > fewNames
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
func (f failures) promptFailures(ctx context.Context, text string) string {
	if f.opt.Failures == nil {
		return ""
	}
	var lines []string
	for _, command := range commandsIn(text) {
		list, err := f.opt.Failures(ctx, f.dir(), event.Call{Class: event.Shell, Command: command})
		if err != nil {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, f.newWarnings(list)...)
	}
	return strings.Join(lines, "\n")
}
