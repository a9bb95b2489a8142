package gate

import (
	"context"
	"crypto/md5"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/restate"
)

// oneSymbol names pairs of lines of the rule files of one public repository that mention one symbol, with a label that was
// given before a rule was asked. The texts themselves are not here.
//
//go:embed testdata/onesymbol.jsonl
var oneSymbol string

// symbolPair is one of these pairs.
type symbolPair struct {
	Set    string     `json:"set"`   // A: the threshold was chosen on it; B: it was confirmed on it; C: it is reported on
	Label  string     `json:"label"` // same, correction, other
	Repo   string     `json:"repo"`
	Commit string     `json:"commit"`
	A      symbolLine `json:"a"`
	B      symbolLine `json:"b"`
}

// symbolLine is a line of a file, without the marks of lists and emphasis.
type symbolLine struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	MD5  string `json:"md5"`
	text string
}

// find reads the line, and reports whether it is the one that was labelled.
func (l *symbolLine) find(c *clone, commit string, plain func(string) string) bool {
	data, ok := c.read(commit, l.Path)
	lines := strings.Split(data, "\n")
	if !ok || l.Line > len(lines) {
		return false
	}
	l.text = plain(lines[l.Line-1])
	sum := md5.Sum([]byte(l.text))
	return hex.EncodeToString(sum[:]) == l.MD5
}

// plainLines returns what takes the marks of lists, emphasis and links from a line.
func plainLines() func(string) string {
	item := regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
	box := regexp.MustCompile(`^\[[ x]\]\s+`)
	link := regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	return func(line string) string {
		line = box.ReplaceAllString(item.ReplaceAllString(strings.TrimSpace(line), ""), "")
		return link.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(line, "**", "")), "$1")
	}
}

// symbolPairs returns the pairs whose repository is there.
func (e *evaluation) symbolPairs(ctx context.Context) (out []symbolPair, missing int, err error) {
	plain := plainLines()
	clones := map[string]*clone{}
	defer func() {
		for _, c := range clones {
			c.close()
		}
	}()
	for line := range strings.Lines(oneSymbol) {
		var p symbolPair
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			return nil, 0, fmt.Errorf("read the pairs about one symbol: %w", err)
		}
		dir := e.dirOf(p.Repo)
		if _, err := os.Stat(dir); err != nil {
			missing++
			continue
		}
		if clones[p.Repo] == nil {
			if clones[p.Repo], err = openClone(ctx, dir); err != nil {
				return nil, 0, err
			}
		}
		if c := clones[p.Repo]; p.A.find(c, p.Commit, plain) && p.B.find(c, p.Commit, plain) {
			out = append(out, p)
		} else {
			missing++
		}
	}
	return out, missing, ctx.Err()
}

// toldAtOneSymbol measures what a person is told of two rules about one symbol, by their words alone.
func (e *evaluation) toldAtOneSymbol(ctx context.Context) (string, error) {
	pairs, missing, err := e.symbolPairs(ctx)
	if err != nil {
		return "", err
	}
	if len(pairs) == 0 {
		return "", evalkit.Missing("no repository of the pairs about one symbol in %q (--repos)", e.repos)
	}
	t := evalkit.NewTable("", "pairs", "told as nearly the same", "told as a conflict")
	sums := map[string][3]int{}
	note := func(set, label, a, b string) {
		v, _ := restate.Read(a).JudgeHere(restate.Read(b))
		s := sums[set+", "+label]
		s[0]++
		if v != restate.Other {
			s[v]++
		}
		sums[set+", "+label] = s
	}
	for _, p := range pairs {
		note("set "+p.Set, p.Label, p.A.text, p.B.text)
	}
	for _, x := range []struct{ label, text string }{{"correction", corrections}, {"same", restatements}} {
		seen, unseen := halves(written(x.text))
		for _, p := range seen {
			note("written by hand, looked at", x.label, p.a, p.b)
		}
		for _, p := range unseen {
			note("written by hand, kept", x.label, p.a, p.b)
		}
	}
	for _, set := range []string{"set A", "set B", "set C", "written by hand, looked at", "written by hand, kept"} {
		for _, label := range []string{"same", "correction", "other"} {
			if s := sums[set+", "+label]; s[0] > 0 {
				t.Add(set+", "+label, s[0], rate(s[restate.Same], s[0]), rate(s[restate.Corrects], s[0]))
			}
		}
	}
	return evalkit.Section{Title: "Told at one symbol", Notes: []string{fmt.Sprintf("%d pairs are not there", missing)}, Table: t}.String(), nil
}
