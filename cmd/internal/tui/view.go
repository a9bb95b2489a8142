package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// The codes in use, as in the rest of the command line, and reverse for the cursor.
const (
	bold    = "1"
	faint   = "2"
	reverse = "7"
	red     = "31"
)

// The least sizes at which the preview is beside and below the list.
const (
	besideWidth = 100
	belowHeight = 14
)

// labelWidth is how far a page indents a text behind its name.
const labelWidth = 13

// leastTypes is the least width of the column of types.
const leastTypes = 10

// layout is how the screen is divided.
type layout struct {
	rows      int // of the list
	width     int // of the list
	paneRows  int // of the preview, 0 for none
	paneWidth int
	beside    bool
}

func (m Model) layout() layout {
	body := max(1, m.height-2)
	switch {
	case m.width >= besideWidth && body >= 3:
		left := m.width / 2
		return layout{rows: body, width: left, paneRows: body, paneWidth: m.width - left - 3, beside: true}
	case m.height >= belowHeight:
		rows := body * 2 / 5
		return layout{rows: rows, width: m.width, paneRows: body - rows - 1, paneWidth: m.width}
	}
	return layout{rows: body, width: m.width}
}

// View draws the screen.
func (m Model) View() tea.View {
	v := tea.NewView(m.Draw())
	v.AltScreen = true
	return v
}

// Draw returns the screen as text.
func (m Model) Draw() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	s := screen{m, m.layout()}
	lines := append([]string{s.head()}, s.body()...)
	lines = append(lines[:min(len(lines), max(1, m.height-1))], s.foot())
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, m.width, "…")
	}
	return strings.Join(lines[:min(len(lines), m.height)], "\n")
}

func (o Options) paint(code, text string) string {
	if !o.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// screen draws the parts of a model.
type screen struct {
	Model
	on layout
}

func (s screen) head() string {
	waiting, drifted := 0, 0
	for _, i := range s.all {
		switch {
		case i.Kind == Memory && i.Versions < 2 && i.Drifted:
			drifted++
		case i.waits():
			waiting++
		}
	}
	title := fmt.Sprintf("☞ memories: %d", len(s.all)-waiting)
	if s.review {
		title = "☞ to review"
	}
	text := fmt.Sprintf("%s · %d waiting", title, waiting)
	if drifted > 0 {
		text += fmt.Sprintf(" · %d to settle", drifted)
	}
	if s.filter != "" || s.mode == filtering {
		all := len(s.all)
		if s.review {
			all = waiting + drifted
		}
		text = fmt.Sprintf("%s · %d of %d", title, len(s.shown), all)
		if s.mode != filtering {
			text += fmt.Sprintf(" with “%s” · esc shows all", s.filter)
		}
	}
	return s.options.paint(bold, text)
}

func (s screen) body() []string {
	body := max(1, s.height-2)
	if s.mode == reading || s.mode == choosing || s.mode == helping {
		return window(s.pageLines(), s.scroll, body)
	}
	list := window(s.listLines(), 0, s.on.rows)
	if s.on.paneRows == 0 {
		return list
	}
	pane := window(s.previewLines(), s.scroll, s.on.paneRows)
	if !s.on.beside {
		return append(append(list, s.options.paint(faint, strings.Repeat("─", s.width))), pane...)
	}
	for i, line := range list {
		line = ansi.Truncate(line, s.on.width, "…")
		list[i] = line + strings.Repeat(" ", max(0, s.on.width-ansi.StringWidth(line))) + s.options.paint(faint, " │ ") + pane[i]
	}
	return list
}

func (s screen) listLines() []string {
	if len(s.shown) == 0 {
		switch {
		case !s.loaded:
			return []string{"reading the memories…"}
		case s.filter != "" && s.review:
			return wrap("nothing to review matches; tab searches all memories, esc shows all to review", s.on.width)
		case s.filter != "":
			return []string{"nothing matches; esc shows all"}
		case s.review:
			return []string{"nothing to review; tab shows the memories"}
		}
		return wrap("no memories; "+cmp.Or(s.options.Begin, "`manicule remember TEXT` writes one"), s.on.width)
	}
	types := leastTypes
	for _, i := range s.shown { // all of them, so that no column moves as they scroll
		types = max(types, ansi.StringWidth(i.Label))
	}
	var out []string
	for i := s.top; i < min(len(s.shown), s.top+s.on.rows); i++ {
		out = append(out, s.row(s.shown[i], i == s.cursor, types))
	}
	return out
}

// row draws an item, with a column for its type. The cursor is a character, so that it is seen without colours.
func (s screen) row(i Item, here bool, types int) string {
	width := s.on.width
	label := i.Label + strings.Repeat(" ", max(0, types-ansi.StringWidth(i.Label)))
	marks := ""
	if len(i.Marks) > 0 {
		marks = "[" + strings.Join(i.Marks, ", ") + "] "
	}
	if here {
		text := ansi.Truncate(fmt.Sprintf("> %s %s%s%s", label, marks, i.What, pad(i.Where)), width, "…")
		return s.options.paint(reverse, text+strings.Repeat(" ", max(0, width-ansi.StringWidth(text))))
	}
	return ansi.Truncate("  "+s.options.paint(i.Colour, label)+" "+s.options.paint(red, marks)+i.What+s.options.paint(faint, pad(i.Where)), width, "…")
}

func pad(where string) string {
	if where == "" {
		return ""
	}
	return "  (" + where + ")"
}

func (m Model) previewLines() []string { return wrap(m.preview, m.layout().paneWidth) }

func (m Model) pageLines() []string {
	if m.mode != helping {
		if m.page == "" {
			return []string{"…"}
		}
		return wrap(m.page, m.width)
	}
	var b strings.Builder
	for _, k := range bindings() {
		fmt.Fprintf(&b, "  %s %s\n", m.options.paint(bold, fmt.Sprintf("%-10s", k.keys)), k.does)
	}
	return wrap(strings.TrimSuffix(b.String(), "\n"), m.width)
}

// foot is the last line: what happened, or which keys there are.
func (s screen) foot() string {
	switch s.mode {
	case filtering:
		typed := "/" + ansi.TruncateLeft(s.filter, max(0, ansi.StringWidth(s.filter)-s.width+3), "…") + "▏"
		const keys = "enter keeps the filter · esc clears it"
		if free := s.width - ansi.StringWidth(typed); free > len(keys) {
			typed += " " + s.options.paint(faint, keys)
		}
		return typed
	case choosing:
		if item, ok := s.current(); ok {
			return fmt.Sprintf("keep version [1-%d], [b]oth, newest [s]upersedes, esc leaves it", item.Versions)
		}
	case asking:
		return "agents are told it once you let it out: [y]es, any other key leaves it"
	case reading:
		keys := []string{"j k scroll", "q back"}
		if item, ok := s.current(); ok {
			switch decide := decisionKeys(item); {
			case decide != nil:
				keys = append(decide, keys...)
			case s.pageOf != History:
				keys = append(keys, "e edit", "c confirm", "f forget", "h history")
			}
		}
		return s.options.paint(faint, strings.Join(keys, " · "))
	case helping:
		return s.options.paint(faint, "j k scroll · q back")
	case listing:
	}
	if s.status != "" {
		if s.failed {
			return s.options.paint(red, s.status)
		}
		return s.status
	}
	keys := []string{"? help", "q quit", "/ filter", "tab review"}
	if item, ok := s.current(); ok {
		before, after := listKeys(item)
		keys = slices.Concat(before, keys, after)
	}
	return s.options.paint(faint, strings.Join(keys, " · "))
}

// window returns exactly n lines, from the one at which a person is.
func window(lines []string, from, n int) []string {
	out := make([]string, n)
	copy(out, lines[max(0, min(from, len(lines))):])
	return out
}

// hangOf returns the column at which a line goes on that is too long: below the text behind a name, or
// behind the number of a line of code, or below its own first word.
func hangOf(line string, width int) int {
	rest := strings.TrimLeft(line, " ")
	at := len(line) - len(rest)
	word, after, _ := strings.Cut(rest, " ")
	switch number := strings.Trim(word, "0123456789") == "" && word != ""; {
	case number && at > 0:
		at += len(word) + 1 + len(after) - len(strings.TrimLeft(after, " "))
	case at == 2 && strings.HasPrefix(after, " ") && at+len(word) < labelWidth:
		at = labelWidth
	}
	if at > width/2 || width-at < 2 { // a wide character needs two columns
		return 0
	}
	return at
}

// wrap breaks a text into lines of a width. Each line ends the colours that it begins.
func wrap(text string, width int) []string {
	if width <= 0 || text == "" {
		return nil
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\t", "    ")
	// A word behind a space at the start of a line may be one column too far: it is cut.
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		hang := hangOf(ansi.Strip(line), width)
		head, body := "", line
		if hang > 0 {
			head, body = ansi.Truncate(line, hang, ""), ansi.TruncateLeft(line, hang, "")
		}
		for i, part := range strings.Split(ansi.Hardwrap(ansi.Wrap(body, width-hang, ""), width-hang, true), "\n") {
			if i > 0 {
				head = strings.Repeat(" ", hang)
			}
			lines = append(lines, head+part)
		}
	}
	closeColours(lines)
	return lines
}

// closeColours ends the colours of each line that it begins, and goes on with them in the next one.
func closeColours(lines []string) {
	open := ""
	for i, line := range lines {
		start := open
		for rest := line; ; {
			_, after, found := strings.Cut(rest, "\x1b[")
			code, tail, ended := strings.Cut(after, "m")
			if !found || !ended {
				break
			}
			if open = "\x1b[" + code + "m"; code == "0" || code == "" {
				open = ""
			}
			rest = tail
		}
		lines[i] = start + line
		if open != "" {
			lines[i] += "\x1b[0m"
		}
	}
}

// listKeys are the keys for an item of the list, before and after those of the list itself.
func listKeys(item Item) (before, after []string) {
	switch decide := decisionKeys(item); {
	case decide != nil:
		return decide, nil
	case item.Versions > 1:
		return []string{"r resolve"}, nil
	case item.Gone && item.Drifted:
		before = []string{"f forget"}
	case item.Drifted:
		before = []string{"t still true", "f forget"}
	default:
		after = []string{"c confirm", "f forget", "h history"}
	}
	if item.Place {
		after = append(after, "o open")
	}
	return before, after
}

// decisionKeys are the keys that decide about what waits for a person, nil for a memory.
func decisionKeys(item Item) []string {
	switch item.Kind {
	case Draft:
		return []string{"a accept", "e edit", "x reject"}
	case Held:
		return []string{"l let out", "e edit", "f forget"}
	}
	return nil
}
