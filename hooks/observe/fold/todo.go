package fold

import (
	"slices"
	"strconv"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// TodoList is what an agent says that it has to do. Some agents send the whole list each time,
// others add items and set their states by their numbers, which need not begin at 1: the list may be
// older than the session.
type TodoList struct {
	items []todoItem
	Past  []string // that were on a list, in order
	// Changed is the number of the event that changed it last.
	Changed int
}

type todoItem struct {
	number int
	text   string
	done   bool
	// begun is the number of the event since which it is in progress, 0 if it is not.
	begun int
}

// Limits of the open items that are told, and of the runes of one.
const (
	maxOpen     = 12
	MaxOpenItem = 120
)

// maxPast bounds the items that are remembered of all lists.
const maxPast = 60

// apply follows the call of an event, whose query is described at [event.TodoAct].
func (l *TodoList) apply(act event.TodoAct, query string, at int) {
	switch act {
	case event.TodoReplaces:
		before := l.items
		l.items = nil
		for line := range strings.SplitSeq(query, "\n") {
			item, state := event.TodoLine(line)
			if item = wording.OneLine(item, MaxOpenItem); item != "" {
				l.add(0, item)
				now := &l.items[len(l.items)-1]
				if i := slices.IndexFunc(before, func(it todoItem) bool { return it.text == item }); i >= 0 {
					now.begun = before[i].begun
				}
				now.set(state, at)
			}
		}
	case event.TodoAdds: // an empty one, too: numbers count it
		n, text := event.TodoItem(query)
		l.add(n, wording.OneLine(text, MaxOpenItem))
	case event.TodoSets:
		words := strings.SplitN(query, " ", 3)
		n, err := strconv.Atoi(words[0])
		item := l.numbered(n)
		if err != nil || item == nil || len(words) < 2 {
			return // of a list from before the session's log
		}
		if words[1] != event.TodoSame {
			item.set(words[1], at)
		}
		if len(words) == 3 {
			item.text = wording.OneLine(words[2], MaxOpenItem)
			l.note(item.text)
		}
	}
}

// set sets the state of an item at an event.
func (it *todoItem) set(state string, at int) {
	it.done = state == event.TodoDone
	switch {
	case state != event.TodoGoing:
		it.begun = 0
	case it.begun == 0:
		it.begun = at
	}
}

// Going lists the items that are in progress, with the number of the event since which each is.
func (l *TodoList) Going() map[string]int {
	out := map[string]int{}
	for _, it := range l.items {
		if it.begun > 0 {
			out[it.text] = it.begun
		}
	}
	return out
}

// add appends an item. Without a number of its own it is the next one.
func (l *TodoList) add(number int, text string) {
	if number == 0 {
		number = 1
		if n := len(l.items); n > 0 {
			number = l.items[n-1].number + 1
		}
	}
	l.items = append(l.items, todoItem{number: number, text: text})
	l.note(text)
}

// numbered returns the item with a number, the latest of several, nil if there is none.
func (l *TodoList) numbered(n int) *todoItem {
	for i := len(l.items) - 1; i >= 0; i-- {
		if l.items[i].number == n {
			return &l.items[i]
		}
	}
	return nil
}

// note remembers that an item was on a list.
func (l *TodoList) note(text string) {
	if wording.UsableItem(text) && len(l.Past) < maxPast && !slices.Contains(l.Past, text) {
		l.Past = append(l.Past, text)
	}
}

// Open lists the items that are to be done.
func (l *TodoList) Open() []string {
	var out []string
	for _, it := range l.items {
		if !it.done && wording.UsableItem(it.text) && len(out) < maxOpen {
			out = append(out, it.text)
		}
	}
	return out
}

// Done counts the items of the present list that were done, or given up.
func (l *TodoList) Done() int {
	n := 0
	for _, it := range l.items {
		if it.done {
			n++
		}
	}
	return n
}

// Closed lists the items that were to be done and are not any more.
func (l *TodoList) Closed() []string {
	var out []string
	for _, text := range l.Past {
		if !slices.ContainsFunc(l.items, func(it todoItem) bool { return !it.done && it.text == text }) {
			out = append(out, text)
		}
	}
	return out
}
