package injection

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
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
		if err != nil {
			t.Fatal(err)
		}
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
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(clausesFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
		for _, part := range pieces(Plain(text)) {
			due := literals().due(part)
			for i, f := range finders() {
				n++
				if due != nil && due[i] {
					possible++
				} else if f.pattern().MatchString(part) && has(part, forms()[i].needles) {
					t.Errorf("%q matches %s and is not tried", part, forms()[i].pattern)
				}
			}
		}
	}
	lines(t, filepath.Join(data, "prompt-injection/dev/items.jsonl"), func(line []byte) {
		var i struct{ Text string }
		if err := json.Unmarshal(line, &i); err != nil {
			t.Fatal(err)
		}
		check(i.Text)
	})
	t.Logf("%d of %d patterns are tried", possible, n)
}

func has(text, needles string) bool {
	return slices.ContainsFunc(strings.Split(needles, "|"), func(n string) bool { return strings.Contains(text, n) })
}
