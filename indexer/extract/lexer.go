package extract

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/grammars"
)

// lexRules is what a lexer knows of a language.
type lexRules struct {
	strings      []string // delimiters, the longest first
	line         []string
	block        [][2]string
	longStrings  bool
	heredocs     bool
	dollarQuotes bool
	continued    bool
	lineBrackets bool
	hereStrings  bool
	perl         bool
	interpolated bool
	dialects     bool
	escape       byte
}

func lexRulesOf(l grammars.Language) lexRules {
	return lexRules{
		strings: l.Strings, line: l.Comments.Line, block: l.Comments.Block, longStrings: l.Outline.LongStrings,
		heredocs: l.Outline.Heredocs, dollarQuotes: l.Outline.DollarQuotes, continued: l.Outline.Continued,
		lineBrackets: l.Outline.LineBrackets, hereStrings: l.Outline.HereStrings, perl: l.Outline.Perl, interpolated: l.Outline.Interpolated, dialects: l.Outline.Dialects, escape: cmp.Or(l.Outline.Escape, '\\'),
	}
}

// The kinds of nodes in the tree of a language without a grammar. They go into hashes
// of trees, which memory files store, so they never change.
const (
	lexFile uint16 = iota + 1
	lexLine
	lexBrackets // the opening one is the first token
	lexText     // a heredoc, or a string with several lines of code in it
)

// maxBrackets limits the nesting of brackets: deeper ones are plain marks.
const maxBrackets = 200

// lexed is a source that was split into words, strings, marks and brackets.
type lexed struct {
	src      []byte
	tree     *Tree
	comments []Span
	lines    []int  // where lines begin that are not inside of a string, a comment or a heredoc
	errors   []Span // empty, at brackets that are not closed
	cuts     []int  // where such brackets were taken to end
}

// lexer splits a source without a grammar: each line is a node, and so is what stands
// in brackets.
type lexer struct {
	*lexRules
	src    []byte
	at     int
	out    *lexed
	open   []int32  // the nodes that are open, by index in the tree
	docs   []string // the ends of heredocs that begin on the current line
	plain  bool     // nothing is escaped in a string
	groups int      // how many of the open nodes are brackets
	// Without these, a source with many beginnings that have no end would be read to its end for each of them.
	noHere   int            // up to where no here-string ends
	unclosed []int          // for each delimiter of strings, up to where none closes one
	dollars  map[string]int // where each mark of dollarQuote is last, nil until one is looked for
	noCode   int            // up to where no code in a string ends
	unquoted [256]int       // for each first byte of a text that an operator quotes, up to where none ends

	unreplaced [256]int // likewise of the second text of one
	torn       bool     // some brackets are not closed: a line that is not indented begins anew
}

// lex splits a source. If brackets are not closed, as while somebody types, those that
// stand open at the beginning of a line without indentation are taken for these.
func lex(rules *lexRules, src []byte) *lexed {
	out := lexOnce(rules, src, false)
	if len(out.errors) > 0 {
		out = lexOnce(rules, src, true)
	}
	out.tree.computeHashes()
	return out
}

func lexOnce(rules *lexRules, src []byte, torn bool) *lexed {
	x := &lexer{lexRules: rules, src: src, torn: torn, unclosed: make([]int, len(rules.strings)), out: &lexed{src: src, tree: &Tree{Tokens: make([]Token, 0, len(src)/4)}}}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		x.at = len(byteOrderMark)
	}
	x.plain = rules.dialects && !backslashEscapes(src)
	x.push(lexFile, 0)
	x.newLine()
	for x.at < len(src) {
		x.next()
	}
	for len(x.open) > 1 {
		x.abandon()
	}
	x.pop(len(src))
	return x.out
}

// next reads what comes next: space, a comment, or one token.
func (x *lexer) next() {
	c := x.src[x.at]
	switch {
	case c == '\n':
		x.at++
		x.endLine()
		if len(x.docs) > 0 {
			x.heredoc()
		}
		x.newLine()
	case c == '\\' && x.continued && x.lineEnds(x.at+1):
		x.at = nextLine(x.src, x.at)
	case isSpace(c):
		x.at++
	case x.perl && perl{x}.pod(), x.comment(), x.hereStrings && x.hereString(), x.string(), x.perl && perl{x}.quoteOperator():
	case x.heredocs && x.heredocBegins():
	case markupByte(c) && c != '-':
		end := x.at + 1
		for end < len(x.src) && markupByte(x.src[end]) {
			end++
		}
		class := ClassName
		if '0' <= c && c <= '9' {
			class = ClassLiteral
		}
		x.token(end, class)
	case strings.IndexByte("([{", c) >= 0:
		x.line()
		if x.groups < maxBrackets {
			x.groups++
			x.push(lexBrackets, x.at)
		}
		x.add(x.at+1, ClassMark)
	case strings.IndexByte(")]}", c) >= 0:
		x.close(c)
	default:
		x.token(x.at+1, ClassMark)
	}
}

// newLine notes that a line begins here.
func (x *lexer) newLine() {
	if x.at >= len(x.src) {
		return
	}
	x.out.lines = append(x.out.lines, x.at)
	if x.lineBrackets || x.torn && x.beginsAnew(x.src[x.at]) {
		if x.torn && len(x.open) > 1 {
			x.out.cuts = append(x.out.cuts, x.at)
		}
		for len(x.open) > 1 {
			x.abandon()
		}
	}
}

// beginsAnew reports whether a line without indentation may begin a declaration, by its first byte.
func (x *lexer) beginsAnew(c byte) bool {
	switch c {
	case '"', '@', '.':
		return true
	case '#':
		return !slices.Contains(x.lexRules.line, "#")
	}
	return markupByte(c)
}

// abandon closes the innermost node where its content ends.
func (x *lexer) abandon() {
	if n := x.out.tree.Nodes[x.open[len(x.open)-1]]; n.Kind == lexBrackets && !x.lineBrackets {
		x.out.errors = append(x.out.errors, Span{Start: int(n.Start), End: int(n.Start)})
	}
	x.pop(x.lastEnd())
}

// lineEnds reports whether a line ends at an offset.
func (x *lexer) lineEnds(at int) bool {
	return at >= len(x.src) || x.src[at] == '\n' || x.src[at] == '\r' && at+1 < len(x.src) && x.src[at+1] == '\n'
}

func (x *lexer) push(kind uint16, start int) {
	t := x.out.tree
	parent := int32(-1)
	if len(x.open) > 0 {
		parent = x.open[len(x.open)-1]
	}
	x.open = append(x.open, int32(len(t.Nodes)))
	t.Nodes = append(t.Nodes, Node{Start: uint32(start), End: uint32(start), Parent: parent, First: int32(len(t.Tokens)), Kind: kind})
}

// pop closes the innermost open node.
func (x *lexer) pop(end int) {
	t := x.out.tree
	n := &t.Nodes[x.open[len(x.open)-1]]
	n.End, n.Next, n.Last = uint32(end), int32(len(t.Nodes)), int32(len(t.Tokens))
	x.open = x.open[:len(x.open)-1]
	if n.Kind == lexBrackets {
		x.groups--
	}
}

// top returns the kind of the innermost open node.
func (x *lexer) top() uint16 { return x.out.tree.Nodes[x.open[len(x.open)-1]].Kind }

// line opens a node for the line unless one is open.
func (x *lexer) line() {
	if x.top() != lexLine {
		x.push(lexLine, x.at)
	}
}

// endLine closes the line, unless what is innermost are brackets.
func (x *lexer) endLine() {
	if x.top() == lexLine {
		x.pop(x.lastEnd())
	}
}

// lastEnd returns the end of the last token.
func (x *lexer) lastEnd() int {
	if n := len(x.out.tree.Tokens); n > 0 {
		return int(x.out.tree.Tokens[n-1].End)
	}
	return 0
}

// token adds the text up to an offset as a token of the line.
func (x *lexer) token(end int, class Class) {
	x.line()
	x.add(end, class)
}

// add adds the text up to an offset as a token of the innermost node.
func (x *lexer) add(end int, class Class) {
	t := x.out.tree
	t.Tokens = append(t.Tokens, Token{Hash: hashText(x.src[x.at:end]), Start: uint32(x.at), End: uint32(end), Node: x.open[len(x.open)-1], Class: class})
	x.at = end
}

// close closes the innermost brackets of a kind, and what is open in them. Without any
// it is a plain mark.
func (x *lexer) close(c byte) {
	opener := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
	t := x.out.tree
	at := len(x.open) - 1
	for at >= 0 {
		if n := t.Nodes[x.open[at]]; n.Kind == lexBrackets && x.src[n.Start] == opener {
			break
		}
		at--
	}
	if at < 0 {
		x.token(x.at+1, ClassMark)
		return
	}
	for len(x.open) > at+1 {
		x.pop(x.lastEnd())
	}
	x.add(x.at+1, ClassMark)
	x.pop(x.at)
}

// comment skips a comment, if one begins here. A mark in a word, such as the one of a
// URL, begins none.
func (x *lexer) comment() bool {
	for _, b := range x.block {
		if bytes.HasPrefix(x.src[x.at:], []byte(b[0])) {
			end := len(x.src)
			if n := bytes.Index(x.src[x.at+len(b[0]):], []byte(b[1])); n >= 0 {
				end = x.at + len(b[0]) + n + len(b[1])
			}
			x.skip(end)
			return true
		}
	}
	if x.at > 0 && !isSpace(x.src[x.at-1]) && strings.IndexByte(";,{}()[]", x.src[x.at-1]) < 0 {
		return false
	}
	for _, mark := range x.lexRules.line {
		if bytes.HasPrefix(x.src[x.at:], []byte(mark)) {
			end := nextLine(x.src, x.at)
			for end > x.at && (x.src[end-1] == '\n' || x.src[end-1] == '\r') {
				end--
			}
			x.skip(end)
			return true
		}
	}
	return false
}

func (x *lexer) skip(end int) {
	x.out.comments = append(x.out.comments, Span{Start: x.at, End: end})
	x.at = end
}

// string adds a string, if one begins here and ends: an apostrophe in a sentence
// begins none.
func (x *lexer) string() bool {
	for i, mark := range x.strings {
		if !bytes.HasPrefix(x.src[x.at:], []byte(mark)) || x.perl && (perl{x}).partOfName() {
			continue
		}
		if x.at < x.unclosed[i] { // a string from before would have ended where this one does
			x.token(x.at+1, ClassMark)
			return true
		}
		plain := x.plain && !x.afterE()
		for end := x.at + len(mark); end < len(x.src); end++ {
			switch {
			case bytes.HasPrefix(x.src[end:], []byte(mark)):
				x.quoted(len(mark), end)
				return true
			case x.src[end] == x.escape && !plain:
				end++
			case x.interpolated && bytes.HasPrefix(x.src[end:], []byte("${")):
				if behind := x.interpolation(end+len("${"), 0); behind >= 0 {
					end = behind - 1
				}
			case x.src[end] == '\n' && len(mark) == 1 && !x.longStrings:
				x.unclosed[i] = end
				x.token(x.at+1, ClassMark)
				return true
			}
		}
		x.unclosed[i] = len(x.src)
		x.token(x.at+1, ClassMark)
		return true
	}
	return x.dollarQuotes && x.src[x.at] == '$' && x.dollarQuote()
}

// afterE reports whether the letter E stands before a string of its own: E'it\'s', in which a backslash escapes.
func (x *lexer) afterE() bool {
	at := x.at - 1
	return at >= 0 && x.src[at]|0x20 == 'e' && (at == 0 || !markupByte(x.src[at-1]))
}

// escaping matches what only dialects have in which a backslash escapes: one within a word, and the names and tables of MySQL.
var escaping = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)[a-z]\\\\'[a-z]|\\b(?:table|into|from|update|join|exists|database|key|use)\\s+`|\\bengine\\s*=")
})

// backslashEscapes reports whether a backslash escapes in the strings of a source that may be of either dialect. The standard has it a
// letter: '\' is a whole string.
func backslashEscapes(src []byte) bool {
	return !bytes.Contains(src, []byte(`\'`)) || escaping().Match(src)
}

// interpolation returns the end of code in a string, which may hold strings in turn. It is -1 if it
// does not end on its line.
func (x *lexer) interpolation(at, depth int) int {
	if at < x.noCode || depth > maxBrackets {
		return -1
	}
	quote, braces := byte(0), 0
	for i := at; i < len(x.src) && x.src[i] != '\n'; i++ {
		c := x.src[i]
		switch {
		case quote != 0 && c == x.escape:
			i++
		case quote != 0 && c == '$' && i+1 < len(x.src) && x.src[i+1] == '{':
			behind := x.interpolation(i+len("${"), depth+1)
			if behind < 0 {
				return -1
			}
			i = behind - 1
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'' && slices.Contains(x.strings, "'"):
			quote = c
		case c == '{':
			braces++
		case c == '}':
			if braces--; braces < 0 {
				return i + 1
			}
		}
	}
	x.noCode = nextLine(x.src, at)
	return -1
}

// quoted adds a string that ends at an offset, before its mark. A single word in it is
// a token of its own: it may be the name of something, as in resource "kind" "name".
func (x *lexer) quoted(mark, end int) {
	word := x.src[x.at+mark : end]
	if mark > 1 || len(word) == 0 || bytes.ContainsFunc(word, func(r rune) bool { return r < 0x80 && !markupByte(byte(r)) }) {
		x.token(end+mark, ClassLiteral)
		return
	}
	x.token(x.at+mark, ClassMark)
	x.token(end, ClassLiteral)
	x.token(end+mark, ClassMark)
}

// hereString adds the text between @" at the end of a line and "@ at the beginning of one, with either quote.
func (x *lexer) hereString() bool {
	rest := x.src[x.at:]
	if len(rest) < 2 || rest[0] != '@' || rest[1] != '"' && rest[1] != '\'' || !x.lineEnds(x.at+2) || x.at < x.noHere {
		return false
	}
	n := bytes.Index(rest, []byte{'\n', rest[1], '@'})
	if n < 0 {
		x.noHere = len(x.src) // what is torn is not looked for again
		return false
	}
	x.line()
	x.text(x.at + n + 3)
	return true
}

// dollarQuote adds the text between two marks such as $$ or $body$.
func (x *lexer) dollarQuote() bool {
	end := dollarMark(x.src, x.at)
	if end < 0 {
		return false
	}
	if x.dollars == nil {
		x.dollars = lastDollars(x.src)
	}
	mark := x.src[x.at:end]
	if x.dollars[string(mark)] < end {
		return false
	}
	n := bytes.Index(x.src[end:], mark)
	x.line()
	x.code(end+n+len(mark), true) // mostly the body of a function
	return true
}

// dollarMark returns the end of a mark such as $$ or $body$ that begins at an offset, -1 for none.
func dollarMark(src []byte, at int) int {
	end := at + 1
	for end < len(src) && markupByte(src[end]) && src[end] != '-' {
		end++
	}
	if end >= len(src) || src[end] != '$' {
		return -1
	}
	return end + 1
}

// lastDollars returns where each mark of a dollarQuote is last.
func lastDollars(src []byte) map[string]int {
	last := map[string]int{}
	for at := 0; ; at++ {
		n := bytes.IndexByte(src[at:], '$')
		if n < 0 {
			return last
		}
		at += n
		if end := dollarMark(src, at); end >= 0 {
			last[string(src[at:end])] = at
		}
	}
}

// text adds the words and marks up to an offset as a node of their own, in lines: brackets
// don't count in it, and none of its lines begins a declaration.
func (x *lexer) text(end int) { x.code(end, false) }

// code is text that may have comments.
func (x *lexer) code(end int, comments bool) {
	x.push(lexText, x.at)
	for x.at < end {
		c := x.src[x.at]
		switch {
		case c == '\n':
			x.at++
			x.endLine()
		case isSpace(c):
			x.at++
		case comments && x.comment():
			x.at = min(x.at, end)
		case markupByte(c):
			to := x.at + 1
			for to < end && markupByte(x.src[to]) {
				to++
			}
			x.token(to, ClassName)
		default:
			x.token(x.at+1, ClassMark)
		}
	}
	x.endLine()
	x.pop(x.lastEnd())
}

// heredocBegins adds the beginning of a heredoc, if one is here.
func (x *lexer) heredocBegins() bool {
	rest, ok := bytes.CutPrefix(x.src[x.at:], []byte("<<"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, "-~")
	n, word := 0, ""
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'') { // a word in quotes
		if n = 1 + bytes.IndexAny(rest[1:], string(rest[0])+"\n"); n > 1 && rest[n] == rest[0] {
			word = string(rest[1:n])
			n++
		}
	} else {
		for n < len(rest) && markupByte(rest[n]) {
			n++
		}
		word = string(rest[:n])
	}
	if word == "" || '0' <= word[0] && word[0] <= '9' {
		return false
	}
	x.docs = append(x.docs, word)
	x.token(len(x.src)-len(rest)+n, ClassMark)
	return true
}

// heredoc adds the text of the heredocs that began on the line before.
func (x *lexer) heredoc() {
	for _, word := range x.docs {
		end := x.at
		for end < len(x.src) {
			line := bytes.TrimSpace(x.src[end:nextLine(x.src, end)])
			end = nextLine(x.src, end)
			if string(line) == word {
				break
			}
		}
		x.line()
		x.text(end)
		x.endLine()
	}
	x.docs = nil
}

// tokenAt returns the index of the first token that begins at an offset or behind it.
func (o *lexed) tokenAt(offset int) int {
	i, _ := slices.BinarySearchFunc(o.tree.Tokens, offset, func(t Token, at int) int { return int(t.Start) - at })
	return i
}
