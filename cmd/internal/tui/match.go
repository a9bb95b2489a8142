package tui

import (
	"strings"

	"github.com/sahilm/fuzzy"
)

// match returns the items that a filter selects: those with all of its words, in the order of the
// list, or, if there is none, those that have its letters in that order, best first.
func match(items []Item, filter string) []Item {
	words := strings.Fields(strings.ToLower(filter))
	if len(words) == 0 {
		return items
	}
	texts := make([]string, len(items))
	var out []Item
	for i, item := range items {
		texts[i] = strings.ToLower(strings.Join(append([]string{item.Short, item.Label, item.What, item.Where}, item.Marks...), " "))
		if hasAll(texts[i], words) {
			out = append(out, item)
		}
	}
	if out != nil {
		return out
	}
	for _, found := range fuzzy.Find(strings.Join(words, ""), texts) {
		out = append(out, items[found.Index])
	}
	return out
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
