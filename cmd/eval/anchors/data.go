package anchors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// element is a piece of code in the dataset.
type element struct {
	Commit  string `json:"commit"`
	File    string `json:"file"`
	Element string `json:"element"`
	Lines   []int  `json:"lines"`
	Blob    string `json:"blob"`
}

// pair is a line of steps.jsonl or long.jsonl.
type pair struct {
	Kind   string  `json:"kind"`
	Oracle string  `json:"oracle_file"`
	Repo   string  `json:"repo"`
	Parent string  `json:"parent"`
	Commit string  `json:"commit"`
	Change string  `json:"change"`
	Before element `json:"before"`
	After  element `json:"after"`
	Start  element `json:"start"`
	End    element `json:"end"`
	Steps  []step  `json:"steps"`

	mined bool // set for a mined case
}

// step is one commit that changed an element, with its place after the commit.
type step struct {
	Commit string `json:"commit"`
	Change string `json:"change"`
	File   string `json:"file"`
	Lines  []int  `json:"lines"`
}

// name returns the name of the history that a pair belongs to.
func (p pair) name() string { return strings.TrimSuffix(p.Oracle, ".json") }

// readNames reads names of histories: a list separated by commas, or a file with one name
// a line. Text after the first space of a line is a comment.
func readNames(list string) (map[string]bool, error) {
	text, err := os.ReadFile(list)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text = []byte(strings.ReplaceAll(list, ",", "\n"))
	case err != nil:
		return nil, fmt.Errorf("read the names of pairs in %s: %w", list, err)
	}
	names := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 0 {
			names[strings.TrimSuffix(words[0], ".json")] = true
		}
	}
	return names, nil
}

// target is an element located in a file.
type target struct {
	path   string
	symbol *extract.Symbol // of a method, class or attribute
	line   int             // first line
	lines  anchor.LineRange
}

// locate finds an element of the dataset in its file. Methods, classes and attributes are
// symbols; blocks and local variables are lines.
func locate(kind string, e element, s *anchoring.Source) (target, bool) {
	t := target{path: e.File}
	if s == nil {
		return t, false
	}
	switch kind {
	case "block", "variable":
		if len(e.Lines) != 2 {
			return t, false
		}
		t.lines, t.line = anchor.LineRange{Start: e.Lines[0], End: e.Lines[1]}, e.Lines[0]
		return t, true
	}
	name := elementName(kind, e.Element)
	best := -1
	for i, sym := range s.Symbols() {
		if sym.Name != name || !kindFits(kind, sym.Kind) {
			continue
		}
		if kind == "method" {
			if fitsMethod(e.Element, sym) {
				best = i
				break
			}
			continue
		}
		from, to := s.Line(sym.DocStart), s.Line(sym.End-1)
		if len(e.Lines) == 2 && from <= e.Lines[0] && e.Lines[0] <= to && (best < 0 || s.Symbols()[best].Start < sym.Start) {
			best = i
		}
	}
	if best < 0 {
		return t, false
	}
	sym := s.Symbols()[best]
	t.symbol, t.line = &sym, s.Line(sym.Start)
	return t, true
}

func kindFits(kind, symbol string) bool {
	switch kind {
	case "method":
		return symbol == "method" || symbol == "function"
	case "class":
		return symbol == "class" || symbol == "interface" || symbol == "enum"
	default:
		return symbol == "field" || symbol == "const" || symbol == "var"
	}
}

var (
	methodName    = regexp.MustCompile(`#([^#(]+)\(`)
	attributeName = regexp.MustCompile(`@(?:\([^)]*\))*([^:@()]+):`)
	className     = regexp.MustCompile(`([\w$]+)\(\d+\)$`)
)

// variable returns the name of a local variable in its description.
func variable(e string) string {
	_, name, _ := strings.Cut(e[strings.LastIndexByte(e, '#')+1:], "$")
	name, _, _ = strings.Cut(name, ":")
	return name
}

// elementName returns the simple name in an element's description.
func elementName(kind, e string) string {
	var m []string
	switch kind {
	case "method":
		m = methodName.FindStringSubmatch(e)
	case "class":
		m = className.FindStringSubmatch(e)
	default:
		m = attributeName.FindStringSubmatch(e)
	}
	if m == nil {
		return ""
	}
	return m[1]
}

// fitsMethod compares the class and the types of the parameters.
func fitsMethod(e string, s extract.Symbol) bool {
	head, params, ok := strings.Cut(e[:strings.LastIndexByte(e, ')')], "(")
	if !ok {
		return false
	}
	head = head[:strings.LastIndexByte(head, '#')]
	head = head[strings.LastIndexByte(head, '/')+1:]
	classes := strings.Split(s.Path, ".")
	classes = classes[:len(classes)-1]
	if !strings.HasSuffix("."+head, "."+strings.Join(classes, ".")) {
		return false
	}
	return sameTypes(types(params, false), types(between(s), true))
}

// between returns the text of the parameters in a signature.
func between(s extract.Symbol) string {
	i := strings.Index(s.Signature, s.Name+"(")
	if i < 0 {
		if i = strings.Index(s.Signature, s.Name+" ("); i < 0 {
			return ""
		}
		i++
	}
	text := s.Signature[i+len(s.Name)+1:]
	depth := 1
	for j, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:j]
			}
		}
	}
	return text
}

var (
	annotation = regexp.MustCompile(`@[\w.]+(\([^)]*\))?\s*|\bfinal\s+`)
	space      = regexp.MustCompile(`\s+`)
)

// types lists the simple types of parameters without their names.
func types(params string, named bool) []string {
	params = annotation.ReplaceAllString(params, "")
	var flat strings.Builder
	depth := 0
	for _, c := range params {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0:
			flat.WriteRune(c)
		}
	}
	var all []string
	for p := range strings.SplitSeq(flat.String(), ",") {
		p = strings.TrimSpace(space.ReplaceAllString(p, " "))
		if p == "" {
			continue
		}
		p = strings.ReplaceAll(strings.ReplaceAll(p, "...", "[]"), " []", "[]")
		if named {
			i := strings.LastIndexByte(p, ' ')
			if i < 0 {
				if i = strings.LastIndexByte(p, ']'); i < 0 {
					continue
				}
				p = p[:i+1] + " " + p[i+1:]
				i++
			}
			name := p[i+1:]
			p = p[:i]
			if strings.HasSuffix(name, "[]") {
				p += "[]"
			}
		}
		p = strings.TrimSpace(p)
		p = p[strings.LastIndexByte(p, '.')+1:]
		all = append(all, p)
	}
	return all
}

func sameTypes(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	blanks   = regexp.MustCompile(`\s+`)
)

// bare returns the text of an element without comments and white space. In Python, what a line is
// indented by is code, and a docstring is a comment that people read by its words.
func (t target) bare(s *anchoring.Source) string {
	text := ""
	if t.symbol != nil {
		text = string(s.Text()[t.symbol.Start:t.symbol.End])
	} else {
		text = strings.Join(trimmedLines(s.Text(), t.lines), "\n")
	}
	if s.Lang == "python" {
		return barePython(text)
	}
	return withoutBlanks(comments.ReplaceAllString(text, ""))
}

// withoutBlanks removes white space, but for one blank between two words: "can not" is not "cannot".
func withoutBlanks(text string) string {
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var b strings.Builder
	last := ' '
	for _, f := range strings.Fields(text) {
		if first, _ := utf8.DecodeRuneInString(f); isWord(last) && isWord(first) {
			b.WriteByte(' ')
		}
		b.WriteString(f)
		last, _ = utf8.DecodeLastRuneInString(f)
	}
	return b.String()
}
