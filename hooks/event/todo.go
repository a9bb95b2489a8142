package event

import "strings"

// IsTodo reports whether a tool replaces the agent's list of what is to do.
func IsTodo(tool string) bool {
	switch plain(tool) {
	case "todowrite", "updateplan", "writetodos", "managetodolist":
		return true
	}
	return false
}

// openItems returns the items of such a list that are not done, one a line.
func openItems(input Value) string {
	var out []string
	for _, list := range []string{"todos", "plan", "todoList"} {
		for _, item := range input.Get(list).Items() {
			switch plain(strings.ReplaceAll(item.Str("status"), "-", "")) {
			case "completed", "done", "cancelled", "canceled":
				continue
			}
			if text := item.Str("content", "step", "description", "title"); text != "" {
				out = append(out, strings.Join(strings.Fields(text), " "))
			}
		}
	}
	return strings.Join(out, "\n")
}
