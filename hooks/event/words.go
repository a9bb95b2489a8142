package event

import "strings"

// word is one word of a shell command.
type word struct {
	text string
	// dynamic is set if the shell would expand the word, so that the program gets another
	// text.
	dynamic bool
	// op is the operator or redirection as written: "|", "&&", ">", "<<".
	op bool
}

// maxWords bounds the words of one command line.
const maxWords = 4096

// lexer splits a command line into words like a POSIX shell, without expansions. It skips
// what it can't parse.
type lexer struct {
	in     string
	pos    int
	out    []word
	ends   []string // the ends of here-documents that begin on this line
	wantED bool     // the next word is the end of a here-document
}

// words splits a command line.
func words(command string) []word {
	l := lexer{in: command}
	for l.pos < len(l.in) && len(l.out) < maxWords {
		l.next()
	}
	return l.out
}

func (l *lexer) next() {
	switch c := l.in[l.pos]; {
	case c == ' ' || c == '\t' || c == '\r':
		l.pos++
	case c == '\\' && strings.HasPrefix(l.in[l.pos:], "\\\n"):
		l.pos += 2
	case c == '\n':
		l.pos++
		l.out = append(l.out, word{text: ";", op: true})
		l.skipDocuments()
	case c == '#':
		if i := strings.IndexByte(l.in[l.pos:], '\n'); i >= 0 {
			l.pos += i
		} else {
			l.pos = len(l.in)
		}
	case strings.IndexByte(";&|()<>", c) >= 0:
		l.operator()
	default:
		l.word()
	}
}

func (l *lexer) operator() {
	rest := l.in[l.pos:]
	for _, op := range []string{"<<<", "<<-", "&>>", "&&", "||", ">>", "<<", ">&", "<&", ">|", "&>", "|&"} {
		if strings.HasPrefix(rest, op) {
			l.pos += len(op)
			l.out = append(l.out, word{text: op, op: true})
			l.wantED = op == "<<" || op == "<<-"
			return
		}
	}
	l.pos++
	l.out = append(l.out, word{text: rest[:1], op: true})
}

// skipDocuments skips the bodies of the here-documents of the previous line.
func (l *lexer) skipDocuments() {
	for _, end := range l.ends {
		for l.pos < len(l.in) {
			line, rest, found := strings.Cut(l.in[l.pos:], "\n")
			l.pos = len(l.in) - len(rest)
			if !found {
				l.pos = len(l.in)
			}
			if strings.TrimLeft(strings.TrimRight(line, "\r"), "\t") == end {
				break
			}
		}
	}
	l.ends = nil
}

func (l *lexer) word() {
	var b strings.Builder
	w := word{}
	start := l.pos
	for l.pos < len(l.in) {
		c := l.in[l.pos]
		if strings.IndexByte(" \t\r\n;&|()<>", c) >= 0 {
			break
		}
		l.pos++
		switch c {
		case '\'':
			l.single(&b)
		case '"':
			w.dynamic = l.double(&b) || w.dynamic
		case '\\':
			l.escaped(&b)
		case '$', '`', '*', '?', '[', '{':
			w.dynamic = true
			b.WriteByte(c)
			if c == '$' {
				l.substitution()
			}
		default:
			b.WriteByte(c)
		}
	}
	w.text = b.String()
	if l.wantED {
		l.wantED = false
		l.ends = append(l.ends, w.text)
	}
	// A number right before a redirection is its descriptor, not an argument.
	if l.pos < len(l.in) && (l.in[l.pos] == '<' || l.in[l.pos] == '>') && strings.Trim(l.in[start:l.pos], "0123456789") == "" {
		return
	}
	l.out = append(l.out, w)
}

// escaped reads the character after a backslash. The backslash stays before a letter,
// because in an unquoted Windows path it is a separator.
func (l *lexer) escaped(b *strings.Builder) {
	if l.pos >= len(l.in) {
		return
	}
	c := l.in[l.pos]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' {
		b.WriteByte('\\')
	}
	l.pos++
	if c != '\n' {
		b.WriteByte(c)
	}
}

func (l *lexer) single(b *strings.Builder) {
	text, rest, found := strings.Cut(l.in[l.pos:], "'")
	b.WriteString(text)
	if l.pos = len(l.in) - len(rest); !found {
		l.pos = len(l.in)
	}
}

func (l *lexer) double(b *strings.Builder) (dynamic bool) {
	for l.pos < len(l.in) {
		c := l.in[l.pos]
		l.pos++
		switch c {
		case '"':
			return dynamic
		case '\\':
			if l.pos < len(l.in) && strings.IndexByte("\"\\$`\n", l.in[l.pos]) >= 0 {
				c = l.in[l.pos]
				l.pos++
			}
			b.WriteByte(c)
		case '$', '`':
			dynamic = true
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return dynamic
}

// substitution skips a $(…), whose words are not arguments.
func (l *lexer) substitution() {
	if l.pos >= len(l.in) || l.in[l.pos] != '(' {
		return
	}
	depth := 0
	for ; l.pos < len(l.in); l.pos++ {
		switch l.in[l.pos] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.pos++
				return
			}
		}
	}
}
