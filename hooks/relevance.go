package hooks

import (
	"context"
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
func keywords(text string) []string {
	return slices.DeleteFunc(words.Terms(text[:min(len(text), 4000)]), func(w string) bool { return stopWords()[w] || strings.Trim(w, "0123456789") == "" })
}

// hasSubject reports whether a prompt has a subject: two telling words, or a name.
func hasSubject(text string) bool {
	return len(keywords(text)) >= minShared || identifier().MatchString(text[:min(len(text), 4000)])
}

// relevant selects the memories that are about a prompt: they share two telling words with
// it, or a name in the code. Silence costs less than an irrelevant memory.
func relevant(prompt string) func(*file.Memory) bool {
	asked := map[string]bool{}
	for _, w := range keywords(prompt) {
		asked[w] = true
	}
	var names []string
	for _, n := range identifier().FindAllString(prompt, -1) {
		if n = strings.ToLower(strings.TrimSuffix(n, "()")); len(n) > 4 {
			names = append(names, n)
		}
	}
	return func(m *file.Memory) bool {
		var about []string
		for _, a := range m.Anchors {
			about = append(about, a.Path, a.Symbol)
		}
		text := strings.Join(slices.Concat([]string{m.What, m.Why}, m.Tags, m.Scope, about), " ")
		low := strings.ToLower(text)
		if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(low, n) }) {
			return true
		}
		shared := 0
		for _, w := range words.Terms(text) {
			if asked[w] {
				shared++
			}
		}
		return shared >= minShared || shared > 0 && len(keywords(m.What)) <= shared*3 // a short memory about that alone
	}
}

// commandLine matches a command in a prompt: in backquotes, or a well-known program with
// its arguments.
var commandLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`\n]{3,120})`|\\b((?:npm|pnpm|yarn|bun|npx|go|make|just|mise|cargo|pytest|poetry|uv|docker|gradle|mvn|dotnet|composer|rake|bundle|tox|task)(?: [a-z][\\w:.-]*){1,3})")
})

// maxPromptCommands bounds the commands of a prompt that are looked up.
const maxPromptCommands = 3

// promptFailures returns the earlier failures of the commands that a prompt names. No
// later hook speaks before the call.
func (j *job) promptFailures(ctx context.Context, dedupe *eventlog.Dedupe, text string) string {
	if j.opt.Failures == nil {
		return ""
	}
	var lines []string
	for _, m := range commandLine().FindAllStringSubmatch(text[:min(len(text), 4000)], maxPromptCommands) {
		list, err := j.opt.Failures(ctx, j.opt.projectDir(j.ev), event.Call{Class: event.Shell, Command: m[1] + m[2]})
		if err != nil {
			return strings.Join(lines, "\n")
		}
		lines = append(lines, j.newWarnings(dedupe, list)...)
	}
	return strings.Join(lines, "\n")
}
