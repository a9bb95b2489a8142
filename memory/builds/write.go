package builds

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// Error is why a build is not shown or not changed. It is constant, so that the package costs a
// process nothing at its start.
type Error string

// Error returns the reason.
func (e Error) Error() string { return string(e) }

// The errors of changes.
const (
	ErrNoSlice   = Error("no slice is called so")
	ErrAmbiguous = Error("several slices are called so")
	ErrExists    = Error("there is a build of this name")
	ErrTooLong   = Error("the build would be longer than 256 KB")
)

// Find returns the slice with a number, or the only one whose text contains some words, in any case. The
// whole text goes before a part of one.
func (b *Build) Find(name string) (Slice, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	var whole, parts []Slice
	for _, s := range b.Slices() {
		text := strings.ToLower(s.Text)
		switch {
		case fmt.Sprint(s.Number) == name:
			return s, nil
		case text == name:
			whole = append(whole, s)
		case name != "" && strings.Contains(text, name):
			parts = append(parts, s)
		}
	}
	for _, found := range [][]Slice{whole, parts} {
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Slice{}, ErrAmbiguous
		}
	}
	return Slice{}, ErrNoSlice
}

// SetStatus changes the state of a slice in its text, and nothing else of it.
func SetStatus(data []byte, s Slice, to Status, why string) ([]byte, error) {
	all := lines(data)
	if s.Line >= len(all) {
		return nil, ErrNoSlice
	}
	line := string(all[s.Line])
	text := strings.TrimRight(line, "\r\n")
	t, ok := taskOf(text)
	if !ok {
		return nil, ErrNoSlice
	}
	box, note := " ", ""
	switch to {
	case Done:
		box = "x"
	case InProgress:
		note = " (in progress)"
	case Blocked:
		if note = " (blocked)"; why != "" {
			note = " (blocked: " + strings.NewReplacer("(", "[", ")", "]").Replace(oneLine(why)) + ")"
		}
	}
	words, _, _ := splitNote(t.text)
	all[s.Line] = []byte(t.mark + box + t.gap + words + note + line[len(text):])
	return join(data, all), nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// join puts lines together, behind the mark of the text that they are from.
func join(from []byte, all [][]byte) []byte {
	out := bytes.Join(all, nil)
	if bom := []byte("\ufeff"); bytes.HasPrefix(from, bom) {
		out = append(bom, out...)
	}
	return out
}

// Add appends a slice to a phase and a deliverable, which are made where they are missing. Without a
// phase it is the one that is worked on, else the last; without both it is that phase's last deliverable.
func Add(data []byte, phase, deliverable, text string) []byte {
	phase, deliverable = oneLine(phase), oneLine(deliverable)
	all := lines(data)
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	b := Parse(data)
	if phase == "" && len(b.Phases) > 0 {
		p := b.Phase()
		if p == nil {
			p = &b.Phases[len(b.Phases)-1]
		}
		if phase = p.Title; deliverable == "" && len(p.Deliverables) > 0 {
			deliverable = p.Deliverables[len(p.Deliverables)-1].Title
		}
	}
	at := section(all, b, phase, deliverable)
	var add []string
	if !at.phase && phase != "" {
		add = append(add, "", "## "+phase)
	}
	if !at.deliverable && deliverable != "" {
		add = append(add, "", "### "+deliverable)
	}
	if !at.tasks || len(add) > 0 {
		add = append(add, "")
	}
	add = append(add, "- [ ] "+oneLine(text))
	if n := len(all); n > 0 && len(all[n-1]) == 0 {
		all = all[:n-1] // behind the last line end
	}
	at.line = min(at.line, len(all))
	if at.line > 0 && !bytes.HasSuffix(all[at.line-1], []byte("\n")) {
		all[at.line-1] = []byte(string(all[at.line-1]) + eol)
	}
	out := append([][]byte{}, all[:at.line]...)
	for _, l := range add {
		out = append(out, []byte(l+eol))
	}
	return join(data, append(out, all[at.line:]...))
}

// AddBelow appends a slice as a part of another one.
func AddBelow(data []byte, above Slice, text string) ([]byte, error) {
	all := lines(data)
	if above.Line >= len(all) {
		return nil, ErrNoSlice
	}
	head := strings.TrimRight(string(all[above.Line]), "\r\n")
	t, ok := taskOf(head)
	if !ok {
		return nil, ErrNoSlice
	}
	at := above.Line + 1
	for i := at; i < len(all); i++ { // behind its parts
		line := strings.TrimRight(string(all[i]), "\r\n")
		if sub, ok := taskOf(line); !ok || indentOf(sub.mark) <= indentOf(t.mark) {
			break
		}
		at = i + 1
	}
	eol := "\n"
	if bytes.HasSuffix(all[above.Line], []byte("\r\n")) {
		eol = "\r\n"
	}
	if !bytes.HasSuffix(all[at-1], []byte("\n")) {
		all[at-1] = []byte(string(all[at-1]) + eol)
	}
	indent := head[:len(head)-len(strings.TrimLeft(head, " \t"))] + strings.Repeat(" ", max(2, len(strings.TrimSpace(strings.TrimSuffix(t.mark, "[")))+1))
	added := []byte(indent + "- [ ] " + oneLine(text) + eol)
	return join(data, append(append(append([][]byte{}, all[:at]...), added), all[at:]...)), nil
}

// place is where a slice is to be added.
type place struct {
	line                      int // before which it stands
	phase, deliverable, tasks bool
}

// section finds the end of a deliverable, else of its phase, else of the file.
func section(all [][]byte, b Build, phase, deliverable string) (at place) {
	type head struct {
		line, level int
		title       string
	}
	var heads []head
	p := parser{}
	for i, l := range all {
		text := strings.TrimRight(string(l), "\r\n")
		quiet := p.fence != "" || p.comment || p.matter
		p.line(i, text)
		if level, title, ok := heading(text); ok && !quiet && level <= 3 {
			heads = append(heads, head{i, level, title})
		}
	}
	end := func(from, level int) int {
		for _, h := range heads[from+1:] {
			if h.level <= level {
				return h.line
			}
		}
		return len(all)
	}
	at.line = len(all)
	from := -1
	if phase == "" && len(heads) > 0 && len(b.Phases) > 0 {
		at.tasks = true // a plain list without phases
	}
	for i, h := range heads {
		if h.level == 2 && phase != "" && strings.EqualFold(part(h.title, "phase"), phase) {
			at.phase, at.line, from = true, end(i, 2), i
			if deliverable == "" { // directly below the phase, before its first deliverable
				at.line = end(i, 3)
			}
			break
		}
	}
	if at.phase && deliverable != "" {
		for i := from + 1; i < len(heads) && heads[i].level > 2; i++ {
			if h := heads[i]; h.level == 3 && strings.EqualFold(part(h.title, "deliverable"), deliverable) {
				at.deliverable, at.line = true, end(i, 3)
				break
			}
		}
	}
	// Stand behind the last line with text.
	for at.line > 0 && strings.TrimSpace(string(all[at.line-1])) == "" {
		at.line--
	}
	if at.line > 0 {
		if _, ok := taskOf(strings.TrimRight(string(all[at.line-1]), "\r\n")); ok || at.phase {
			at.tasks = ok
		}
	}
	return at
}

// New returns the text of a build that begins.
func New(title, branch, brief, technical string) []byte {
	var b strings.Builder
	b.WriteString("# " + oneLine(title) + "\n\n")
	if branch != "" {
		b.WriteString("Branch: " + branch + "\n\n")
	}
	b.WriteString("## Brief\n\n")
	if brief != "" {
		b.WriteString(brief + "\n\n")
	}
	b.WriteString("## Technical context\n")
	if technical != "" {
		b.WriteString("\n" + technical + "\n")
	}
	return []byte(b.String())
}

// Change rewrites the file of a build. Two writers at the same time need a lock. With create, the
// file must not exist.
func Change(p *workspace.Workspace, name string, create bool, change func([]byte, Build) ([]byte, error)) (Build, error) {
	at := Path(p, name)
	var was []byte
	if create {
		if _, err := os.Lstat(at); err == nil {
			return Build{}, ErrExists
		}
	} else {
		var err error
		if was, _, err = read(p, name); err != nil {
			return Build{}, fmt.Errorf("read the build %s: %w", name, err)
		}
	}
	now, err := change(was, Parse(was))
	if err != nil {
		return Build{}, err
	}
	if len(now) > MaxSize {
		return Build{}, ErrTooLong
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return Build{}, fmt.Errorf("write the build %s: %w", name, err)
	}
	if err := treefile.CheckNoLinks(filepath.Dir(at)); err != nil {
		return Build{}, fmt.Errorf("write the build %s: %w", name, err)
	}
	if err := file.WriteOwn(filepath.Dir(filepath.Dir(at)), path.Join(Folder, name+".md"), now); err != nil {
		return Build{}, fmt.Errorf("write the build %s: %w", name, err)
	}
	return Read(p, name)
}
