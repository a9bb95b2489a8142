package event

import "strings"

// TodoAct is what a call does to the agent's list of what is to do.
type TodoAct string

// The acts. A call's Query says the rest: the open items of the new list, one a line; the item that is
// added; or, for TodoSets, "NUMBER STATE TEXT": the first item is 1, TEXT may be missing.
const (
	TodoReplaces TodoAct = "replaces"
	TodoAdds     TodoAct = "adds"
	TodoSets     TodoAct = "sets"
)

// TodoActOf returns what a tool does to the list, "" for another tool.
func TodoActOf(tool string) TodoAct {
	switch plain(tool) {
	case "todowrite", "updateplan", "writetodos", "managetodolist", "updatetodo", "todos":
		return TodoReplaces
	case "taskcreate":
		return TodoAdds
	case "taskupdate":
		return TodoSets
	}
	return ""
}

// The states that an item is set to.
const (
	TodoOpen = "open"
	TodoDone = "done" // or given up
	TodoSame = "-"    // its state stays
)

// todoState returns the state that an agent's word stands for.
func todoState(word string) string {
	switch plain(strings.ReplaceAll(word, "-", "")) {
	case "":
		return TodoSame
	case "completed", "done", "cancelled", "canceled", "deleted":
		return TodoDone
	}
	return TodoOpen
}

// todoQuery returns what a call says about the list, as [TodoAct] describes it.
func todoQuery(act TodoAct, input Value) string {
	switch act {
	case TodoReplaces:
		return openItems(input)
	case TodoAdds:
		return inLine(input.Str("subject", "title", "content", "description"))
	case TodoSets:
		id := inLine(input.Str("taskId", "task_id", "id"))
		return inLine(id + " " + todoState(input.Str("status")) + " " + input.Str("subject"))
	}
	return ""
}

// openItems returns the items of a list that are not done, one a line.
func openItems(input Value) string {
	var out []string
	for _, list := range []string{"todos", "plan", "todoList"} {
		for _, item := range input.Get(list).Items() {
			if todoState(item.Str("status")) == TodoDone {
				continue
			}
			if text := inLine(item.Str("content", "step", "description", "title")); text != "" {
				out = append(out, text)
			}
		}
	}
	for line := range strings.Lines(input.Str("todos")) { // a Markdown list
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, " \t-*"), "[ ]"); ok && inLine(text) != "" {
			out = append(out, inLine(text))
		}
	}
	return strings.Join(out, "\n")
}

// inLine replaces white space by single spaces.
func inLine(text string) string { return strings.Join(strings.Fields(text), " ") }
