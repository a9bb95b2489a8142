package search_test

import (
	"testing"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
)

// TestJoinedWords: who types a name of several words in small letters is sure to have found it.
func TestJoinedWords(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "package a\n"})
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "The ETag of a listing changes with its order", At: []string{"a.go"}})
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "GitHub answers 403 where it means 429", At: []string{"a.go"}})
	s := p.searcher(t, search.Options{})
	for _, question := range []string{"etag", "ETAG", "ETag", "github", "why does github answer 403"} {
		if a := ask(t, s, search.Question{Text: question, Limit: 10, Explicit: true}); len(a.Results) == 0 || a.Results[0].Weak {
			t.Errorf("%s: %+v", question, a.Results)
		}
	}
}
