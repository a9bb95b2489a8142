package search

import (
	"strings"

	"manicule/indexer/words"
	"manicule/memory/file"
)

// Passage is the sentence of a memory that shares most words with a question; the first of its text if none
// shares any.
func Passage(m *file.Memory, question string) string {
	asked := map[string]bool{}
	for _, w := range words.Terms(question) {
		if !words.IsStopWord(w) {
			asked[words.Stem(w)] = true
		}
	}
	best, most := "", -1
	for _, text := range []string{m.What, m.Why} {
		for _, s := range sentences(text) {
			shared := map[string]bool{}
			for _, w := range words.Terms(s) {
				if w = words.Stem(w); asked[w] {
					shared[w] = true
				}
			}
			if len(shared) > most {
				best, most = s, len(shared)
			}
		}
	}
	return best
}

// sentences splits a text after full stops and at line ends.
func sentences(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for line != "" {
			end := len(line)
			for i := range len(line) - 1 {
				if strings.IndexByte(".!?", line[i]) >= 0 && line[i+1] == ' ' && i > 2 && line[i-2] != '.' && line[i-2] != ' ' {
					end = i + 1
					break
				}
			}
			out = append(out, line[:end])
			line = strings.TrimSpace(line[end:])
		}
	}
	return out
}
