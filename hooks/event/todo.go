package event

import (
	"strconv"
	"strings"
)

// TodoAct is what a call does to the agent's list of what is to do.
type TodoAct string

// The acts. A call's Query says the rest: the items of the new list, one a line, as [TodoLine] reads them; the item that is
// added, as [TodoItem] reads it; or, for TodoSets, "NUMBER STATE TEXT", TEXT may be missing. The first item
// is 1 if the agent gives its items no numbers.
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
	TodoOpen  = "open"
	TodoGoing = "going" // in progress
	TodoDone  = "done"  // or given up
	TodoSame  = "-"     // its state stays
)

// todoState returns the state that an agent's word stands for. Some models put it in quotes once more.
func todoState(word string) string {
	switch plain(strings.ReplaceAll(strings.Trim(word, " \"'"), "-", "")) {
	case "":
		return TodoSame
	case "completed", "done", "cancelled", "canceled", "deleted":
		return TodoDone
	case "inprogress", "active", "started", "doing":
		return TodoGoing
	}
	return TodoOpen
}

// todoQuery returns what a call says about the list, as [TodoAct] describes it.
func todoQuery(act TodoAct, input Value) string {
	switch act {
	case TodoReplaces:
		return listItems(input)
	case TodoAdds:
		return inLine(input.Str("subject", "title", "content", "description"))
	case TodoSets:
		id := inLine(input.Str("taskId", "task_id", "id"))
		return inLine(id + " " + todoState(input.Str("status")) + " " + input.Str("subject"))
	}
	return ""
}

// TodoItem reads an item that is added: its text and the number that the agent's answer gave it, 0 if it
// gave none. An agent whose lists outlive its sessions goes on counting where the last session ended.
func TodoItem(query string) (number int, text string) {
	head, rest, ok := strings.Cut(query, "\t") // the text has none, see inLine
	if n, err := strconv.Atoi(head); ok && err == nil {
		return n, rest
	}
	return 0, query
}

// itemNumber returns the number that an answer gives an added item, "" for none: a member, or "Task #12 …" in
// one of its texts.
func itemNumber(response Value) string {
	for _, v := range []Value{response.Get("task"), response} {
		for _, name := range []string{"id", "taskId", "task_id"} {
			if n := v.Small(name); digits(n) {
				return n
			}
		}
	}
	for _, text := range response.texts(nil) {
		if rest, ok := strings.CutPrefix(text, "Task #"); ok {
			if n, _, _ := strings.Cut(rest, " "); digits(n) {
				return n
			}
		}
	}
	return ""
}

// digits reports whether a text is a number that counts items.
func digits(text string) bool {
	return text != "" && len(text) < 10 && strings.Trim(text, "0123456789") == ""
}

// doneMark begins the line of an item that is done, or given up, and goingMark that of one in progress.
const (
	doneMark  = "[x] "
	goingMark = "[~] "
)

// TodoLine reads a line of a list that replaces another: an item, and its state.
func TodoLine(line string) (text, state string) {
	if text, ok := strings.CutPrefix(line, doneMark); ok {
		return text, TodoDone
	}
	if text, ok := strings.CutPrefix(line, goingMark); ok {
		return text, TodoGoing
	}
	return line, TodoOpen
}

// listItems returns the items of a list, one a line: those that are to be done, then those that are done, marked.
func listItems(input Value) string {
	var open, done []string
	for _, list := range []string{"todos", "plan", "todoList"} {
		for _, item := range input.Get(list).Items() {
			text := inLine(item.Str("content", "step", "description", "title"))
			switch state := todoState(item.Str("status")); {
			case text == "":
			case state == TodoDone:
				done = append(done, doneMark+text)
			case state == TodoGoing:
				open = append(open, goingMark+text)
			default:
				open = append(open, text)
			}
		}
	}
	for line := range strings.Lines(input.Str("todos")) { // a Markdown list
		line = strings.TrimLeft(line, " \t-*")
		if text, ok := strings.CutPrefix(line, "[ ]"); ok && inLine(text) != "" {
			open = append(open, inLine(text))
		} else if text, ok := strings.CutPrefix(line, "[x]"); ok && inLine(text) != "" {
			done = append(done, doneMark+inLine(text))
		}
	}
	return strings.Join(append(open, done...), "\n")
}

// inLine replaces white space by single spaces.
func inLine(text string) string { return strings.Join(strings.Fields(text), " ") }
