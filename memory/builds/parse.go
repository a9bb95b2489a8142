package builds

import (
	"bytes"
	"strings"
)

// heading cuts a line such as "## Title ##" into its level and its title.
func heading(line string) (level int, title string, ok bool) {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return 0, "", false
	}
	title = strings.TrimLeft(rest, "#")
	if level = len(rest) - len(title); level < 1 || level > 6 || title == "" || !strings.ContainsRune(" \t", rune(title[0])) {
		return 0, "", false
	}
	title = strings.TrimRight(strings.TrimRight(strings.TrimSpace(title), "#"), " \t")
	return level, title, true
}

// task is an item of a task list, such as "- [x] text": its parts make up the line.
type task struct{ mark, box, gap, text string }

// taskOf cuts a line into the parts of a task; ok is false for another line.
func taskOf(line string) (t task, ok bool) {
	rest := strings.TrimLeft(line, " \t")
	number := strings.TrimLeft(rest, "0123456789")
	switch digits := len(rest) - len(number); {
	case digits > 0 && digits < 10 && number != "" && (number[0] == '.' || number[0] == ')'):
		rest = number[1:]
	case digits == 0 && rest != "" && strings.ContainsRune("-*+", rune(rest[0])):
		rest = rest[1:]
	default:
		return t, false
	}
	after := strings.TrimLeft(rest, " \t")
	if len(after) == len(rest) || len(after) < 4 || after[0] != '[' || !strings.ContainsRune(" xX", rune(after[1])) || after[2] != ']' {
		return t, false
	}
	t.mark, t.box = line[:len(line)-len(after)+1], after[1:2]
	text := strings.TrimLeft(after[3:], " \t")
	t.gap = after[2 : len(after)-len(text)]
	t.text = strings.TrimSpace(text)
	return t, len(t.gap) > 1
}

// Parse reads a build. Every text is one: what is no heading and no task is left alone. It never
// fails, because people write these files by hand.
func Parse(data []byte) Build {
	p := parser{}
	for i, line := range lines(data) {
		p.line(i, strings.TrimRight(string(line), "\r\n"))
	}
	p.b.Brief, p.b.Technical = paragraphs(p.brief), paragraphs(p.technical)
	return p.b
}

// lines cuts a text behind its line ends.
func lines(data []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
}

// parser holds where the reader is.
type parser struct {
	b                Build
	slices           int
	fence            string // that is open
	matter           bool   // within front matter
	comment          bool   // within an HTML comment
	below            bool   // below a heading of the second level
	into             *[]string
	brief, technical []string
	above            []item // the slices that the next one may be a part of, the outermost first
}

// item is a slice's number and indentation.
type item struct{ number, indent int }

// indentOf counts the columns before the mark of a list.
func indentOf(mark string) (n int) {
	for _, r := range mark {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

func (p *parser) line(i int, line string) {
	text := strings.TrimSpace(line)
	switch {
	case p.matter:
		if text == "---" {
			p.matter = false
			return
		}
		p.field(text)
		return
	case i == 0 && text == "---":
		p.matter = true
		return
	case p.fence != "":
		if strings.HasPrefix(text, p.fence) && strings.Trim(text, p.fence[:1]) == "" {
			p.fence = ""
		}
		p.prose(line)
		return
	case p.comment:
		p.comment = !strings.Contains(text, "-->")
		return
	case strings.HasPrefix(text, "<!--"):
		p.comment = !strings.Contains(text, "-->")
		return
	}
	if n := len(text) - len(strings.TrimLeft(text, "`~")); n >= 3 && (text[0] == '`' || text[0] == '~') {
		p.fence = text[:n]
		p.prose(line)
		return
	}
	if strings.HasPrefix(line, "<<<<<<< ") || line == "<<<<<<<" {
		p.b.Marked = true
	}
	if level, title, ok := heading(line); ok {
		p.heading(level, title)
		return
	}
	if t, ok := taskOf(line); ok {
		p.slice(i, indentOf(t.mark), t.box, t.text)
		return
	}
	if !p.below && p.field(text) {
		return
	}
	p.prose(line)
}

// field reads a line of the head, such as "Branch: feat/x".
func (p *parser) field(text string) bool {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	value = strings.Trim(strings.TrimSpace(value), "\"'`")
	switch strings.ToLower(name) {
	case "title":
		p.b.Title = value
	case "branch":
		p.b.Branch = value
	case "status":
		if s, ok := ParseStatus(value); ok {
			p.b.Stated = s
		}
	default:
		return false
	}
	return true
}

// ParseStatus reads a state as people write it.
func ParseStatus(s string) (Status, bool) {
	switch s := Status(strings.ToLower(strings.NewReplacer("-", " ", "_", " ").Replace(strings.TrimSpace(s)))); s {
	case Planned, InProgress, Blocked, Done:
		return s, true
	}
	return "", false
}

func (p *parser) heading(level int, title string) {
	p.below, p.above = p.below || level == 2, nil
	switch low := strings.ToLower(title); {
	case level == 1:
		if p.b.Title == "" {
			p.b.Title = title
		}
		p.into = &p.brief
	case level == 2 && (low == "brief" || low == "discovery brief"):
		p.into = &p.brief
	case level == 2 && (low == "technical context" || low == "context"):
		p.into = &p.technical
	case level == 2:
		p.into = nil
		p.b.Phases = append(p.b.Phases, Phase{Title: part(title, "phase")})
	case level == 3 && len(p.b.Phases) > 0:
		ph := &p.b.Phases[len(p.b.Phases)-1]
		ph.Deliverables = append(ph.Deliverables, Deliverable{Title: part(title, "deliverable")})
	}
}

// part cuts "Phase 2: " from a title.
func part(title, kind string) string {
	rest, ok := cutFold(title, kind)
	if !ok {
		return title
	}
	rest = strings.TrimLeft(strings.TrimSpace(rest), "0123456789.")
	rest = strings.TrimLeft(strings.TrimSpace(rest), ":–—- ")
	if rest == "" {
		return title
	}
	return rest
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) && strings.ContainsRune(" :0123456789", rune(s[len(prefix)])) {
		return s[len(prefix):], true
	}
	return s, false
}

func (p *parser) slice(line, indent int, box, text string) {
	p.slices++
	s := Slice{Number: p.slices, Line: line, Status: Planned}
	s.Text, s.Status, s.Why = splitNote(text)
	for len(p.above) > 0 && p.above[len(p.above)-1].indent >= indent {
		p.above = p.above[:len(p.above)-1]
	}
	if n := len(p.above); n > 0 {
		s.Parent = p.above[n-1].number
	}
	p.above = append(p.above, item{p.slices, indent})
	if box != " " {
		s.Status, s.Why = Done, ""
	}
	if len(p.b.Phases) == 0 {
		p.b.Phases = append(p.b.Phases, Phase{})
	}
	ph := &p.b.Phases[len(p.b.Phases)-1]
	if len(ph.Deliverables) == 0 {
		ph.Deliverables = append(ph.Deliverables, Deliverable{})
	}
	d := &ph.Deliverables[len(ph.Deliverables)-1]
	d.Slices = append(d.Slices, s)
}

// splitNote cuts "(in progress)" or "(blocked: why)" from the end of a slice's text.
func splitNote(text string) (words string, status Status, why string) {
	words, status = text, Planned
	for {
		open := lastGroup(words)
		if open < 0 {
			return words, status, why
		}
		name, reason, _ := strings.Cut(words[open+1:len(words)-1], ":")
		s, ok := ParseStatus(name)
		if !ok || s == Planned || s == Done {
			return words, status, why
		}
		if status == Planned {
			status, why = s, strings.TrimSpace(reason)
		}
		words = strings.TrimSpace(words[:open])
	}
}

// lastGroup returns where the parenthesis opens that a text's last character closes, or -1.
func lastGroup(s string) int {
	if !strings.HasSuffix(s, ")") {
		return -1
	}
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// prose keeps a line of the brief or the context.
func (p *parser) prose(line string) {
	switch {
	case p.into != nil:
		*p.into = append(*p.into, line)
	case len(p.b.Phases) == 0:
		p.brief = append(p.brief, line)
	}
}

func paragraphs(lines []string) string { return strings.TrimSpace(strings.Join(lines, "\n")) }
