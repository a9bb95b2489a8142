package full

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"manicule/indexer/must"

	"github.com/zricethezav/gitleaks/v8/config"
)

var update = flag.Bool("update", false, "write the table of clues from gitleaks' rules")

const tableFile = "table.go"

// TestTable holds the table of clues to gitleaks' rules: a newer version of them
// needs a new table (go test ./memory/secret/full -run TestTable -update).
func TestTable(t *testing.T) {
	must.OK(t, Load())
	table := map[string][]runs{}
	for id, r := range theirs().Config.Rules {
		if !forTexts(r) {
			continue
		}
		if len(r.Keywords) == 0 {
			t.Errorf("%s is tried without a keyword: clues can't tell when", id)
		}
		least := leastRuns(t, r)
		for _, k := range r.Keywords {
			k = strings.ToLower(k)
			if !slices.Contains(table[k], least) {
				table[k] = append(table[k], least)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("package full\n\n// clues are those of gitleaks' rules. The package's test writes this table.\nfunc clues() []clue { return table }\n\nvar table = []clue{\n")
	for _, k := range slices.Sorted(mapKeys(table)) {
		list := slices.SortedFunc(slices.Values(table[k]), func(a, b runs) int { return cmp.Or(a.narrow-b.narrow, a.wide-b.wide) })
		fmt.Fprintf(&b, "\t{%q, []runs{", k)
		for _, r := range list {
			fmt.Fprintf(&b, "{%d, %d},", r.narrow, r.wide)
		}
		b.WriteString("}},\n")
	}
	b.WriteString("}\n")
	want, err := format.Source(b.Bytes())
	must.OK(t, err)
	if *update {
		must.Write(t, tableFile, want)
	}
	if have, err := os.ReadFile(tableFile); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not what gitleaks' rules say (%v): run with -update", tableFile, err)
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func leastRuns(t *testing.T, r config.Rule) runs {
	re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", r.RuleID, err)
	}
	return runs{leastRun(re, inNarrow).longest, leastRun(re, inWide).longest}
}

// span is what every match of an expression has of a set's runs: at its begin, at
// its end and anywhere. Where only is set it consists of such bytes alone.
type span struct {
	begin, end, longest int
	only                bool
}

func leastRun(re *syntax.Regexp, set byte) span {
	const none = -1
	length := func(n int) span { return span{n, n, n, true} }
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return length(0)
	case syntax.OpLiteral:
		out := length(0)
		for _, r := range re.Rune {
			one := span{}
			if has(set, r) && (re.Flags&syntax.FoldCase == 0 || allFolds(set, r)) {
				one = length(1)
			}
			out = after(out, one)
		}
		return out
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= min(re.Rune[i+1], utf8.RuneSelf); r++ {
				if !has(set, r) {
					return span{}
				}
			}
		}
		return length(1)
	case syntax.OpCapture:
		return leastRun(re.Sub[0], set)
	case syntax.OpConcat:
		out := length(0)
		for _, sub := range re.Sub {
			out = after(out, leastRun(sub, set))
		}
		return out
	case syntax.OpAlternate:
		out := span{begin: none}
		for _, sub := range re.Sub {
			s := leastRun(sub, set)
			if out.begin == none {
				out = s
			}
			out = span{min(out.begin, s.begin), min(out.end, s.end), min(out.longest, s.longest), out.only && s.only}
		}
		return out
	case syntax.OpStar, syntax.OpQuest:
		return span{only: leastRun(re.Sub[0], set).only}
	case syntax.OpPlus:
		return leastRun(re.Sub[0], set)
	case syntax.OpRepeat:
		one := leastRun(re.Sub[0], set)
		if re.Min == 0 {
			return span{only: one.only}
		}
		out := one
		for range re.Min - 1 {
			out = after(out, one)
		}
		return out
	}
	return span{} // any character
}

// after is one span behind another.
func after(a, b span) span {
	out := span{begin: a.begin, end: b.end, longest: max(a.longest, b.longest, a.end+b.begin), only: a.only && b.only}
	if a.only {
		out.begin = a.begin + b.begin
	}
	if b.only {
		out.end = a.end + b.end
	}
	return out
}

func has(set byte, r rune) bool { return r >= utf8.RuneSelf || byteSets()[r]&set != 0 }

func allFolds(set byte, r rune) bool {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if !has(set, f) {
			return false
		}
	}
	return true
}

func TestLeastRun(t *testing.T) {
	for pattern, want := range map[string]int{
		`SK[0-9a-f]{32}`:            34,
		`\b(s\.[a-z]{24})`:          24,
		`a|[a-z]{5}`:                1,
		`x(?:ab|c)?y`:               2, // what may be left out is of the set: they are in one run
		`x(?: ab)?y`:                1,
		`[a-z]{3}-?[a-z]{4} `:       7,
		`(?i)sk[a-z]{3}`:            5,
		`[a-z.]{40}`:                0,
		`.{9}`:                      0,
		`(?:[a-z]{4}-){3}[a-z]{12}`: 27,
		`(?:ab )+[a-z]`:             2,
	} {
		re, err := syntax.Parse(pattern, syntax.Perl)
		must.OK(t, err)
		if got := leastRun(re, inNarrow).longest; got != want {
			t.Errorf("%s: %d, want %d", pattern, got, want)
		}
	}
}

// TestClues: where the rules find something the clues are there, on the examples
// of the rules themselves and on each of them among other text.
func TestClues(t *testing.T) {
	must.OK(t, Load())
	prose := "The task is to remember keys. See s.go, the API key of it (task), and whisk."
	if mayHold(prose) {
		t.Error("prose has clues")
	}
	found, texts, may := 0, 0, 0
	readLines(t, "gitleaks_rules.jsonl", func(e struct {
		Text string `json:"text"`
	}) {
		for _, text := range []string{e.Text, strings.ToUpper(e.Text), prose + "\n" + e.Text + "\n" + prose, strings.ReplaceAll(e.Text, "k", "\u212a")} {
			texts++
			clue := mayHold(text)
			if clue {
				may++
			}
			if len(theirs().DetectString(text)) == 0 {
				continue
			}
			found++
			if !clue {
				t.Errorf("the rules find something, and no clue is in %q", text)
			}
		}
	})
	t.Logf("of %d texts %d have clues, in %d the rules find something", texts, may, found)
}

func FuzzClues(f *testing.F) {
	f.Add("glptt-0123456789abcdef0123456789abcdef01234567")
	f.Add("xoxb-1234567890-abcdefghijklmnopqrst")
	f.Add("s.abcdefghijklmnopqrstuvwx")
	if err := Load(); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !mayHold(text) && len(theirs().DetectString(text)) > 0 {
			t.Errorf("no clue in %q", text)
		}
	})
}

func BenchmarkClues(b *testing.B) {
	s := strings.Repeat("The token refresh fails when Redis is down: see src/auth/token.go:41 and retry(3).\n", 50)[:4096]
	mayHold(s)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		mayHold(s)
	}
}

// TestAtOnce has several texts scanned at once: memory files are judged in
// parallel, and nothing of one text may be in the answer to another.
func TestAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 20 {
				text, want := "the key is glptt-0123456789abcdef0123456789abcdef01234567", "gitlab-ptt"
				if (worker+i)%2 == 0 {
					text, want = "glft-0123456789abcdef0123 is a feed token", "gitlab-feed-token"
				}
				if kind, err := First(text); err != nil || kind != want {
					t.Errorf("%q: %q (%v), want %q", text, kind, err, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestNotLoaded: a note about code has the rules neither loaded nor run.
func TestNotLoaded(t *testing.T) {
	var s scanner
	for _, text := range []string{"", "Token refresh fails silently when Redis is unreachable: see services/checkout1/api/api_3.go#ApiStore.FetchOrder.",
		"The task asks for keys. Commit 3f2a1c9 of the linear queue, with braces."} {
		if kind, err := s.First(text); err != nil || kind != "" {
			t.Errorf("%q: %q, %v", text, kind, err)
		}
	}
	if s.d != nil {
		t.Error("the rules were loaded for texts that have no clue")
	}
	if kind, err := s.First("glptt-0123456789abcdef0123456789abcdef01234567"); err != nil || kind == "" || s.d == nil {
		t.Errorf("a token: %q, %v", kind, err)
	}
}

// mayHold reports whether one of gitleaks' rules may match a text.
func mayHold(text string) bool {
	_, may := lookAt(text)
	return may
}
