package injection

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"manicule/indexer/must"
)

var update = flag.Bool("update", false, "write the table of clauses from the patterns")

const clausesFile = "clauses.go"

// TestClauses holds the table of clauses to the patterns: a changed pattern needs a
// new table (go test ./memory/gate/injection -run TestClauses -update).
func TestClauses(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("package injection\n\n// clauses returns the clauses of the patterns in forms, in the same order. The package's\n// test generates this table.\nfunc clauses() [][]string { return clausesOfForms }\n\nvar clausesOfForms = [][]string{\n")
	for _, f := range forms() {
		re, err := syntax.Parse(f.pattern, syntax.Perl)
		must.OK(t, err)
		for n := range strings.SplitSeq(f.needles, between) {
			if len(n) < 2 {
				t.Errorf("the needle %q of %s is too short to be found", n, f.pattern)
			}
		}
		b.WriteString("\t{")
		for _, c := range needed(re) {
			fmt.Fprintf(&b, "%q,", strings.Join(c, between))
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n// beginnings returns where matches of the patterns in forms begin, in the same order.\nfunc beginnings() []beginning { return beginningsOfForms }\n\nvar beginningsOfForms = []beginning{\n")
	for _, f := range forms() {
		re, err := syntax.Parse(f.pattern, syntax.Perl)
		must.OK(t, err)
		begin, _ := beginningOf(re)
		fmt.Fprintf(&b, "\t{%q, %d},\n", begin.words, begin.back)
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	must.OK(t, err)
	if *update {
		must.Write(t, clausesFile, want)
	}
	if have, err := os.ReadFile(clausesFile); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not what the patterns say (%v): run with -update", clausesFile, err)
	}
}

// The limits of a clause: shorter strings are in every text, and longer lists cost
// more than they save.
const (
	leastLiteral = 3
	mostLiterals = 80
)

// needed are the clauses of an expression: of each, every match has one of the
// strings.
func needed(re *syntax.Regexp) [][]string {
	if all, ok := exact(re); ok {
		return clause(all)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		return neededInRow(re.Sub)
	case syntax.OpAlternate:
		var union []string
		for _, sub := range re.Sub {
			best := rarest(needed(sub))
			if best == nil {
				return nil
			}
			union = append(union, best...)
		}
		return clause(union)
	}
	return nil
}

// neededInRow joins neighbours whose strings are known to longer ones.
func neededInRow(subs []*syntax.Regexp) [][]string {
	var out [][]string
	row := []string{""}
	flush := func() {
		out = append(out, clause(row)...)
		row = []string{""}
	}
	for _, sub := range subs {
		all, ok := exact(sub)
		if !ok {
			flush()
			out = append(out, needed(sub)...)
			continue
		}
		longer, ok := cross(row, all)
		if !ok {
			flush()
			longer = all
		}
		row = longer
	}
	flush()
	return out
}

// exact are all strings that an expression matches, where they are few.
func exact(re *syntax.Regexp) ([]string, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{string(re.Rune)}, re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if out = append(out, string(r)); len(out) > 6 {
					return nil, false
				}
			}
		}
		return out, true
	case syntax.OpCapture:
		return exact(re.Sub[0])
	case syntax.OpQuest:
		all, ok := exact(re.Sub[0])
		return append([]string{""}, all...), ok && len(all) < mostLiterals
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			all, ok := exact(sub)
			if ok {
				out, ok = cross(out, all)
			}
			if !ok {
				return nil, false
			}
		}
		return out, true
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			all, ok := exact(sub)
			if out = append(out, all...); !ok || len(out) > mostLiterals {
				return nil, false
			}
		}
		return out, true
	}
	return nil, false
}

func cross(a, b []string) ([]string, bool) {
	if len(a)*len(b) > mostLiterals {
		return nil, false
	}
	var out []string
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out, true
}

// clause is a list of strings as a clause: without those that hold another, and
// nothing where one is too short or there are too many.
func clause(list []string) [][]string {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	list = slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		return slices.ContainsFunc(list, func(o string) bool { return o != s && strings.Contains(s, o) })
	})
	if len(list) == 0 || len(list) > mostLiterals || slices.ContainsFunc(list, func(s string) bool { return len(s) < leastLiteral || strings.Contains(s, between) }) {
		return nil
	}
	return [][]string{list}
}

// rarest is the clause that the fewest texts have, by a guess: its shortest string
// is the longest.
func rarest(list [][]string) []string {
	var best []string
	shortest := func(c []string) int {
		n := len(c[0])
		for _, s := range c {
			n = min(n, len(s))
		}
		return n
	}
	for _, c := range list {
		if best == nil || shortest(c) > shortest(best) {
			best = c
		}
	}
	return best
}

// mostBack is how far from the beginning of a match a string may be that it needs: each byte
// costs an attempt.
const mostBack = 48

// beginningOf is where matches of an expression begin; ok is false if that is not known.
func beginningOf(re *syntax.Regexp) (out beginning, ok bool) {
	switch re.Op {
	case syntax.OpCapture:
		return beginningOf(re.Sub[0])
	case syntax.OpAlternate:
		var words []string
		for _, sub := range re.Sub {
			b, ok := beginningOf(sub)
			if !ok {
				return beginning{}, false
			}
			words = append(words, strings.Split(b.words, between)...)
			out.back = max(out.back, b.back)
		}
		slices.Sort(words)
		out.words = strings.Join(slices.Compact(words), between)
		return out, true
	case syntax.OpConcat:
	default:
		re = &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{re}}
	}
	best, passed := 0, 0
	note := func(words []string, length int) {
		shortest, _ := lengths(words)
		back := passed + length - shortest
		if back > mostBack {
			return
		}
		if worth := 4*min(shortest, 8) - back; !ok || worth > best {
			best, ok, out = worth, true, beginning{strings.Join(words, between), back}
		}
	}
	for i := 0; i < len(re.Sub); {
		row := []string{""}
		end := i
		for end < len(re.Sub) {
			all, known := exact(re.Sub[end])
			if !known {
				break
			}
			longer, few := cross(row, all)
			if !few {
				break
			}
			row, end = longer, end+1
		}
		if end > i {
			_, longest := lengths(row)
			for _, c := range clause(row) {
				note(c, longest)
			}
			passed, i = passed+longest, end
			continue
		}
		length, bounded := longestWithoutSpace(re.Sub[i])
		if !bounded {
			break
		}
		if c := rarest(needed(re.Sub[i])); c != nil {
			note(c, length)
		}
		passed, i = passed+length, i+1
	}
	return out, ok
}

func lengths(words []string) (shortest, longest int) {
	shortest = len(words[0])
	for _, w := range words {
		shortest, longest = min(shortest, len(w)), max(longest, len(w))
	}
	return shortest, longest
}

// longestWithoutSpace is the length in bytes of the longest text that an expression matches,
// without its space where there may be any amount of it; ok is false if there is no such limit.
func longestWithoutSpace(re *syntax.Regexp) (n int, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)), re.Flags&syntax.FoldCase == 0
	case syntax.OpCharClass:
		for _, r := range re.Rune {
			n = max(n, len(string(r)))
		}
		return n, true
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4, true
	case syntax.OpStar, syntax.OpPlus:
		if re.Sub[0].Op != syntax.OpCharClass {
			return 0, false
		}
		for i := 0; i < len(re.Sub[0].Rune); i += 2 {
			if re.Sub[0].Rune[i+1] >= utf8.RuneSelf {
				return 0, false
			}
			for r := re.Sub[0].Rune[i]; r <= re.Sub[0].Rune[i+1]; r++ {
				if !isSpace(byte(r)) {
					return 0, false
				}
			}
		}
		return 0, true
	case syntax.OpCapture, syntax.OpQuest:
		return longestWithoutSpace(re.Sub[0])
	case syntax.OpRepeat:
		n, ok = longestWithoutSpace(re.Sub[0])
		return n * re.Max, ok && re.Max >= 0
	case syntax.OpConcat, syntax.OpAlternate:
		for _, sub := range re.Sub {
			one, ok := longestWithoutSpace(sub)
			if !ok {
				return 0, false
			}
			if re.Op == syntax.OpConcat {
				n += one
			} else {
				n = max(n, one)
			}
		}
	}
	return n, true
}

func TestBeginningOf(t *testing.T) {
	for pattern, want := range map[string]beginning{
		`\b(?:ignore|forget)\b.*orders`:                  {"forget|ignore", 0},
		`(?:^|[.!?]\s*)(?:system|user)\s*:`:              {"system|user", 3},
		`x?(?:abcdef|defghijk)`:                          {"abcdef|defghijk", 3},
		`\W+abcdef`:                                      {},
		`abc.*def|ghijk.*lmn`:                            {"abc|ghijk", 0},
		`abc|[a-z]+`:                                     {},
		`(?:^|[.;]\s*|\b(?:please|and) )ignore(?: all)?`: {"ignore", 11},
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		must.OK(t, err)
		if got, _ := beginningOf(re); got != want {
			t.Errorf("%s: %+v, want %+v", pattern, got, want)
		}
	}
}

func TestNeeded(t *testing.T) {
	for pattern, want := range map[string]string{
		`abc`:                           "abc",
		`\b(?:abc|xyz)s?\b`:             "abc xyz",
		`[^\n]{0,9}abc.*(?:foo|ba[rz])`: "abc & bar baz foo",
		`(?:abc)?xyz`:                   "xyz",
		`(?:abc)*`:                      "",
		`ab.cd`:                         "",
		`(?:abc.*def|ghij)+`:            "abc ghij",
		`(?:abc|.)def`:                  "def",
		`(?i)abc`:                       "",
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		must.OK(t, err)
		var got []string
		for _, c := range needed(re) {
			got = append(got, strings.Join(c, " "))
		}
		if strings.Join(got, " & ") != want {
			t.Errorf("%s: %q, want %q", pattern, strings.Join(got, " & "), want)
		}
	}
}

// TestPossible: where a pattern matches, its clauses are there, on every text that
// the tests have.
func TestPossible(t *testing.T) {
	n, possible := 0, 0
	check := func(text string) {
		plain := Plain(text)
		parts := pieces(plain)
		due := literals().due(plain, parts)
		for k, at := range parts {
			part := plain[at.from:at.to]
			for i, f := range finders() {
				n++
				if due[k] != nil && due[k][i] {
					possible++
				} else if f.pattern().MatchString(part) && has(part, forms()[i].needles) {
					t.Errorf("%q matches %s and is not tried", part, forms()[i].pattern)
				}
			}
		}
	}
	lines(t, filepath.Join(data, "prompt-injection/dev/items.jsonl"), func(line []byte) {
		var i struct{ Text string }
		must.OK(t, json.Unmarshal(line, &i))
		check(i.Text)
	})
	t.Logf("%d of %d patterns are tried", possible, n)
}

// TestFirst: the first match is that of the whole pattern, on texts of the forms' own words and on
// those that the tests have.
func TestFirst(t *testing.T) {
	matches, tried := 0, 0
	check := func(f finder, text string) {
		tried++
		got, want := f.first(text), f.pattern().FindStringIndex(text)
		if want != nil {
			matches++
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v, of %s", text, got, want, f.pattern())
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	between := []string{" ", " ", " ", "\n", ". ", ", ", "  \n ", "! ", "", "é ", "。", "# ", "'", " the ", " all ", " you ", " please ", " to ", ": ", " your ", " x"}
	var samples [][]string
	for _, f := range forms() {
		re, err := syntax.Parse(f.pattern, syntax.Perl)
		must.OK(t, err)
		var list []string
		for range 12 {
			list = append(list, sampleOf(re, random))
		}
		for w := range strings.SplitSeq(beginningsOfForms[len(samples)].words+"|"+f.needles, "|") {
			list = append(list, w)
		}
		samples = append(samples, list)
	}
	for range 30_000 {
		n := random.IntN(len(samples))
		var b strings.Builder
		for range 1 + random.IntN(6) {
			list := samples[n]
			if random.IntN(3) == 0 {
				list = samples[random.IntN(len(samples))]
			}
			s := list[random.IntN(len(list))]
			if words := strings.SplitAfter(s, " "); random.IntN(3) == 0 {
				s = strings.Join(words[random.IntN(len(words)):], "")
			}
			b.WriteString(s + between[random.IntN(len(between))])
		}
		check(finders()[n], Plain(b.String()))
	}
	if matches < 3000 {
		t.Errorf("only %d matches", matches)
	}
	t.Logf("%d of %d match", matches, tried)
	lines(t, filepath.Join(data, "prompt-injection/dev/items.jsonl"), func(line []byte) {
		var i struct{ Text string }
		must.OK(t, json.Unmarshal(line, &i))
		plain := Plain(i.Text)
		for _, part := range pieces(plain) {
			for _, f := range finders() {
				check(f, plain[part.from:part.to])
			}
		}
	})
}

// sampleOf is a text that an expression matches, but for what it asks of the text around it.
func sampleOf(re *syntax.Regexp, random *rand.Rand) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return ""
		}
		pair := 2 * random.IntN(len(re.Rune)/2)
		low := re.Rune[pair]
		return string(low + rune(random.IntN(int(min(re.Rune[pair+1], max(low, 126))-low)+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune('a' + random.IntN(26)))
	case syntax.OpAlternate:
		return sampleOf(re.Sub[random.IntN(len(re.Sub))], random)
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(sampleOf(sub, random))
		}
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		least, most := 0, 1
		switch {
		case re.Op == syntax.OpPlus:
			least, most = 1, 3
		case re.Op == syntax.OpRepeat:
			least, most = re.Min, min(max(re.Max, re.Min), re.Min+9)
		}
		for range least + random.IntN(most-least+1) {
			b.WriteString(sampleOf(re.Sub[0], random))
		}
	}
	return b.String()
}

func has(text, needles string) bool {
	return slices.ContainsFunc(strings.Split(needles, "|"), func(n string) bool { return strings.Contains(text, n) })
}
