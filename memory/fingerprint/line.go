// Package fingerprint decides whether two error messages are the same. It normalizes
// paths, numbers, addresses, hashes and times, and keeps names. It also decides
// whether a message matches one that a memory of an error quotes. It is pure. It must
// not know agents, editors or where messages come from.
package fingerprint

import "strings"

// maxLine bounds a fingerprint, in bytes.
const maxLine = 160

// Line returns the fingerprint of a line: it folds what differs between two occurrences of one
// error.
func Line(line string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(strings.ToLower(line)) {
		if b.Len() > maxLine {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		head := len(word) - len(strings.TrimLeft(word, `"'`+"`(["))
		tail := len(strings.TrimRight(word, `"'`+"`)],;.:"))
		if head >= tail {
			b.WriteString(word)
			continue
		}
		b.WriteString(word[:head])
		b.WriteString(fold(word[head:tail]))
		b.WriteString(word[tail:])
	}
	out := b.String()
	if len(out) > maxLine {
		out = strings.ToValidUTF8(out[:maxLine], "")
	}
	return out
}

// fold replaces one word by its kind, or the digits in it by #.
func fold(w string) string {
	switch {
	case strings.HasPrefix(w, "0x") && len(w) > 2:
		return "<addr>"
	case strings.Contains(w, "://"):
		return "<url>"
	case isHash(w):
		return "<id>"
	case strings.ContainsAny(w, `/\`) && len(w) > 1:
		return foldPath(w)
	}
	return digitsFolded(w)
}

// foldPath keeps the name of a file and drops its folders.
func foldPath(w string) string {
	i := strings.LastIndexAny(strings.TrimRight(w, `/\`), `/\`)
	name := w[i+1:]
	if strings.Count(w, "/") == 1 && i > 0 && !strings.Contains(name, ".") {
		return digitsFolded(w) // and/or, a branch, a module
	}
	if !strings.Contains(name, ".") {
		return "<path>"
	}
	return "<path>/" + digitsFolded(name)
}

func digitsFolded(w string) string {
	var b strings.Builder
	last := false
	for _, r := range w {
		digit := r >= '0' && r <= '9'
		if digit && last {
			continue
		}
		if digit {
			b.WriteByte('#')
		} else {
			b.WriteRune(r)
		}
		last = digit
	}
	return b.String()
}

// isHash reports whether a word is an id: a commit, a uuid, a long random name.
func isHash(w string) bool {
	if len(w) < 7 {
		return false
	}
	digits := 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'f' || c == '-':
		default:
			return false
		}
	}
	return digits > 0 && digits < len(w) || digits >= 12
}
