// Package render formats values for a reader: ages, counts, one-line excerpts, and text
// with Markdown escaped. It must not know the protocol.
package render

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"manicule/indexer/clip"
	"manicule/memory/gate"
)

// Age returns how long ago t was, in the largest unit that gives at least one.
func Age(now, t time.Time) string {
	d := now.Sub(t)
	day := 24 * time.Hour
	switch {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return ago(int(d/time.Minute), "minute")
	case d < day:
		return ago(int(d/time.Hour), "hour")
	case d < 30*day:
		return ago(int(d/day), "day")
	case d < 365*day:
		return ago(int(d/(30*day)), "month")
	default:
		return ago(int(d/(365*day)), "year")
	}
}

func ago(n int, unit string) string { return Plural(n, unit) + " ago" }

// Plural returns "1 day" or "3 days".
func Plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	if stem, ok := strings.CutSuffix(unit, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Memories returns "1 memory" or "3 memories".
func Memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

// OneLine folds white space and cuts s after n characters, with an ellipsis.
func OneLine(s string, n int) string {
	return clip.MarkedChars(strings.Join(strings.Fields(Printable(s)), " "), n)
}

// Printable removes characters that can hide or fake text.
func Printable(s string) string { return gate.Printable(s) }

// Markdown returns s as Markdown that renders as s, but for code spans and blocks of code: nothing in a memory can
// become a link, an image, HTML or structure. It escapes as little as it can, for clients that
// show Markdown unrendered.
func Markdown(s string) string {
	lines := strings.Split(strings.TrimSpace(Printable(s)), "\n")
	out := make([]string, 0, len(lines))
	block := false // within a fenced block of code
	for _, line := range lines {
		switch text := strings.TrimSpace(line); {
		case isFence(text, block):
			block = !block
		case block && text != "" && !strings.Contains(text, "`"):
			out = append(out, "`"+strings.TrimRightFunc(line, unicode.IsSpace)+"`")
		default:
			out = append(out, escapeLine(text))
		}
	}
	return strings.Join(out, "  \n")
}

// isFence reports whether a line begins a block of code, or ends one. Each line of the block becomes a code span, so that the
// block has no end that could be missing or be faked.
func isFence(line string, block bool) bool {
	language := strings.TrimLeft(line, "`")
	if len(line)-len(language) < 3 {
		return false
	}
	return language == "" || !block && strings.IndexFunc(language, func(r rune) bool { return !isWord(r) && !strings.ContainsRune("+#.-_", r) }) < 0
}

// escapeInline escapes a line. Its code spans stay, since nothing in them means anything.
func escapeInline(s string) string {
	var b strings.Builder
	for {
		before, code, after, ok := codeSpan(s)
		b.WriteString(escapeText(before))
		if !ok {
			return b.String()
		}
		b.WriteString("`" + code + "`")
		s = after
	}
}

// codeSpan finds the first `code` in a line: between two single backticks, with none in it.
func codeSpan(s string) (before, code, after string, ok bool) {
	for at := 0; ; {
		open := strings.IndexByte(s[at:], '`')
		if open < 0 {
			return s, "", "", false
		}
		open += at
		run := len(s[open:]) - len(strings.TrimLeft(s[open:], "`"))
		end := strings.IndexByte(s[open+run:], '`')
		if end < 0 {
			return s, "", "", false
		}
		end += open + run
		code, after = s[open+1:end], s[end+1:]
		if run == 1 && strings.TrimSpace(code) != "" && !strings.HasPrefix(after, "`") {
			return s[:open], code, after, true
		}
		at = open + run
	}
}

func escapeText(s string) string {
	s = strings.ReplaceAll(s, "://", "\x00")
	var b strings.Builder
	prev := ' '
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch {
		case r == 0:
			b.WriteString(`\://`) // prevents an autolink
		case r == '&':
			b.WriteString("&amp;")
		case r == '_' && isWord(prev) && isWord(next):
			b.WriteRune(r) // snake_case is not emphasis
		case strings.ContainsRune("\\`*_[]<>~", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		prev = r
	}
	return strings.ReplaceAll(b.String(), "www.", `www\.`)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// escapeLine escapes a line. An item of a list has a bullet that means nothing: many clients show the backslash
// that an escape is made of.
func escapeLine(s string) string {
	if len(s) > 1 && strings.ContainsRune("-+*", rune(s[0])) && s[1] == ' ' && strings.Trim(s, "-* ") != "" {
		return "• " + escapeInline(strings.TrimLeft(s[1:], " "))
	}
	return escapeStart(escapeInline(s))
}

// escapeStart escapes what would make a heading, list, quote or rule of a line, a heading of the line before, or a table of both.
func escapeStart(s string) string {
	if s == "" {
		return s
	}
	rest := strings.TrimLeft(s, "#")
	if len(rest) < len(s) && (rest == "" || rest[0] == ' ') || strings.Trim(s, "-+=|: ") == "" {
		return `\` + s
	}
	digits := strings.TrimLeft(s, "0123456789")
	if n := len(s) - len(digits); n > 0 && digits != "" && (digits[0] == '.' || digits[0] == ')') {
		return s[:n] + `\` + digits
	}
	return s
}
