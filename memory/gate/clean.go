package gate

import (
	"strings"
	"unicode"

	"manicule/memory/file"
)

// Invisible reports whether a character is invisible, so that a text can hide something or look
// like another: controls, directional marks, zero widths, tags, variation selectors, fillers,
// private use.
func Invisible(r rune) bool {
	switch {
	case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff, r >= 0x180b && r <= 0x180f:
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x034f, r == 0x17b4, r == 0x17b5:
		return true
	}
	return false
}

// joins reports whether a character joins or modifies the emoji before it.
func joins(r, before rune) bool {
	return (r == 0x200d || r == 0xfe0f) && (unicode.In(before, unicode.So, unicode.Sk) || before == 0xfe0f || before == '#' || before == '*' || before >= '0' && before <= '9')
}

// Printable removes invisible characters from a text, as every surface shows it. It normalizes line
// ends, Unicode's too, to LF and replaces broken UTF-8 by U+FFFD.
func Printable(s string) string {
	clean, _ := strip(s)
	return clean
}

// Clean is Printable with surrounding space trimmed.
func Clean(s string) string { return strings.TrimSpace(Printable(s)) }

// Inert changes a line of text for a file that agents load, so that it is only read. Claude Code and Gemini CLI load the
// file of an "@path" that begins a word; Claude Code and OpenCode run the command of a "!`command`" in a skill or a
// command, and Claude Code that of a block that begins with "```!"; a closing tag may end what the agent puts around the
// file. Code spans are no shelter: where they end depends on the reader.
func Inert(s string) string {
	if !strings.ContainsAny(s, "@!<") {
		return s
	}
	var b strings.Builder
	space := true // so that it may stand at the beginning of a line
	for i, r := range s {
		switch {
		case r == '@' && space:
			b.WriteByte('\\')
		case r == '!' && strings.HasSuffix(s[:i], "```"):
			b.WriteByte(' ')
		case r == '`' && strings.HasSuffix(s[:i], "!"):
			b.WriteByte(' ')
		case r == '<' && opensFrame(s[i+1:]):
			r = '‹'
		}
		space = unicode.IsSpace(r)
		b.WriteRune(r)
	}
	return b.String()
}

// opensFrame reports whether the text after a "<" would end a frame of an agent's, or begin one of the system's.
func opensFrame(rest string) bool {
	const system = "system"
	return strings.HasPrefix(rest, "/") || len(rest) >= len(system) && strings.EqualFold(rest[:len(system)], system)
}

func strip(s string) (clean string, removed int) {
	if plainASCII(s) {
		return s, 0
	}
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\uFFFD")
	var before rune
	clean = strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == 0x2028, r == 0x2029:
			r = '\n'
		case r == '\n' || r == '\t' || joins(r, before):
		case Invisible(r):
			removed++
			return -1
		}
		before = r
		return r
	}, s)
	return clean, removed
}

// plainASCII reports whether a text is printable ASCII, as most are: nothing in it
// can be invisible, and a hover cleans dozens of texts.
func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Stripped is how many invisible characters the texts of a memory have that no
// surface shows: a person is told that there are some.
func Stripped(m *file.Memory) int {
	n := 0
	texts := []string{m.What, m.Why, m.ContextLabel, m.Contributor, strings.Join(m.Tags, ""), strings.Join(m.Scope, ""), m.Trust.VerifiedBy}
	for _, d := range m.Trust.Views() {
		texts = append(texts, d.By, d.Says)
	}
	for _, t := range texts {
		_, removed := strip(t)
		n += removed
	}
	return n
}
