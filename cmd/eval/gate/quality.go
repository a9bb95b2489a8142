package gate

import (
	"context"
	"crypto/md5"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// quality names texts of public repositories with a label that was given before the gate was asked:
// lines of a file, a fenced block of an issue, or what git prints. The texts themselves are not here.
//
//go:embed testdata/quality.jsonl
var quality string

// unfitted names those of the draws that no fit may see ([neverFitted]), alike.
//
//go:embed testdata/unfitted.jsonl
var unfitted string

// passingTexts names those of [ofPassing], alike.
//
//go:embed testdata/passing.jsonl
var passingTexts string

// longestSample is how many characters of a text are used.
const longestSample = 900

// sample is a text with its label.
type sample struct {
	Bad    bool     `json:"bad"`
	Kind   string   `json:"kind"`
	Repo   string   `json:"repo"` // owner/name
	Commit string   `json:"commit"`
	MD5    string   `json:"md5"`
	Path   string   `json:"path"`
	From   int      `json:"from"` // first line; 0 for the fenced block with this hash
	To     int      `json:"to"`
	Git    []string `json:"git"` // arguments of git, instead of a file
	Draw   string   `json:"draw"`
	// Second is the kind by a second reader, who had the guide and the text alone; "" if none has read it.
	Second string `json:"second"`
	// Arguable is whether the reader who gave the label saw another one that somebody might give with a reason.
	Arguable bool `json:"arguable"`
	text     string
}

// lookedAt is the set whose misses may be looked at to make rules. What the gate says of the others'
// texts is only counted.
const lookedAt = "looked at"

// ofPassing are the sets of texts that the rules let pass, which were labelled for the judge of such texts to be fitted to.
var ofPassing = []string{"draw J", "draw K", "draw M"}

// set names the part of the sample that s belongs to.
func (s sample) set() string {
	switch {
	case s.Draw != "":
		return "draw " + s.Draw
	case strings.Contains("13579bdf", s.MD5[:1]):
		return "kept"
	}
	return lookedAt
}

// output is a kind of junk that is none of those a memory must never be: stack traces, diffs, logs
// of git, lists of paths, summaries of sessions and fragments.
const output = "output"

// useless is a text that is no junk by its form and says nothing that somebody could use. Nothing is
// required of it: testdata/README.md says how it is told from junk.
const useless = "useless"

// samples returns the samples whose repository is there, in the order of the labels.
func (e *evaluation) samples(ctx context.Context) (out []sample, missing int, err error) {
	all, err := labels()
	if err != nil {
		return nil, 0, err
	}
	of := map[string][]int{}
	for i, s := range all {
		of[s.Repo] = append(of[s.Repo], i)
	}
	found := make([]bool, len(all))
	for repo, samples := range of {
		dir := e.dirOf(repo)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		c, err := openClone(ctx, dir)
		if err != nil {
			return nil, 0, err
		}
		for _, i := range samples {
			found[i] = all[i].find(ctx, c)
		}
		c.close()
	}
	for i, s := range all {
		if found[i] {
			out = append(out, s)
		}
	}
	return out, len(all) - len(out), ctx.Err()
}

// labels returns the samples without their texts.
func labels() (out []sample, err error) {
	for line := range strings.Lines(quality + unfitted + passingTexts) {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return nil, fmt.Errorf("read the labels: %w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// find reads the text of a sample, and reports whether it is the one that was labelled.
func (s *sample) find(ctx context.Context, c *clone) bool {
	var data string
	if s.Git == nil {
		text, ok := c.read(s.Commit, s.Path)
		if !ok {
			return false
		}
		data = text
	} else {
		printed, err := gitread.Command(ctx, c.dir, s.Git...).Output()
		if err != nil {
			return false
		}
		data = string(printed)
	}
	for _, text := range s.texts(strings.ToValidUTF8(data, "\uFFFD")) {
		r := []rune(text)
		text = string(r[:min(len(r), longestSample)])
		if sum := md5.Sum([]byte(text)); hex.EncodeToString(sum[:]) == s.MD5 {
			s.text = text
			return true
		}
	}
	return false
}

var (
	listMark = regexp.MustCompile(`^\s*(?:[-*+]|\d+\.)\s+`)
	fenced   = regexp.MustCompile("(?s)```[a-z]*\\r?\\n(.*?)```")
)

// texts returns what the sample may be in a file or an output.
func (s *sample) texts(data string) (out []string) {
	switch {
	case s.Git != nil:
		return []string{strings.TrimSpace(data)}
	case s.From == 0:
		var issue any
		if json.Unmarshal([]byte(data), &issue) == nil {
			bodies(issue, func(body string) {
				for _, m := range fenced.FindAllStringSubmatch(body, -1) {
					out = append(out, strings.ReplaceAll(m[1], "\r", ""))
				}
			})
		}
		return out
	}
	lines := strings.Split(strings.ReplaceAll(data, "\r\n", "\n"), "\n")
	if s.To > len(lines) {
		return nil
	}
	block := strings.Join(lines[s.From-1:s.To], "\n")
	return []string{block, block + "\n", strings.TrimSpace(block), strings.TrimSpace(listMark.ReplaceAllString(block, ""))}
}

func bodies(x any, each func(string)) {
	switch x := x.(type) {
	case map[string]any:
		for name, v := range x {
			if body, ok := v.(string); ok && name == "body" {
				each(body)
			} else {
				bodies(v, each)
			}
		}
	case []any:
		for _, v := range x {
			bodies(v, each)
		}
	}
}

// weighed returns what becomes of a text that a person or an agent writes, and the code of what is said of it.
func weighed(g *gate.Gate, text string, by file.Origin) (gate.Outcome, gate.Code, error) {
	m := &file.Memory{What: gate.Clean(text), Type: file.Convention}
	m.Trust.Origin = by
	outcome, r := gate.Weigh(m)
	if outcome == gate.Refused {
		return outcome, r.Code, nil
	}
	if len([]rune(m.What)) > gate.MaxWhat {
		return gate.Refused, gate.Malformed, nil
	}
	if kind, err := g.Scan(m.What); err != nil || kind != "" {
		return gate.Refused, gate.Secret, err
	}
	if found := gate.Orders(m); len(found) > 0 {
		return gate.Refused, found[0].Code, nil
	}
	if outcome == gate.Doubtful {
		return outcome, r.Code, nil
	}
	return outcome, "", nil
}

// verdicts counts the outcomes of some texts.
type verdicts struct {
	texts          int
	agents, person [gate.Refused + 1]int
}

// Limits of what the gate does with what an agent writes.
const (
	mostJunkPassed  = .02 // of the named kinds, which nobody would look at
	mostGoodRefused = .01
)

func (e *evaluation) quality(ctx context.Context) (string, error) {
	all, missing, err := e.samples(ctx)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return "", evalkit.Missing("no repository of the labelled texts in %q (--repos)", e.repos)
	}
	g := gate.New(scope.Options{}, full.Rules{})
	g.Warm()
	counts := map[string]map[string]*verdicts{}
	left := e.misses
	var times []time.Duration
	for _, s := range all {
		start := time.Now()
		person, code, err := weighed(g, s.text, file.UserTaught)
		if err != nil {
			return "", err
		}
		agents, _, err := weighed(g, s.text, file.AgentExplicit)
		if err != nil {
			return "", err
		}
		times = append(times, time.Since(start)/2)
		set := s.set()
		if counts[set] == nil {
			counts[set] = map[string]*verdicts{}
		}
		for _, kind := range s.kinds() {
			if counts[set][kind] == nil {
				counts[set][kind] = &verdicts{}
			}
			counts[set][kind].count(person, agents)
		}
		if (person == gate.Refused) != s.Bad && s.Kind != useless && set == lookedAt && left > 0 {
			left--
			evalkit.Progress("%s of %s: %q: %.160q", s.Kind, s.Repo, code, s.text)
		}
	}
	t := evalkit.NewTable("", "texts", "of an agent: passed", "held", "refused", "of a person: stored", "of these advised", "refused")
	for _, set := range slices.Sorted(maps.Keys(counts)) {
		for _, kind := range slices.Sorted(maps.Keys(counts[set])) {
			v := counts[set][kind]
			t.Add(set+", "+kind, v.texts, rate(v.agents[gate.Kept], v.texts), rate(v.agents[gate.Doubtful], v.texts), rate(v.agents[gate.Refused], v.texts),
				v.texts-v.person[gate.Refused], v.person[gate.Doubtful], rate(v.person[gate.Refused], v.texts))
		}
		if set != lookedAt && !slices.Contains(ofPassing, set) {
			e.require(set, counts[set])
		}
	}
	slices.Sort(times)
	notes := []string{fmt.Sprintf("%d texts, %d not found; a check takes %v at the median, 99 %% within %v.", len(all), missing, times[len(times)/2], times[len(times)*99/100]),
		"Held is what waits for a person, who is told what it reads like; passed is what waits with the others and is accepted together with them."}
	return evalkit.Section{Title: "Junk and memories", Notes: notes, Table: t}.String(), nil
}

// Sums over the kinds.
const (
	everyText   = "ALL"
	namedKinds  = "JUNK of the six kinds"
	plainlyJunk = "JUNK without phrases"
	goodTexts   = "rule"
	junkToBoth  = "JUNK to both readers"
	goodToBoth  = "rule to both readers"
	plainly     = ", not arguable"
	fragment    = "fragment"
	phrases     = "fragment: a phrase"
)

// kinds lists what a sample counts for.
func (s sample) kinds() []string {
	out := []string{everyText, s.Kind}
	if s.Kind == goodTexts && s.Second == goodTexts {
		out = append(out, goodToBoth)
	}
	if s.Kind == goodTexts && s.judgedApart() && !s.Arguable {
		out = append(out, goodTexts+plainly)
	}
	if !s.Bad || s.Kind == output {
		return out
	}
	out = append(out, namedKinds)
	if s.judgedApart() && !s.Arguable {
		out = append(out, namedKinds+plainly)
	}
	if s.Kind == fragment {
		out = append(out, formOf(s.text))
	}
	if out[len(out)-1] != phrases {
		out = append(out, plainlyJunk)
	}
	if isJunk(s.Second) {
		out = append(out, junkToBoth)
	}
	return out
}

// judgedApart reports whether a text is of the draws whose arguable labels are marked.
func (s sample) judgedApart() bool { return slices.Contains([]string{"Z", "AA", "BB"}, s.Draw) }

// isJunk reports whether a kind is one of the six of which the gate should pass nothing.
func isJunk(kind string) bool {
	return slices.Contains([]string{"stack trace", "diff", "git log", "path list", "session", fragment}, kind)
}

// formOf says what a fragment is by its form: a phrase is what has none of the forms that can be told at a glance, such as an item
// of a list that might as well be a rule.
func formOf(text string) string {
	line := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(line, "#"):
		return "fragment: a heading"
	case strings.HasPrefix(line, "|"):
		return "fragment: a row"
	case strings.HasSuffix(strings.TrimRight(line, "*_ "), ":"):
		return "fragment: leads in"
	case len(strings.Fields(line)) == 1:
		return "fragment: a word"
	}
	return phrases
}

func (e *evaluation) require(set string, of map[string]*verdicts) {
	for _, limit := range []struct {
		kind, does string
		outcome    gate.Outcome
		most       float64
	}{{namedKinds, "pass", gate.Kept, mostJunkPassed}, {goodTexts, "are refused", gate.Refused, mostGoodRefused}} {
		v := of[limit.kind]
		if v != nil && evalkit.Share(v.agents[limit.outcome], v.texts) > limit.most {
			e.bad = append(e.bad, fmt.Sprintf("%s, %s: %d of %d texts %s, more than %.2f", set, limit.kind, v.agents[limit.outcome], v.texts, limit.does, limit.most))
		}
	}
}

func (v *verdicts) count(person, agents gate.Outcome) {
	v.texts++
	v.person[person]++
	v.agents[agents]++
}
