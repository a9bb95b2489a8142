package refactor

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/clip"
	"manicule/indexer/sorting"
)

// Answers counts what a tool answered, by kind of refactoring. The zero value is ready.
type Answers struct {
	mu    sync.Mutex
	kinds map[string]*answered // guarded by mu
}

// answered counts the answers of one kind.
type answered struct {
	asked   int
	refused map[string]int // by reason
}

// Words of an error that differ from case to case: what is quoted, paths, numbers, and
// names behind a colon at the end.
var particular = []*regexp.Regexp{
	regexp.MustCompile("\"[^\"]*\"|`[^`]*`|'[^']*'|“[^”]*”"),
	regexp.MustCompile(`(?:\w+://|/)[^\s:,]+`),
	regexp.MustCompile(`\d+`),
}

// maxReason bounds the bytes of a reason.
const maxReason = 90

// reason is what errors of one cause have in common.
func reason(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	for _, re := range particular {
		text = re.ReplaceAllString(text, "…")
	}
	return clip.MarkedBytes(text, maxReason)
}

// note counts one request and its error.
func (a *Answers) note(kind string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kinds == nil {
		a.kinds = map[string]*answered{}
	}
	k := a.kinds[kind]
	if k == nil {
		k = &answered{refused: map[string]int{}}
		a.kinds[kind] = k
	}
	k.asked++
	if err != nil {
		k.refused[reason(err)]++
	}
}

// Lines says of each kind how often the tool was asked, how often it answered, and why it
// refused, the most frequent reason first.
func (a *Answers) Lines() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for name, k := range a.kinds {
		refused := 0
		var why []string
		for r, n := range k.refused {
			refused += n
			why = append(why, r)
		}
		sorting.Func(why, func(x, y string) int {
			if d := k.refused[y] - k.refused[x]; d != 0 {
				return d
			}
			return strings.Compare(x, y)
		})
		line := fmt.Sprintf("%s: asked %d, answered %d, refused %d", name, k.asked, k.asked-refused, refused)
		for i, r := range why {
			line += fmt.Sprintf("%s%d × %s", [...]string{": ", "; "}[min(i, 1)], k.refused[r], r)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}
