package episode

import (
	"strings"
	"sync"
)

// Kind is what kind of work a task asks for, "" if its words don't tell.
type Kind string

// The kinds of work.
const (
	Fix      Kind = "fix"
	Feature  Kind = "feature"
	Refactor Kind = "refactor"
	Tests    Kind = "tests"
	Docs     Kind = "docs"
	Review   Kind = "review"
	Plan     Kind = "plan"
	Release  Kind = "release"
)

// kindWords tells the kind of work by a word of [Words].
var kindWords = sync.OnceValue(func() map[string]Kind {
	out := map[string]Kind{}
	for kind, words := range map[Kind]string{
		Fix:      "fix fixes bug crash broken regression repair failing fails wrong debug resolve",
		Feature:  "implement add create support feature introduce enable build write",
		Refactor: "refactor refactoring rename extract simplify clean cleanup restructure split deduplicate migrate move replace",
		Tests:    "test coverage",
		Docs:     "doc document documentation readme changelog",
		Review:   "review audit",
		Plan:     "plan design investigate explore research analyze analyse brainstorm",
		Release:  "release publish deploy bump",
	} {
		for _, w := range strings.Fields(words) {
			out[stem(w)] = kind
		}
	}
	return out
})

// KindOf tells the kind of work that a task asks for by the first of its words that does.
func KindOf(task string) Kind {
	for _, w := range Words(task) {
		if k := kindWords()[w]; k != "" {
			return k
		}
	}
	return ""
}
