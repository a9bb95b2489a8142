// Package secret finds secrets in texts of any kind: sources, settings, logs, command
// lines and sentences. It is fast enough for a hook, some 100 µs for a kilobyte, and
// has no rules to load. Package memory/secret/full, which adds gitleaks' rules, scans
// what is stored or sent. The package must not know where texts come from or what
// happens to them.
//
// It finds a secret in one of four ways: by the form of a service's tokens (shape.go),
// as an argument of a program (command.go, commandform.go), as a value assigned to a name that speaks
// of a secret (assign.go, name.go, value.go, score.go), and in a sentence (prose.go).
//
// Invariants: the time is linear in the text; masked text contains nothing that the
// scan finds, so masking twice changes nothing; no comment in a text switches anything
// off.
package secret

import "strings"

// Found is a secret in a text: s[Start:End] is what must not be told.
type Found struct {
	Start, End int
	Kind       string
}

// Find returns the secrets of a text in their order.
func Find(s string) []Found { return find(s, false) }

// First returns the first secret of a text, and reports whether there is one. It looks no further.
func First(s string) (first Found, ok bool) {
	if list := findUpTo(s, false, 1); len(list) > 0 {
		return list[0], true
	}
	return Found{}, false
}

func find(s string, strict bool) []Found {
	out := findUpTo(s, strict, len(s))
	if strict {
		out = merged(out, inForms(s))
	}
	return out
}

// findUpTo is find for at most so many secrets.
func findUpTo(s string, strict bool, most int) []Found {
	return findIn(s, strict, most, !strict && muchText(s))
}

// findIn is findUpTo; byLines passes over lines that hold nothing, if the text is not surely a command line.
func findIn(s string, strict bool, most int, byLines bool) []Found {
	var out []Found
	done := 0
	line := commandLine{strict: strict}
	var toRead []span // lines, of much text
	readTo := len(s)  // up to here everything is read
	if byLines {
		toRead, readTo = linesToRead(s), 0
	}
	for i := 0; i < len(s) && len(out) < most; {
		if i >= readTo && line.program == "" { // nothing begins in this line from here
			for len(toRead) > 0 && toRead[0].end <= i {
				toRead = toRead[1:]
			}
			if len(toRead) == 0 {
				break
			}
			if toRead[0].start > i {
				i, line.quote, line.last = toRead[0].start, 0, ""
			}
			readTo = toRead[0].end
		}
		if i = line.skipPlain(s, i); i == len(s) {
			break
		}
		line.step(s, i)
		start, end, kind := line.secretAt(s, i)
		if kind == "" || start < done || end <= start {
			inWord := wordByte(s[i])
			i++
			for inWord && i < len(s) && wordByte(s[i]) { // nothing begins within a word
				i++
			}
			continue
		}
		out = append(out, Found{start, end, kind})
		done, i = end, end
	}
	return out
}

// Mask replaces each secret of a text by its kind in brackets. Of a command line
// within the text it takes what the options of well-known programs give away;
// [MaskCommand] takes more.
func Mask(s string) string { return masked(s, false) }

// MaskCommand is Mask for what is surely a command line, or a URL: there a name
// that says secret is given one, however plain it is.
func MaskCommand(s string) string { return masked(s, true) }

// maxRounds bounds how often a text is looked through again: taking a secret
// out can make another one plain.
const maxRounds = 8

func masked(s string, strict bool) string {
	for range maxRounds {
		list := find(s, strict)
		if len(list) == 0 {
			return s
		}
		var b strings.Builder
		done := 0
		for _, f := range list {
			b.WriteString(s[done:f.Start])
			b.WriteString("[" + f.Kind + "]")
			done = f.End
		}
		b.WriteString(s[done:])
		s = b.String()
	}
	return s
}

// assigned finds the value that a name with a word for a secret is given by
// the sign at i.
func assigned(s string, i int) (start, end int, kind string) {
	c, ok := candidateAt(s, i)
	if !ok || c.score() < threshold {
		return 0, 0, ""
	}
	return c.start, c.end, c.kind()
}
