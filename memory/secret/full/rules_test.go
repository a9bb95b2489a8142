package full

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"

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
			all.Rules = append(all.Rules, ruleData{ID: id, Pattern: r.Regex.String(), Keywords: lower(r.Keywords), Group: r.SecretGroup, Entropy: r.Entropy, Allow: allowsOf(r.Allowlists)})
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
	if err := enc.Encode(all); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(rulesFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
	if err := Load(); err != nil {
		t.Fatal(err)
	}
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
