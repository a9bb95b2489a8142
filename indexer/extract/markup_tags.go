package extract

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// attribute is one attribute of a start tag, by its places in the source.
type attribute struct {
	name  Span // empty for a value in braces alone: {...props}, {title}
	value Span // without its quotes or braces
	how   byte // what surrounds the value: a quote, '{', '`', ' ' for nothing, 0 for no value
}

// isVoid reports whether an element has no end tag.
func isVoid(element string) bool {
	switch element {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// isHTML reports whether a name is that of an element of HTML or SVG, which is no component, whatever the code imports.
func isHTML(name string) bool {
	switch name {
	case "a", "abbr", "address", "area", "article", "aside", "audio", "b", "base", "bdi", "bdo", "blockquote", "body", "br",
		"button", "canvas", "caption", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del", "details", "dfn",
		"dialog", "div", "dl", "dt", "em", "embed", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
		"h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label",
		"legend", "li", "link", "main", "map", "mark", "math", "menu", "meta", "meter", "nav", "noscript", "object", "ol",
		"optgroup", "option", "output", "p", "param", "picture", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp",
		"script", "search", "section", "select", "slot", "small", "source", "span", "strong", "style", "sub", "summary",
		"sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track",
		"u", "ul", "var", "video", "wbr", "path", "circle", "rect", "line", "g", "text", "image", "filter", "mask", "pattern",
		"defs", "symbol", "use", "view", "switch", "marker", "ellipse", "polygon", "polyline", "stop":
		return true
	}
	return false
}

// element reads a start tag, with what it says of the elements in it, and the whole element if it has
// no end tag. It returns where the tag ends.
func (m *markupReader) element(at int) int {
	start := at
	nameEnd := at + 1
	for nameEnd < len(m.src) && !isSpace(m.src[nameEnd]) && m.src[nameEnd] != '>' && !(m.src[nameEnd] == '/' && nameEnd+1 < len(m.src) && m.src[nameEnd+1] == '>') {
		nameEnd++
	}
	name := string(m.src[at+1 : nameEnd])
	attributes, end, closed := m.attributes(nameEnd)
	if m.lost {
		return len(m.src)
	}
	if name == "script" || name == "style" || m.kind == markupVue && len(m.open) == 0 && (name != "template" || !m.isHTML(attributes)) {
		if !closed {
			end = behind(m.src, behind(m.src, end, "</"+name), ">")
		}
		return end
	}
	m.begin(name)
	m.component(name, start+1, nameEnd)
	switch m.kind {
	case markupVue:
		m.vueAttributes(start, attributes)
	default:
		m.braceAttributes(start, attributes)
	}
	if closed || isVoid(name) {
		m.closeTo(len(m.open)-1, end)
	}
	return end
}

// isHTML reports whether the template of a Vue component is not in another language, such as Pug.
func (m *markupReader) isHTML(attributes []attribute) bool {
	for _, a := range attributes {
		if m.word(a.name) == "lang" && m.word(a.value) != "html" {
			return false
		}
	}
	return true
}

// word returns a piece of the source.
func (m *markupReader) word(s Span) string { return string(m.src[s.Start:s.End]) }

// attributes reads those of a start tag, and returns where the tag ends and whether it closes itself.
func (m *markupReader) attributes(at int) (all []attribute, end int, closed bool) {
	for at < len(m.src) {
		c := m.src[at]
		switch {
		case isSpace(c):
			at++
			continue
		case c == '>':
			return all, at + 1, false
		case c == '/' && at+1 < len(m.src) && m.src[at+1] == '>':
			return all, at + 2, true
		case c == '{' && m.kind != markupVue:
			end := m.braces(at + 1)
			if end < 0 {
				return nil, len(m.src), false
			}
			all = append(all, attribute{value: Span{Start: at + 1, End: end}, how: '{'})
			at = end + 1
			continue
		case c == '<': // torn: another tag begins
			return all, at, false
		}
		a := attribute{name: Span{Start: at, End: at + 1}}
		for at++; at < len(m.src) && !isSpace(m.src[at]) && m.src[at] != '=' && m.src[at] != '>' && !(m.src[at] == '/' && at+1 < len(m.src) && m.src[at+1] == '>'); at++ {
			a.name.End = at + 1
		}
		if v := skipSpace(m.src, at); v < len(m.src) && m.src[v] == '=' {
			if at = m.attributeValue(&a, skipSpace(m.src, v+1)); m.lost {
				return nil, len(m.src), false
			}
		}
		all = append(all, a)
	}
	m.lost = true
	return nil, len(m.src), false
}

// attributeValue reads the value of an attribute and returns where it ends.
func (m *markupReader) attributeValue(a *attribute, at int) int {
	if at >= len(m.src) {
		m.lost = true
		return at
	}
	end := -1
	switch c := m.src[at]; {
	case c == '"' || c == '\'':
		a.how = c
		for i := at + 1; i < len(m.src); i++ {
			if m.src[i] == c {
				end = i
				break
			}
			if m.src[i] == '{' && m.kind == markupSvelte { // its code may have quotes
				close := m.closingBrace(m.src, i+1, 0)
				if close < 0 {
					break
				}
				i = close
			}
		}
	case c == '{' && m.kind != markupVue:
		a.how = c
		end = m.braces(at + 1)
	case c == '`' && m.kind == markupAstro:
		a.how = c
		if end = m.templateEnd(m.src, at, 0); end >= 0 {
			end--
		}
	default:
		a.how = ' '
		end = at
		for end < len(m.src) && !isSpace(m.src[end]) && m.src[end] != '>' {
			end++
		}
		a.value = Span{Start: at, End: end}
		return end
	}
	if end < 0 {
		m.lost = true
		return len(m.src)
	}
	a.value = Span{Start: at + 1, End: end}
	return end + 1
}

// component adds the use of a component by its tag.
func (m *markupReader) component(name string, start, end int) {
	tag := name
	switch {
	case name == "" || strings.Contains(name, ":"):
		return
	case m.kind == markupVue:
		if tag = m.vueComponent(name); tag == "" {
			return
		}
	case !strings.Contains(name, ".") && (name[0] < 'A' || name[0] > 'Z'):
		return
	}
	m.name(tag, start, end)
	m.glue("();\n")
}

// vueComponent returns under which name the code knows a component, by its tag: my-button is MyButton
// or myButton. It is empty for an element of HTML.
func (m *markupReader) vueComponent(tag string) string {
	if isHTML(tag) {
		return ""
	}
	whole := pascalCase(tag)
	for _, name := range []string{tag, whole, camelCase(tag)} {
		if m.known[name] {
			return name
		}
	}
	if strings.Contains(tag, "-") || tag[0] >= 'A' && tag[0] <= 'Z' { // registered elsewhere
		return whole
	}
	return ""
}

// pascalCase writes a name with dashes in capitals: my-button is MyButton.
func pascalCase(name string) string {
	var out strings.Builder
	for _, word := range strings.Split(name, "-") {
		if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return cmp.Or(out.String(), name)
}

// camelCase writes a name with dashes as a variable: page-size is pageSize.
func camelCase(name string) string {
	if name = pascalCase(name); name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// loopOf splits the value of v-for into the names and the list.
var loopOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\A\s*(\(.*?\)|\{.*?\}|\[.*?\]|[^\s({\[]+)\s+(?:in|of)\s+(.*)\z`)
})

// vueAttributes adds the code in the attributes of an element of Vue.
func (m *markupReader) vueAttributes(tag int, attributes []attribute) {
	for _, a := range attributes {
		if m.word(a.name) != "v-for" || a.how == 0 {
			continue
		}
		p := loopOf().FindSubmatchIndex(m.src[a.value.Start:a.value.End])
		if p == nil {
			continue
		}
		m.expression(a.value.Start+p[4], a.value.Start+p[5])
		names := Span{Start: a.value.Start + p[2], End: a.value.Start + p[3]}
		if m.src[names.Start] == '(' {
			names = Span{Start: names.Start + 1, End: names.End - 1}
		}
		m.scope("(", tag, names)
	}
	var slots []Span
	for _, a := range attributes {
		name := m.word(a.name)
		directive, argument, _ := strings.Cut(name, ":")
		directive, _, _ = strings.Cut(directive, ".")
		if open, end := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); 0 <= open && open < end { // :[name]="value"
			m.expression(a.name.Start+open+1, a.name.Start+end)
		}
		switch {
		case name == "v-for" || name == "v-pre":
		case directive == "v-slot" || name[0] == '#':
			if a.how != 0 {
				slots = append(slots, a.value)
			}
		case name[0] == '@' || directive == "v-on" && argument != "":
			if a.how != 0 {
				m.glue("(($event: any) => {\n")
				m.copy(a.value.Start, a.value.End)
				m.glue("\n});\n")
			}
		case name[0] == ':' && a.how == 0 || directive == "v-bind" && argument != "" && a.how == 0: // :title is :title="title"
			at := a.name.Start + strings.IndexByte(name, ':') + 1
			word, _, _ := strings.Cut(string(m.src[at:a.name.End]), ".")
			if word != "" && identifier(camelCase(word)) {
				m.glue("(")
				m.name(camelCase(word), at, at+len(word))
				m.glue(");\n")
			}
		case name[0] == ':' || name[0] == '.' || strings.HasPrefix(name, "v-"):
			if own := camelCase(directive); own != "" && m.known[own] { // vFocus of the code is v-focus
				m.glue("(")
				m.name(own, a.name.Start, a.name.Start+len(directive))
				m.glue(");\n")
			}
			if a.how != 0 {
				m.expression(a.value.Start, a.value.End)
			}
		case name == "ref" && m.known[m.word(a.value)]:
			m.expression(a.value.Start, a.value.End)
		}
	}
	for _, s := range slots {
		m.scope("(", tag, s)
	}
}

// braceAttributes adds the code in the attributes of an element of Svelte or Astro.
func (m *markupReader) braceAttributes(tag int, attributes []attribute) {
	var names []Span
	for _, a := range attributes {
		name := m.word(a.name)
		directive, argument, has := strings.Cut(name, ":")
		word, _, _ := strings.Cut(argument, "|")
		at := Span{Start: a.name.Start + len(directive) + 1, End: a.name.Start + len(directive) + 1 + len(word)}
		if has && m.kind == markupSvelte {
			switch directive {
			case "use", "transition", "in", "out", "animate":
				m.expression(at.Start, at.End)
			case "bind", "class", "style":
				if a.how == 0 && identifier(word) {
					m.expression(at.Start, at.End)
				}
			case "let":
				if a.how == '{' {
					at = a.value
				}
				names = append(names, at)
				continue
			}
		}
		switch a.how {
		case '{':
			m.inBraces(a.value)
		case '`':
			m.expression(a.value.Start-1, a.value.End+1)
		case '"', '\'', ' ':
			if m.kind == markupSvelte {
				m.interpolated(a.value)
			}
		}
	}
	if len(names) > 0 {
		m.scope("(", tag, names...)
	}
}

// inBraces adds the code between braces in a tag: an expression, {...expression} or {@attach expression}.
func (m *markupReader) inBraces(s Span) {
	s.Start = skipSpace(m.src, s.Start)
	if s.Start >= s.End {
		return
	}
	if m.src[s.Start] == '@' {
		s.Start += wordLength(m.src[s.Start:s.End])
	}
	if bytes.HasPrefix(m.src[s.Start:s.End], []byte("...")) {
		s.Start += len("...")
	}
	if m.kind == markupAstro {
		m.code(s.Start)
		return
	}
	m.expression(s.Start, s.End)
}

// wordLength returns how long a text is up to its first white space.
func wordLength(s []byte) int {
	if n := bytes.IndexAny(s, " \t\r\n"); n >= 0 {
		return n
	}
	return len(s)
}

// interpolated adds the expressions in the text of an attribute.
func (m *markupReader) interpolated(s Span) {
	for at := s.Start; at < s.End; {
		n := bytes.IndexByte(m.src[at:s.End], '{')
		if n < 0 {
			return
		}
		at += n + 1
		end := m.closingBrace(m.src[:s.End], at, 0)
		if end < 0 {
			return
		}
		m.expression(at, end)
		at = end + 1
	}
}

// block reads what Svelte has between braces in text: an expression, the beginning or the end of a
// block, or a declaration. It returns where it ends.
func (m *markupReader) block(at int) int {
	if first := skipSpace(m.src, at+1); first < len(m.src) && m.src[first] == '/' && first+1 < len(m.src) && isLetter(m.src[first+1]) {
		end := behind(m.src, first, "}")
		m.closeNamed("#"+strings.TrimRight(string(m.src[first+1:end]), "} \t\r\n"), 0, end)
		return end
	}
	end := m.braces(at + 1)
	if end < 0 {
		return len(m.src)
	}
	from := skipSpace(m.src, at+1)
	word := string(m.src[from : from+wordLength(m.src[from:end])])
	rest := from + len(word)
	switch {
	case word == "":
	case word[0] == '#':
		m.begin(word)
		m.beginBlock(word[1:], at, skipSpace(m.src, rest), end)
	case word == ":else":
		if rest = skipSpace(m.src, rest); bytes.HasPrefix(m.src[rest:end], []byte("if ")) {
			m.expression(rest+len("if "), end)
		}
	case word == ":then" || word == ":catch":
		if names := trimmed(m.src, Span{Start: rest, End: end}); names.Start < names.End {
			m.scope("(", at, names)
		}
	case word == "@const":
		if n := len(m.open); n > 0 && len(m.open[n-1].closers) == 0 { // what it declares counts in its block alone
			m.scope("(", at)
		}
		m.glue("const ")
		m.copy(rest, end)
		m.glue("\n;\n")
	case word[0] == '@':
		m.expression(rest, end)
	default:
		m.expression(from, end)
	}
	return end + 1
}

// beginBlock adds the code at the beginning of a block of Svelte.
func (m *markupReader) beginBlock(word string, tag, at, end int) {
	switch word {
	case "each":
		list, rest := at, end
		if i := lastWord(m.src[at:end], " as "); i >= 0 {
			list, rest = at+i, at+i+len(" as ")
			m.expression(at, list)
			names, key := m.splitEach(rest, end)
			m.scope("(", tag, names...)
			m.expression(key.Start, key.End)
			return
		}
		m.expression(at, end)
	case "await":
		for _, w := range []string{" then ", " catch "} {
			if i := lastWord(m.src[at:end], w); i >= 0 {
				m.expression(at, at+i)
				m.scope("(", tag, trimmed(m.src, Span{Start: at + i + len(w), End: end}))
				return
			}
		}
		m.expression(at, end)
	case "snippet":
		open := bytes.IndexByte(m.src[at:end], '(')
		if open < 0 {
			return
		}
		open += at
		if close := m.closingBrace(m.src[:end], open+1, 0); close >= 0 {
			m.glue("const ")
			m.copy(at, open)
			m.scope(" = ", tag, Span{Start: open + 1, End: close})
			if e := m.open[len(m.open)-1]; len(e.closers) == 0 { // too deep
				m.glue(";\n")
			}
		}
	default:
		m.expression(at, end)
	}
}

// lastWord returns the last place of a word that is not in brackets, -1 without one.
func lastWord(code []byte, word string) int {
	depth := 0
	for i := len(code) - 1; i >= 0; i-- {
		switch code[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			depth--
		case ' ':
			if depth == 0 && bytes.HasPrefix(code[i:], []byte(word)) {
				return i
			}
		}
	}
	return -1
}

// splitEach splits what follows "as" in a loop of Svelte into the names of the element and of its
// number, and the key.
func (m *markupReader) splitEach(at, end int) (names []Span, key Span) {
	start, depth := at, 0
	for i := at; i < end; i++ {
		switch m.src[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				names = append(names, trimmed(m.src, Span{Start: start, End: i}))
				start = i + 1
			}
		case '(':
			if depth > 0 {
				continue
			}
			names = append(names, trimmed(m.src, Span{Start: start, End: i}))
			if close := m.closingBrace(m.src[:end], i+1, 0); close >= 0 {
				key = Span{Start: i + 1, End: close}
			}
			return names, key
		}
	}
	return append(names, trimmed(m.src, Span{Start: start, End: end})), key
}
