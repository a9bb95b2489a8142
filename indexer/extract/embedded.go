package extract

import (
	"bytes"
	"context"
)

// keepOnly replaces all text outside of some spans by spaces. Each byte and each line
// keeps its place.
func keepOnly(src []byte, kept []Span) []byte {
	clean := bytes.Repeat([]byte{' '}, len(src)) // which is quicker than byte by byte: a notebook has megabytes of pictures
	for _, end := range []byte{'\n', '\r'} {
		for at := 0; ; at++ {
			n := bytes.IndexByte(src[at:], end)
			if n < 0 {
				break
			}
			at += n
			clean[at] = end
		}
	}
	for _, s := range kept {
		copy(clean[s.Start:s.End], src[s.Start:s.End])
	}
	return clean
}

// text returns the code of a source, in which expressions are read.
func (l *language) text(src []byte) []byte {
	if l.code == nil {
		return src
	}
	return l.code(src)
}

// recoverCode is recover, which cuts a source into pieces. A piece of code without the
// markup around it is in the embedded language.
func (l *language) recoverCode(ctx context.Context, src []byte, whole *facts) (*facts, error) {
	switch {
	case l.outlined != nil:
		return whole, nil
	case l.code == nil:
		return l.recover(ctx, src, whole)
	}
	embedded, err := languageFor(l.embeds)
	if err != nil {
		return nil, err
	}
	return embedded.recover(ctx, l.blankOut(src), whole)
}

// scriptsOnly keeps the content of the script elements of markup.
func scriptsOnly(src []byte) []byte { return keepOnly(src, scripts(src)) }

// scriptsAndFrontMatterOnly is scriptsOnly with the front matter.
func scriptsAndFrontMatterOnly(src []byte) []byte { return keepOnly(src, scriptsAndFrontMatter(src)) }

// scripts finds the content of the script elements of markup.
func scripts(src []byte) []Span { return scriptsFrom(nil, src, 0) }

// scriptsAndFrontMatter is scripts with the code between the first two lines of
// dashes, as in Astro.
func scriptsAndFrontMatter(src []byte) []Span {
	start := len(src) - len(bytes.TrimLeft(src, " \t\r\n"))
	if !dashes(src, start) {
		return scripts(src)
	}
	start = nextLine(src, start)
	for at := start; at < len(src); at = nextLine(src, at) {
		if dashes(src, at) {
			return scriptsFrom([]Span{{Start: start, End: at}}, src, nextLine(src, at))
		}
	}
	return []Span{{Start: start, End: len(src)}} // not closed yet, as while somebody types
}

// dashes reports whether a line holds three dashes and nothing else.
func dashes(src []byte, start int) bool {
	return string(bytes.TrimRight(src[start:nextLine(src, start)], " \t\r\n")) == "---"
}

// nextLine returns where the line behind that of an offset begins.
func nextLine(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(src)
}

// scriptsFrom appends the content of the script elements behind an offset. An element
// that is not closed reaches to the end.
func scriptsFrom(found []Span, src []byte, at int) []Span {
	for {
		n := bytes.IndexByte(src[at:], '<')
		if n < 0 {
			return found
		}
		at += n
		switch {
		case bytes.HasPrefix(src[at:], []byte("<!--")):
			at = behind(src, at, "-->")
		case opens(src[at:], "style"):
			start, empty := startTagEnd(src, at)
			if at = start; !empty {
				at = behind(src, at, "</style")
			}
		case opens(src[at:], "script"):
			start, code := startTag(src, at)
			if !code {
				at = start
				continue
			}
			end := len(src)
			if n := bytes.Index(src[start:], []byte("</script")); n >= 0 {
				end = start + n
			}
			found = append(found, Span{Start: start, End: end})
			at = end
		default:
			at++
		}
	}
}

// opens reports whether a start tag of an element begins the text.
func opens(text []byte, element string) bool {
	rest, ok := bytes.CutPrefix(text[1:], []byte(element))
	return ok && len(rest) > 0 && (isSpace(rest[0]) || rest[0] == '>')
}

// startTag returns the end of a script's start tag, and whether JavaScript or
// TypeScript follows it.
func startTag(src []byte, at int) (end int, code bool) {
	end, empty := startTagEnd(src, at)
	if empty {
		return end, false
	}
	tag := src[at:end]
	return end, !isData(tag)
}

// isData reports whether the type of a script, or the language of a style, says that its content is no code.
func isData(tag []byte) bool {
	for _, name := range []string{" type=", "\ttype=", "\ntype="} {
		at := bytes.Index(tag, []byte(name))
		if at < 0 {
			continue
		}
		value := bytes.TrimLeft(tag[at+len(name):], "\"'")
		if n := bytes.IndexAny(value, "\"' \t\r\n>"); n >= 0 {
			value = value[:n]
		}
		return bytes.Contains(value, []byte("json")) || bytes.HasPrefix(value, []byte("text/x-")) || bytes.HasPrefix(value, []byte("text/template"))
	}
	return false
}

// startTagEnd returns the end of a start tag, and whether the element has no content: as
// in <style src="card.css" />, or where the tag is not closed. The value of an attribute
// may hold a ">".
func startTagEnd(src []byte, at int) (end int, empty bool) {
	quote := byte(0)
	for end = at; end < len(src); end++ {
		switch c := src[end]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return end + 1, src[end-1] == '/'
		}
	}
	return end, true
}

// behind returns the offset behind the next occurrence of a text, the end if there is
// none.
func behind(src []byte, at int, text string) int {
	if n := bytes.Index(src[at:], []byte(text)); n >= 0 {
		return at + n + len(text)
	}
	return len(src)
}

// lineEnd returns the end of an offset's line, before its line end.
func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		at += n
	} else {
		at = len(src)
	}
	for at > 0 && src[at-1] == '\r' {
		at--
	}
	return at
}
