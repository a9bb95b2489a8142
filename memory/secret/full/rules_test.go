package full

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
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
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/regexp"
)

const rulesFile = "rules.json"

// generic is gitleaks' rule for any name with any value. Package secret judges
// those better: on the labelled lines the rule added 2 secrets to 1,084, and 22 false
// alarms to 20.
const generic = "generic-api-key"

// theirs is gitleaks itself, which the rules of this package are held to.
var theirs = sync.OnceValue(func() *detect.Detector {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		panic(err)
	}
	d.IgnoreGitleaksAllow = true
	delete(d.Config.Rules, generic)
	return d
})

// TestRules holds the rules to gitleaks': a newer version of it needs new ones (go
// test ./memory/secret/full -run 'TestRules$|TestTable' -update).
func TestRules(t *testing.T) {
	all := rulesData{Rules: []ruleData{}, Allow: allowsOf(theirs().Config.Allowlists)}
	for id, r := range theirs().Config.Rules {
		if forTexts(r) {
			all.Rules = append(all.Rules, ruleData{ID: id, Pattern: r.Regex.String(), Keywords: lower(r.Keywords), Group: r.SecretGroup, Entropy: r.Entropy, Allow: allowsOf(r.Allowlists), Reach: reachOf(t, r)})
		}
		if len(r.RequiredRules) > 0 || r.SkipReport {
			t.Errorf("%s needs other rules: that is not done here", id)
		}
	}
	slices.SortFunc(all.Rules, func(a, b ruleData) int { return strings.Compare(a.ID, b.ID) })
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	must.OK(t, enc.Encode(all))
	if *update {
		must.Write(t, rulesFile, want.Bytes())
	}
	if have, err := os.ReadFile(rulesFile); err != nil || !bytes.Equal(have, want.Bytes()) {
		t.Errorf("%s is not what gitleaks has (%v): run with -update", rulesFile, err)
	}
}

// forTexts tells rules that are not for files with certain names alone.
func forTexts(r config.Rule) bool {
	return r.Regex != nil && (r.Path == nil || r.Path.MatchString(""))
}

func allowsOf(list []*config.Allowlist) []allowData {
	var out []allowData
	for _, a := range list {
		and := a.MatchCondition == config.AllowlistMatchAnd
		if and && len(a.Paths)+len(a.Commits) > 0 || len(a.Regexes)+len(a.StopWords) == 0 {
			continue // about the names of files: a text has none
		}
		words := lower(a.StopWords)
		slices.Sort(words)
		out = append(out, allowData{Target: a.RegexTarget, All: and, Pattern: joined(a.Regexes), Words: words})
	}
	return out
}

func joined(patterns []*regexp.Regexp) string {
	var all []string
	for _, p := range patterns {
		all = append(all, p.String())
	}
	if len(all) == 0 {
		return ""
	}
	return "(?:" + strings.Join(all, "|") + ")"
}

func lower(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, strings.ToLower(w))
	}
	return out
}

// reachOf is where a rule can match.
func reachOf(t *testing.T, r config.Rule) reachData {
	t.Helper()
	re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", r.RuleID, err)
	}
	narrow, wide := leastRun(re, inNarrow).longest, leastRun(re, inWide).longest
	if n := longest(re); n >= 0 && wide >= leastLong {
		return reachData{Run: wide, Narrow: narrow == wide, Before: n - wide, After: n - wide}
	}
	// What has no limit may be of wide bytes alone: then a match ends with their run.
	parts := inRow(re)
	from := slices.IndexFunc(parts, endless)
	if from < 0 {
		return reachData{}
	}
	to := from
	for i, p := range parts {
		if endless(p) {
			to = i + 1
		}
	}
	only := func(p *syntax.Regexp) bool { return leastRun(p, inWide).only }
	for from > 0 && only(parts[from-1]) {
		from--
	}
	for to < len(parts) && only(parts[to]) {
		to++
	}
	if slices.ContainsFunc(parts[from:to], func(p *syntax.Regexp) bool { return !only(p) }) {
		return reachData{}
	}
	middle := &syntax.Regexp{Op: syntax.OpConcat, Sub: parts[from:to]}
	sum := func(list []*syntax.Regexp) (n int) {
		for _, p := range list {
			n += longest(p)
		}
		return n
	}
	if run := leastRun(middle, inWide).longest; run >= leastLong {
		return reachData{Run: run, Before: sum(parts[:from]), After: sum(parts[to:])}
	}
	return reachData{}
}

func endless(re *syntax.Regexp) bool { return longest(re) < 0 }

// inRow are the parts of an expression that follow each other.
func inRow(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return inRow(re.Sub[0])
	case syntax.OpConcat:
		var out []*syntax.Regexp
		for _, sub := range re.Sub {
			out = append(out, inRow(sub)...)
		}
		return out
	}
	return []*syntax.Regexp{re}
}

// longest is the length in bytes of the longest text that an expression matches, -1 if there is no
// such limit.
func longest(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			most := utf8.RuneLen(r)
			for f := unicode.SimpleFold(r); re.Flags&syntax.FoldCase != 0 && f != r; f = unicode.SimpleFold(f) {
				most = max(most, utf8.RuneLen(f))
			}
			n += most
		}
	case syntax.OpCharClass:
		for _, r := range re.Rune {
			n = max(n, len(string(r)))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if endless(sub) {
				return -1
			}
			n += longest(sub)
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if endless(sub) {
				return -1
			}
			n = max(n, longest(sub))
		}
	case syntax.OpRepeat:
		if re.Max < 0 || endless(re.Sub[0]) {
			return -1
		}
		return re.Max * longest(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return -1
	}
	return n
}

func TestReach(t *testing.T) {
	for pattern, want := range map[string]reachData{
		`\bSK[0-9a-f]{32}\b`:                               {Run: 34, Narrow: true},
		`key[ =]{1,3}([a-z]{20})(?:["';]|\\[nr]|$)`:        {Run: 20, Narrow: true, Before: 8, After: 8},
		`(?i)sk[0-9]{14}`:                                  {Run: 16, Narrow: true, Before: 3, After: 3}, // ſ and K
		`key [a-z=]{20}`:                                   {Run: 20, Before: 4, After: 4},
		`\b(ey[a-z]{17,}\.ey[a-z]{17,})(?:["';]|\\[nr]|$)`: {Run: 39, After: 2},
		`key (ey[a-z]{17,})`:                               {Run: 19, Before: 4},
		`key .*[a-z]{20}`:                                  {},
		`[a-z]{5}`:                                         {},
		`[a-z ]{3,}[a-z]{20}`:                              {},
	} {
		r := config.Rule{RuleID: pattern, Regex: regexp.MustCompile(pattern)}
		if got := reachOf(t, r); got != want {
			t.Errorf("%s: %+v, want %+v", pattern, got, want)
		}
	}
}

// unfiltered lists what the rules find in a text without a look at its clues, but for the keywords.
func unfiltered(text string) (out []rule) {
	low := strings.ToLower(text)
	for _, r := range shared.d.rules {
		if slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(low, k) }) {
			out = append(out, shared.d.findOne(r, text)...)
		}
	}
	return out
}

// TestUnfiltered: what is found near the clues is what is found without them, on samples of the
// rules, whole and cut, within other text.
func TestUnfiltered(t *testing.T) {
	must.OK(t, Load())
	between := []string{" ", "\n", "\"", "'\n", "; ", "é", "\u212a", "\xff", "=", ".", "/", "-", "_", "a", " the key is ", "\nhttps://pkg.go.dev/regexp/syntax?tab=versions#Regexp and\n", strings.Repeat("prose ", 90), strings.Repeat("x", 300), " = \"", ": "}
	var samples []string
	for _, r := range shared.d.rules {
		re, err := syntax.Parse(r.Pattern, syntax.Perl)
		must.OK(t, err)
		samples = append(samples, sampleOf(re, 3), sampleOf(re, 11), strings.Join(r.Keywords, " "))
	}
	random := rand.New(rand.NewPCG(1, 2))
	findings, texts := 0, 4000
	if testing.Short() {
		texts = 800
	}
	for range texts {
		var b strings.Builder
		for range 1 + random.IntN(7) {
			s := samples[random.IntN(len(samples))]
			if random.IntN(4) == 0 {
				s = s[random.IntN(len(s)+1):]
			}
			if random.IntN(4) == 0 {
				s = s[:random.IntN(len(s)+1)]
			}
			b.WriteString(s + between[random.IntN(len(between))])
		}
		text := b.String()
		got, want := shared.d.find(text), unfiltered(text)
		findings += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("in %q\n found %q\n  want %q", text, got, want)
		}
	}
	if findings < texts/4 {
		t.Errorf("only %d findings", findings)
	}
}

// TestTails: what a rule matches is not passed over at its keyword, and other text is.
func TestTails(t *testing.T) {
	must.OK(t, Load())
	without, tried := 0, 0
	for _, r := range shared.d.rules {
		tail := r.tail()
		if tail == nil {
			without++
			continue
		}
		re, err := syntax.Parse(r.Pattern, syntax.Perl)
		must.OK(t, err)
		reaches := func(text string) bool {
			clued := cluesIn(text)
			return clued.folds || slices.ContainsFunc(clued.places, func(o occurrence) bool {
				return slices.Contains(r.Keywords, clues()[o.keyword].keyword) && tail.in(text, o.at)
			})
		}
		for seed := range 20 {
			if s := "see " + sampleOf(re, seed) + "\n"; len(shared.d.findOne(r, s)) > 0 && !reaches(s) {
				t.Errorf("%s: %q is passed over", r.ID, s)
			}
		}
		for _, k := range r.Keywords {
			if s := "the " + k + " of it: a few words, and no secret.\n"; reaches(s) {
				tried++
			}
		}
	}
	if without > 9 || tried > 9 {
		t.Errorf("%d rules are tried wherever they can match, and %d keywords alone make one be tried", without, tried)
	}
}

func FuzzUnfiltered(f *testing.F) {
	if err := Load(); err != nil {
		f.Fatal(err)
	}
	f.Add("glptt-0123456789abcdef0123456789abcdef01234567")
	f.Add("plaid_secret = \"0123456789abcdef0123456789abcd\"; é plaid: 0123456789abcdef0123456789abcd")
	f.Add("see https://x.y/eyJhbGciOiJIUzI1NiJ9aaaa.eyJhbGciOiJIUzI1NiJ9aaaa.0123456789 of s.0123456789abcdefghijklmn")
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := shared.d.find(text), unfiltered(text); !slices.Equal(got, want) {
			t.Errorf("in %q\n found %q\n  want %q", text, got, want)
		}
	})
}

// TestAsGitleaks: on the examples of the rules, alone and among other text, and on
// what the patterns themselves match, the findings are gitleaks'.
func TestAsGitleaks(t *testing.T) {
	texts, found := 0, 0
	compare := func(text string) {
		texts++
		found += equalFindings(t, text)
	}
	readRules(t, func(text string) {
		for _, s := range []string{text, strings.ToUpper(text), "see the key\n" + text + "\nof it", "\n\n" + text + " " + text, strings.ReplaceAll(text, "k", "\u212a")} {
			compare(s)
		}
	})
	for _, r := range theirs().Config.Rules {
		if r.Regex == nil || len(r.Keywords) == 0 {
			continue
		}
		re, err := syntax.Parse(r.Regex.String(), syntax.Perl)
		must.OK(t, err)
		for seed := range 5 {
			sample := sampleOf(re, seed*7+1)
			compare(sample)
			compare("key = \"" + sample + "\"\n" + r.Keywords[0] + " example\n")
		}
	}
	if found == 0 {
		t.Error("nothing was found in any text")
	}
	t.Logf("%d texts, %d findings", texts, found)
}

func equalFindings(t *testing.T, text string) int {
	t.Helper()
	must.OK(t, Load())
	var want, got []string
	for _, f := range theirs().DetectString(text) {
		want = append(want, f.RuleID+" "+f.Secret)
	}
	for _, f := range shared.d.find(text) {
		got = append(got, f.kind+" "+f.text)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("in %q\n found %q\n   want %q", text, got, want)
	}
	return len(want)
}

func readRules(t *testing.T, each func(string)) {
	if _, err := os.Stat("../../../../shared/data"); err != nil && os.Getenv("EVAL_DATA") == "" {
		return // the samples of the patterns remain
	}
	readLines(t, "gitleaks_rules.jsonl", func(e struct {
		Text string `json:"text"`
	}) {
		each(e.Text)
	})
}

// sampleOf is a text that an expression matches. Equal seeds give equal samples.
func sampleOf(re *syntax.Regexp, seed int) string {
	var b strings.Builder
	n := seed
	next := func(limit int) int {
		n = (n*1103515245 + 12345) & 0x7fffffff
		return n / 7 % max(limit, 1)
	}
	var walk func(*syntax.Regexp)
	repeat := func(re *syntax.Regexp, times int) {
		for range times {
			walk(re)
		}
	}
	walk = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral:
			b.WriteString(string(re.Rune))
		case syntax.OpCharClass:
			pair := 2 * next(len(re.Rune)/2)
			b.WriteRune(re.Rune[pair] + rune(next(int(min(re.Rune[pair+1], 126)-re.Rune[pair])+1)))
		case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
			b.WriteByte(byte('a' + next(26)))
		case syntax.OpAlternate:
			walk(re.Sub[next(len(re.Sub))])
		case syntax.OpStar, syntax.OpQuest:
			repeat(re.Sub[0], next(2))
		case syntax.OpPlus:
			repeat(re.Sub[0], 1+next(3))
		case syntax.OpRepeat:
			repeat(re.Sub[0], re.Min)
		case syntax.OpCapture, syntax.OpConcat:
			for _, sub := range re.Sub {
				walk(sub)
			}
		}
	}
	walk(re)
	return b.String()
}

// find lists what the rules take for secrets in a text, in the order of the rules.
func (d *detector) find(text string) []rule {
	f, may := lookAt(text)
	if !may {
		return nil
	}
	return d.findBy(text, f)
}
