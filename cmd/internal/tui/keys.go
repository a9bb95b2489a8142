package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// binding is a key of the list, as the help lists it.
type binding struct{ keys, does string }

func bindings() []binding {
	return []binding{
		{"j k ↓ ↑", "next, previous; g G first, last; pgdn pgup by pages"},
		{"/", "filter as you type; enter keeps the filter, esc clears it"},
		{"tab", "all memories, or only what waits for review"},
		{"enter", "read it on the whole screen, where the keys below work, too; J K scroll the preview"},
		{"h", "history: its versions, newest first"},
		{"o", "open its code in $EDITOR"},
		{"a", "accept the draft, on your responsibility"},
		{"e", "edit it in $EDITOR"},
		{"x", "reject the draft; it is not proposed again"},
		{"l", "let it out of quarantine"},
		{"r", "resolve: decide between versions that a merge left"},
		{"c", "confirm: you verified that it is true"},
		{"t", "still true, although its code changed"},
		{"f", "forget it; u brings back what was forgotten last"},
		{"R", "read the memories again"},
		{"q", "leave"},
	}
}

// key handles a key.
func (m Model) key(msg tea.KeyPressMsg) (Model, tea.Cmd) {
	name := msg.String()
	switch name {
	case "ctrl+c":
		return m, tea.Quit
	case "ctrl+z":
		return m, tea.Suspend
	}
	switch m.mode {
	case filtering:
		return m.filterKey(name, msg.Text)
	case reading:
		if item, ok := m.current(); ok && len(name) == 1 && strings.Contains("axlectfro", name) && m.page != "" && !m.busy {
			m.mode, m.scroll = listing, 0
			return m.itemKey(name, item, m.pageOf == Whole)
		}
		if item, ok := m.current(); ok && name == "h" && m.pageOf == Whole && item.Kind == Memory {
			return m.read(item, History, reading)
		}
		return m.pageKey(name), nil
	case helping:
		return m.pageKey(name), nil
	case choosing:
		return m.chooseKey(name)
	case asking:
		m.mode, m.status = listing, ""
		if item, ok := m.current(); ok && name == "y" && item.Kind == Held && !m.busy {
			return m.do(Request{Act: Release, Item: item})
		}
		return m, nil
	case listing:
	}
	return m.listKey(name)
}

func (m Model) filterKey(name, text string) (Model, tea.Cmd) {
	switch name {
	case "enter", "tab":
		m.mode = listing
		return m, nil
	case "esc":
		m.mode, m.filter = listing, ""
	case "up":
		return m.at(-1)
	case "down":
		return m.at(1)
	case "backspace":
		if r := []rune(m.filter); len(r) > 0 {
			m.filter = string(r[:len(r)-1])
		}
	case "ctrl+u":
		m.filter = ""
	default:
		if text = printable(text); text == "" {
			return m, nil
		}
		m.filter += text
	}
	return m.filtered(true)
}

// pageKey scrolls a page, or leaves it.
func (m Model) pageKey(name string) Model {
	rows := max(1, m.height-2)
	switch name {
	case "j", "down":
		m.scroll++
	case "k", "up":
		m.scroll--
	case "pgdown", "space", "ctrl+d":
		m.scroll += rows
	case "pgup", "ctrl+u":
		m.scroll -= rows
	case "g", "home":
		m.scroll = 0
	case "q", "esc", "enter", "?", "h":
		m.mode, m.scroll = listing, 0
	}
	m.scroll = max(0, min(m.scroll, len(m.pageLines())-rows))
	return m
}

// chooseKey decides between the versions of a memory.
func (m Model) chooseKey(name string) (Model, tea.Cmd) {
	item, ok := m.current()
	r := Request{Act: Resolve, Item: item, Version: 1}
	switch {
	case !ok || name == "esc" || name == "q":
		m.mode, m.scroll = listing, 0
		return m, nil
	case m.page == "" || m.busy: // nothing is decided that was not seen
		return m, nil
	case name == "b":
		r.Both = true
	case name == "s":
		r.Supersede = true
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'0') <= item.Versions:
		r.Version = int(name[0] - '0')
	case slices.Contains([]string{"j", "k", "down", "up", "pgdown", "pgup", "space"}, name):
		return m.pageKey(name), nil
	default:
		return m, nil
	}
	m.mode, m.scroll = listing, 0
	return m.do(r)
}

// listKey handles a key of the list.
func (m Model) listKey(name string) (Model, tea.Cmd) {
	rows := m.layout().rows
	m.status = ""
	switch name {
	case "q":
		return m, tea.Quit
	case "?":
		m.mode, m.scroll = helping, 0
		return m, nil
	case "/":
		m.mode = filtering
		return m, nil
	case "esc":
		m.filter = ""
		return m.filtered(false)
	case "tab":
		m.review = !m.review
		return m.filtered(true)
	case "j", "down":
		return m.at(1)
	case "k", "up":
		return m.at(-1)
	case "pgdown", "ctrl+d", "space":
		return m.at(rows)
	case "pgup", "ctrl+u":
		return m.at(-rows)
	case "g", "home":
		return m.at(-len(m.shown))
	case "G", "end":
		return m.at(len(m.shown))
	case "J":
		m.scroll = min(m.scroll+1, max(0, len(m.previewLines())-1))
		return m, nil
	case "K":
		m.scroll = max(0, m.scroll-1)
		return m, nil
	}
	if m.busy { // an act is not done twice because it was slow
		if len(name) == 1 && strings.Contains("axlectfrouhR", name) || name == "enter" {
			m.unheard = true
			return m.say("one at a time: that key was not heard"), nil
		}
		return m, nil
	}
	switch name {
	case "R":
		m.busy = true
		return m, m.load(false)
	case "u":
		if n := len(m.gone); n > 0 {
			return m.do(Request{Act: Restore, Item: m.gone[n-1]})
		}
		return m.say("nothing was forgotten here; `manicule restore` lists older ones"), nil
	}
	if item, ok := m.current(); ok {
		return m.itemKey(name, item, m.seen(item))
	}
	return m, nil
}

// itemKey handles a key that is about the item under the cursor. What agents will be told is
// accepted or let out only where its text was seen: a small screen shows it first, and so does any
// for a long text.
func (m Model) itemKey(name string, item Item, seen bool) (Model, tea.Cmd) {
	draft, held := item.Kind == Draft, item.Kind == Held
	if !seen && (name == "a" && draft || name == "l" && held) {
		if m.preview == "" && m.mode == listing && !item.Hidden && m.layout().paneRows > 0 {
			return m.say("its text is still being read: press " + name + " once you saw it"), nil
		}
		name = "enter"
	}
	switch name {
	case "enter", "h":
		page := Whole
		if name == "h" {
			if page = History; draft {
				return m.say("a draft has no history yet"), nil
			}
		}
		return m.read(item, page, reading)
	case "a", "x":
		if !draft {
			return m.say("only drafts are accepted or rejected"), nil
		}
		if name == "x" {
			return m.do(Request{Act: Reject, Item: item})
		}
		return m.do(Request{Act: Accept, Item: item})
	case "l":
		if !held {
			return m.say("it is not in quarantine"), nil
		}
		m.mode = asking
		return m, nil
	case "e":
		return m.do(Request{Act: Edit, Item: item})
	case "o":
		if !item.Place {
			return m.say("it names no code to open"), nil
		}
		return m.do(Request{Act: Open, Item: item})
	case "c":
		if draft || held {
			return m.say("only memories are confirmed: accept it, or let it out, first"), nil
		}
		return m.do(Request{Act: Confirm, Item: item})
	case "t":
		switch {
		case draft || held:
			return m.say("only a memory is still true: accept it, or let it out, first"), nil
		case item.Gone:
			return m.say("its code is gone: `manicule verify " + item.Short + " --anchor PLACE` or f settles it"), nil
		case !item.Drifted:
			return m.say("its code is as it was: c confirms it"), nil
		}
		return m.do(Request{Act: StillTrue, Item: item})
	case "f":
		if draft {
			return m.say("a draft is rejected with x"), nil
		}
		return m.do(Request{Act: Forget, Item: item})
	case "r":
		if item.Versions < 2 {
			return m.say("it has only one version"), nil
		}
		return m.read(item, Versions, choosing)
	}
	return m, nil
}

func (m Model) say(text string) Model {
	m.status, m.failed = text, false
	return m
}
