package restate

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Differ says why two texts must not count as the same, however similar their vectors are, or "".
// Embeddings hardly notice a "not", a number or another name.
func Differ(a, b string) string { return Read(a).Differ(Read(b)) }

// Text is what decides whether two texts may say the same.
type Text struct {
	Words   []string            // in order, lower case, stemmed
	Numbers []string            // distinct, sorted, with their units
	values  map[string][]string // the numbers of each unit as they follow each other; "" for none
	Negated bool
	Excepts bool // limited by unless, except or only
	forbids bool // "must not", "may not", "nobody may"
	spares  bool // "need not", "not required"

	has      map[string]bool
	negates  []string // the stems that follow a negation
	nots     int      // negations
	names    []string // in order of first use, as written
	compares []string // operators of comparison, sorted
	lower    string
	beyond   string // what is longer than [maxRead]
}

// maxRead is how much of a text is read, in bytes: several times what a memory may say. A clone's files may say more, and
// reading takes about 2 µs for each byte.
const maxRead = 8 << 10

// otherRest says that two texts differ in what is not read.
const otherRest = "the rest of long texts"

// Words that negate a sentence, and words that limit it.
const (
	negators = " not no never none nothing nobody neither nor cannot without avoid avoids avoiding forbid forbids forbidden refuse refuses unable isnt dont doesnt didnt cant wont arent wasnt shouldnt mustnt couldnt wouldnt hasnt havent neednt rarely seldom hardly barely lacks lack "
	limiters = " unless except only solely exclusively "
)

// opposites are pairs of stems that exclude each other. Most pairs with a prefix (valid, invalid)
// need no entry.
var oppositesOnce lazy[[][2]string]

func opposites() [][2]string {
	return oppositesOnce.get(func() [][2]string {
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
}

// prefixes turn a word into its opposite.
func prefixes() []string { return []string{"un", "in", "im", "ir", "non", "dis", "a", "de", "mis"} }

// units maps spellings of a unit to one.
var unitsOnce lazy[map[string]string]

func units() map[string]string {
	return unitsOnce.get(func() map[string]string {
		return map[string]string{
			"ms": "ms", "millisecond": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
			"m": "min", "min": "min", "mins": "min", "minute": "min", "minutes": "min", "h": "h", "hour": "h", "hours": "h", "hr": "h",
			"d": "d", "day": "d", "days": "d", "week": "w", "weeks": "w", "month": "mo", "months": "mo", "year": "y", "years": "y",
			"b": "b", "byte": "b", "bytes": "b", "kb": "kb", "kib": "kb", "mb": "mb", "mib": "mb", "gb": "gb", "gib": "gb", "tb": "tb", "%": "%", "percent": "%",
		}
	})
}

// numerals maps numbers written as words to digits.
var numeralsOnce lazy[map[string]string]

func numerals() map[string]string {
	return numeralsOnce.get(func() map[string]string {
		return map[string]string{
			"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
			"eleven": "11", "twelve": "12", "twice": "2", "thrice": "3", "dozen": "12", "hundred": "100", "thousand": "1000", "million": "1000000",
		}
	})
}

// Read parses a text.
func Read(s string) *Text {
	beyond := ""
	if len(s) > maxRead {
		s, beyond = strings.ToValidUTF8(s[:maxRead], ""), s[maxRead:]
	}
	t := &Text{has: map[string]bool{}, values: map[string][]string{}, lower: strings.ToLower(s), beyond: beyond}
	plainText := strings.NewReplacer("’", "'", "n't", "nt").Replace(t.lower)
	all := strings.FieldsFunc(endings(plainText), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' && r != '.' && r != '+' && r != '#'
	})
	after := false // a negation, and no word of content since
	for i, w := range all {
		w = strings.Trim(w, ".")
		if w == "" {
			continue
		}
		negator := strings.Contains(negators, " "+w+" ")
		if negator {
			t.Negated, t.nots = true, t.nots+1
		}
		t.Excepts = t.Excepts || strings.Contains(limiters, " "+w+" ")
		n, unit := numerals()[w], ""
		if n == "" {
			n, unit = number(w)
		}
		if n != "" {
			if unit == "" {
				unit = unitAfter(all, i)
			}
			t.Numbers = append(t.Numbers, n+unit)
			t.values[unit] = append(t.values[unit], n)
			w = n // "three" and "3"
		}
		w = stem(w)
		t.Words, t.has[w] = append(t.Words, w), true
		if after && !negator && !filler(w) {
			t.negates, after = append(t.negates, w), false
		}
		after = after || negator
	}
	if t.Negated {
		t.spares = spare().MatchString(plainText)
		t.forbids = !t.spares && forbid().MatchString(plainText)
	}
	t.compares = compares(s)
	slices.Sort(t.Numbers)
	t.Numbers = slices.Compact(t.Numbers)
	t.names = names(s)
	return t
}

// endings leaves of the signs + and # those that end a word, as in C++ and C#.
func endings(s string) string {
	if !strings.ContainsAny(s, "+#") {
		return s
	}
	out := []byte(s)
	word := func(i int) bool {
		return i >= 0 && i < len(s) && (s[i] >= utf8.RuneSelf || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z')
	}
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && (s[end] == '+' || s[end] == '#') {
			end++
		}
		if end > i && (!word(i-1) || word(end)) {
			copy(out[i:end], strings.Repeat(" ", end-i))
		}
		i = max(end, i+1)
	}
	return string(out)
}

// spare and forbid are how texts say that nobody has to, and that nobody may. Both negate, and neither says the other.
var spareOnce, forbidOnce lazy[*regexp.Regexp]

func spare() *regexp.Regexp {
	return spareOnce.get(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:not|never|nobody|none|(?:do|does|did|is|are|was|were|wo|would|have|has|had)nt)\s+(?:\w+\s+)?(?:needs?|needed|required|necessary|obliged|ha(?:s|ve) to)\b|\bneed(?:s|ed)? (?:not|no)\b|\bneednt\b`)
	})
}

func forbid() *regexp.Regexp {
	return forbidOnce.get(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:must|may|shall|should) (?:not|never)\b|\b(?:must|should|shall)nt\b|\b(?:nobody|nothing|none|never) (?:may|must|should)\b|\b(?:not|never) (?:be )?(?:allowed|permitted)\b|\bforbidden\b`)
	})
}

// unitAfter returns the unit that the word after a number names, or "".
func unitAfter(all []string, i int) string {
	if i+1 < len(all) {
		return units()[strings.Trim(all[i+1], ".")]
	}
	return ""
}

// number splits "30s" and "1.5mb". A word with a digit elsewhere, such as "v2" or "3rd", is a
// number as a whole. It returns "" for a word without a digit.
func number(w string) (n, unit string) {
	if strings.IndexFunc(w, unicode.IsDigit) < 0 {
		return "", ""
	}
	i := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
	if i < 0 {
		return w, ""
	}
	if u, ok := units()[w[i:]]; ok && i > 0 {
		return w[:i], u
	}
	if rest := strings.TrimPrefix(w, "v"); rest != "" && strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' }) < 0 {
		return rest, "" // "v2" is version 2
	}
	return w, ""
}

// operator is a comparison in a text, or the sign of a negative number.
var operatorOnce lazy[*regexp.Regexp]

func operator() *regexp.Regexp {
	return operatorOnce.get(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s\w("'` + "`" + `])(<=|>=|!=|<|>|≤|≥|≠|-)\s?\d|\s(<=|>=|!=|<|>|≤|≥|≠)\s`)
	})
}

// compares lists the comparisons of a text, sorted.
func compares(s string) (out []string) {
	for _, m := range operator().FindAllStringSubmatchIndex(s, -1) {
		at := 2
		if m[2] < 0 {
			at = 4
		}
		op := s[m[at]:m[at+1]]
		if op == "-" && (m[at] > 0 && s[m[at]-1] != ' ' && s[m[at]-1] != '(' && s[m[at]-1] != '`' || s[m[at]+1] == ' ') {
			continue // "2026-05-04", "1 - 2"
		}
		out = append(out, op)
	}
	slices.Sort(out)
	return slices.Compact(out)
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
var namedOnce lazy[*regexp.Regexp]

func named() *regexp.Regexp {
	return namedOnce.get(func() *regexp.Regexp {
		return regexp.MustCompile("`[^`\n]+`" + `|--?[a-z][\w-]+|[\w.]*\w(?:::|/|\.)\w[\w./:]*|\w+\(\)|\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\b[A-Z]{2,}[A-Z0-9]*\b|\b[A-Z][a-z][\w]*`)
	})
}

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
		if n != "" && units()[n] == "" && !slices.Contains(out, n) {
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
	otherNumbers  = "other numbers"
	otherNames    = "other names"
	otherOrder    = "the same words in another order"
	otherList     = "the same parts around an “and” or “or” in another order"
	otherCompare  = "another comparison"
	otherNegation = "they negate something else"
	oneNegates    = "only one of them negates"
	oneLimits     = "only one of them is limited by an exception"
	sayOpposite   = "opposite words"
	oneAdds       = "only one of them has a name or a condition"
	otherWord     = "another word in the same sentence"
)

// Differ says why two texts must not count as the same, or "".
func (t *Text) Differ(o *Text) string {
	switch {
	case t.beyond != o.beyond:
		return otherRest
	case !slices.Equal(t.Numbers, o.Numbers):
		return otherNumbers
	case !maps.EqualFunc(t.values, o.values, slices.Equal):
		if t.listedOtherwise(o) { // "404 or 403"
			return otherList
		}
		return otherOrder // "shard 3 has 12" and "shard 12 has 3"
	case !slices.Equal(t.compares, o.compares):
		return otherCompare
	case t.Negated != o.Negated:
		return oneNegates
	case t.nots != o.nots && t.Jaccard(o) >= alike, len(t.negates) > 0 && len(o.negates) > 0 && !overlaps(t.negates, o.negates):
		return otherNegation
	case t.forbids && o.spares, t.spares && o.forbids:
		return otherNegation
	case t.Excepts != o.Excepts:
		return oneLimits
	case t.lacks(o) && o.lacks(t), t.reordered(o):
		return otherNames
	case t.opposes(o):
		return sayOpposite
	case t.listedOtherwise(o):
		return otherList
	case !t.turnsAround(o) && (len(t.Words) == len(o.Words) && !slices.Equal(t.Words, o.Words) && sameSet(t.Words, o.Words) || t.swapped(o)):
		return otherOrder
	case t.replaces(o):
		return otherWord
	case t.Jaccard(o) >= alike && (t.adds(o) || o.adds(t)):
		return oneAdds
	}
	return ""
}

// alike is the share of common words from which two texts are the same sentence, so that each
// negation counts. A paraphrase may negate twice what the other negates once.
const alike = .5

func overlaps(a, b []string) bool {
	return slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// lacks reports whether o has a name that t does not mention.
func (t *Text) lacks(o *Text) bool {
	return slices.ContainsFunc(o.names, func(n string) bool {
		if strings.Contains(t.lower, n) || t.has[stem(n)] {
			return false
		}
		// A path may be relative to another folder, unless o has the shorter name, too.
		return !slices.ContainsFunc(t.names, func(x string) bool {
			return (strings.HasSuffix(n, "/"+x) || strings.HasSuffix(n, "."+x)) && !slices.Contains(o.names, x)
		})
	})
}

// reordered reports whether both have the same names in another order. Subject and object may be
// swapped.
func (t *Text) reordered(o *Text) bool {
	return len(t.names) > 1 && !slices.Equal(t.names, o.names) && sameSet(t.names, o.names)
}

// opposes reports whether one text has a word where the other has its opposite.
func (t *Text) opposes(o *Text) bool {
	only := func(a, b *Text, w string) bool { return a.has[w] && !b.has[w] }
	for _, p := range opposites() {
		x, y := p[0], p[1]
		if only(t, o, x) && only(o, t, y) || only(t, o, y) && only(o, t, x) {
			return true
		}
	}
	return t.turned(o) || o.turned(t) || t.excludes(o)
}

// turned reports whether o has a word of t with a negating prefix.
func (t *Text) turned(o *Text) bool {
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
