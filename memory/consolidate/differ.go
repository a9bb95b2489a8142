package consolidate

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Differ says why two texts must not count as the same, however similar their vectors are, or "".
// Embeddings hardly notice a "not", a number or another name.
func Differ(a, b string) string { return read(a).differ(read(b)) }

// text is what decides whether two texts may say the same.
type text struct {
	words   []string // in order, lower case, stemmed
	has     map[string]bool
	numbers []string // sorted, with their units
	names   []string // in order of first use, as written
	lower   string
	negated bool
	excepts bool // limited by unless, except or only
}

// Words that negate a sentence, and words that limit it.
const (
	negators = " not no never none nothing nobody neither nor cannot without avoid avoids avoiding forbid forbids forbidden refuse refuses unable isnt dont doesnt didnt cant wont arent wasnt shouldnt mustnt couldnt wouldnt hasnt havent "
	limiters = " unless except only solely exclusively "
)

// opposites are pairs of stems that exclude each other. Most pairs with a prefix (valid, invalid)
// need no entry.
var opposites = sync.OnceValue(func() [][2]string {
	out := [][2]string{
		{"before", "after"}, {"first", "last"}, {"min", "max"}, {"minimum", "maximum"}, {"more", "less"}, {"most", "least"}, {"above", "below"},
		{"allow", "deny"}, {"allow", "block"}, {"true", "false"}, {"on", "off"}, {"open", "close"}, {"add", "remove"}, {"add", "delete"},
		{"create", "delete"}, {"start", "stop"}, {"begin", "end"}, {"up", "down"}, {"left", "right"}, {"push", "pull"}, {"read", "write"},
		{"client", "server"}, {"local", "remote"}, {"public", "private"}, {"old", "new"}, {"oldest", "newest"}, {"input", "output"},
		{"required", "optional"}, {"mandatory", "optional"}, {"accept", "reject"}, {"success", "failure"}, {"succeed", "fail"}, {"pass", "fail"},
		{"increase", "decrease"}, {"upper", "lower"}, {"earlier", "later"}, {"inside", "outside"}, {"internal", "external"},
		{"encode", "decode"}, {"encrypt", "decrypt"}, {"always", "sometime"}, {"ascend", "descend"}, {"fast", "slow"}, {"parent", "child"},
		{"source", "target"}, {"source", "destination"}, {"request", "response"}, {"get", "set"}, {"load", "store"}, {"debug", "release"},
		{"development", "production"}, {"staging", "production"}, {"dev", "prod"}, {"horizontal", "vertical"}, {"import", "export"},
		{"upload", "download"}, {"man", "woman"}, {"boy", "girl"}, {"sender", "receiver"}, {"reader", "writer"}, {"producer", "consumer"},
		{"empty", "full"}, {"present", "absent"}, {"same", "different"}, {"static", "dynamic"}, {"global", "local"}, {"serial", "parallel"},
		{"append", "prepend"}, {"prefix", "suffix"}, {"incoming", "outgoing"}, {"major", "minor"}, {"high", "low"}, {"long", "short"},
		{"big", "small"}, {"hot", "cold"}, {"early", "late"}, {"manual", "automatic"}, {"manually", "automatically"}, {"win", "lose"},
		{"black", "white"}, {"inner", "outer"}, {"strict", "lenient"}, {"hard", "soft"}, {"even", "odd"}, {"keep", "drop"}, {"keep", "remove"},
	}
	for i, p := range out {
		out[i] = [2]string{stem(p[0]), stem(p[1])}
	}
	return out
})

// prefixes turn a word into its opposite.
func prefixes() []string { return []string{"un", "in", "im", "ir", "non", "dis", "a", "de", "mis"} }

// units maps spellings of a unit to one.
var units = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ms": "ms", "millisecond": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
		"m": "min", "min": "min", "mins": "min", "minute": "min", "minutes": "min", "h": "h", "hour": "h", "hours": "h", "hr": "h",
		"d": "d", "day": "d", "days": "d", "week": "w", "weeks": "w", "month": "mo", "months": "mo", "year": "y", "years": "y",
		"b": "b", "byte": "b", "bytes": "b", "kb": "kb", "kib": "kb", "mb": "mb", "mib": "mb", "gb": "gb", "gib": "gb", "tb": "tb", "%": "%", "percent": "%",
	}
})

// numerals maps numbers written as words to digits.
var numerals = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
		"eleven": "11", "twelve": "12", "twice": "2", "thrice": "3", "dozen": "12", "hundred": "100", "thousand": "1000", "million": "1000000",
	}
})

// read parses a text.
func read(s string) *text {
	t := &text{has: map[string]bool{}, lower: strings.ToLower(s)}
	plainText := strings.NewReplacer("’", "'", "n't", "nt").Replace(t.lower)
	all := strings.FieldsFunc(plainText, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' && r != '.' })
	for i, w := range all {
		w = strings.Trim(w, ".")
		if w == "" {
			continue
		}
		t.negated = t.negated || strings.Contains(negators, " "+w+" ")
		t.excepts = t.excepts || strings.Contains(limiters, " "+w+" ")
		if n, ok := numerals()[w]; ok {
			t.numbers = append(t.numbers, n)
		} else if n, unit := number(w); n != "" {
			if unit == "" && i+1 < len(all) {
				unit = units()[strings.Trim(all[i+1], ".")]
			}
			t.numbers = append(t.numbers, n+unit)
		}
		w = stem(w)
		t.words, t.has[w] = append(t.words, w), true
	}
	slices.Sort(t.numbers)
	t.numbers = slices.Compact(t.numbers)
	t.names = names(s)
	return t
}

// number splits "30s" and "1.5mb". It returns "" for a word without a leading digit.
func number(w string) (n, unit string) {
	i := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	switch {
	case i == 0:
		return "", ""
	case i < 0:
		return w, ""
	}
	if u, ok := units()[w[i:]]; ok {
		return w[:i], u
	}
	return w, "" // "3rd", "8bit": the whole is the number
}

// stem removes common endings. It need not be correct, only the same for the forms of a word.
func stem(w string) string {
	for _, end := range []string{"ings", "ing", "edly", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) > 3 && !strings.HasSuffix(rest, "s") {
			w = rest
			break
		}
	}
	return strings.TrimSuffix(w, "e")
}

// named finds code names: in backquotes, with an underscore, dot, slash or colons inside, flags,
// calls, camel case, capitals.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`[^`\n]+`" + `|--?[a-z][\w-]+|[\w.]*\w(?:::|/|\.)\w[\w./:]*|\w+\(\)|\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\b[A-Z]{2,}[A-Z0-9]*\b|\b[A-Z][a-z][\w]*`)
})

// names lists the distinct names in a text in order of first use. A word that is capitalized only
// at the start of a sentence is no name.
func names(s string) []string {
	var out []string
	for _, at := range named().FindAllStringIndex(s, -1) {
		raw := s[at[0]:at[1]]
		if capital(raw) && begins(s, at[0]) || !strings.ContainsFunc(raw, unicode.IsLetter) {
			continue
		}
		n := strings.Trim(strings.ToLower(strings.Trim(raw, "`")), "./:-()")
		if n != "" && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// capital reports whether a word is plain and capitalized.
func capital(w string) bool {
	return unicode.IsUpper(rune(w[0])) && !strings.ContainsFunc(w[1:], func(r rune) bool { return !unicode.IsLower(r) })
}

// begins reports whether a sentence begins at an offset.
func begins(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\n\"'(*#-")
	return before == "" || strings.ContainsRune(".!?:;", rune(before[len(before)-1]))
}

// The reasons of Differ.
const (
	otherNumbers = "other numbers"
	otherNames   = "other names"
	otherOrder   = "the same words in another order"
	oneNegates   = "only one of them negates"
	oneLimits    = "only one of them is limited by an exception"
	sayOpposite  = "opposite words"
)

func (t *text) differ(o *text) string {
	switch {
	case !slices.Equal(t.numbers, o.numbers):
		return otherNumbers
	case t.negated != o.negated:
		return oneNegates
	case t.excepts != o.excepts:
		return oneLimits
	case t.lacks(o) && o.lacks(t), t.reordered(o):
		return otherNames
	case t.opposes(o):
		return sayOpposite
	case len(t.words) == len(o.words) && !slices.Equal(t.words, o.words) && sameSet(t.words, o.words):
		return otherOrder
	}
	return ""
}

// lacks reports whether o has a name that t does not mention.
func (t *text) lacks(o *text) bool {
	return slices.ContainsFunc(o.names, func(n string) bool {
		if strings.Contains(t.lower, n) || t.has[stem(n)] {
			return false
		}
		// A path may be relative to another folder.
		return !slices.ContainsFunc(t.names, func(x string) bool { return strings.HasSuffix(n, "/"+x) || strings.HasSuffix(n, "."+x) })
	})
}

// reordered reports whether both have the same names in another order. Subject and object may be
// swapped.
func (t *text) reordered(o *text) bool {
	return len(t.names) > 1 && !slices.Equal(t.names, o.names) && sameSet(t.names, o.names)
}

// opposes reports whether one text has a word where the other has its opposite.
func (t *text) opposes(o *text) bool {
	only := func(a, b *text, w string) bool { return a.has[w] && !b.has[w] }
	for _, p := range opposites() {
		x, y := p[0], p[1]
		if only(t, o, x) && only(o, t, y) || only(t, o, y) && only(o, t, x) {
			return true
		}
	}
	return t.turned(o) || o.turned(t)
}

// turned reports whether o has a word of t with a negating prefix.
func (t *text) turned(o *text) bool {
	for w := range t.has {
		if len(w) < 4 || o.has[w] {
			continue
		}
		for _, p := range prefixes() {
			if o.has[p+w] && !t.has[p+w] {
				return true
			}
		}
	}
	return false
}

func sameSet(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(x, y)
}
