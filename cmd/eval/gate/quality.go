package gate

import (
	"context"
	"crypto/md5"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/gate/junk"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// quality names texts of public repositories with a label that was given before the gate was asked:
// lines of a file, a fenced block of an issue, or what git prints. The texts themselves are not here.
//
//go:embed testdata/quality.jsonl
var quality string

// Limits of the labelled sample.
const (
	mostJunkPassed  = .02
	mostGoodRefused = .01
	longestSample   = 900 // characters of a text that are used
)

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
	text   string
}

// kept reports whether nobody looked at what the gate says of the sample.
func (s sample) kept() bool { return strings.Contains("13579bdf", s.MD5[:1]) }

// samples returns the samples whose repository is there.
func (e *evaluation) samples(ctx context.Context) (out []sample, missing int, err error) {
	for line := range strings.Lines(quality) {
		var s sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return nil, 0, fmt.Errorf("read the labels: %w", err)
		}
		if !e.find(ctx, &s) {
			missing++
			continue
		}
		out = append(out, s)
	}
	return out, missing, nil
}

// find reads the text of a sample, and reports whether it is the one that was labelled.
func (e *evaluation) find(ctx context.Context, s *sample) bool {
	args := s.Git
	if args == nil {
		args = []string{"show", s.Commit + ":" + s.Path}
	}
	dir := filepath.Join(e.repos, strings.Replace(s.Repo, "/", "+", 1), "repo")
	data, err := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + dir}, args...)...).Output()
	if err != nil {
		return false
	}
	for _, text := range s.texts(strings.ToValidUTF8(string(data), "\uFFFD")) {
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

// refused returns the gate's reason against a text that a person writes, "" for none.
func refused(g *gate.Gate, text string) (gate.Code, error) {
	m := &file.Memory{What: text}
	m.Trust.Origin = file.UserTaught
	m.What = gate.Clean(m.What)
	if kind, found := junk.Find(m.What); found {
		return gate.Code(kind), nil
	}
	if len([]rune(m.What)) > gate.MaxWhat {
		return gate.Malformed, nil
	}
	if kind, err := g.Scan(m.What); err != nil || kind != "" {
		return gate.Secret, err
	}
	if found := gate.Orders(m); len(found) > 0 {
		return found[0].Code, nil
	}
	return "", nil
}

// judged counts the verdicts over some samples.
type judged struct{ junk, passed, good, refused int }

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
	halves := [2]map[string]*judged{{}, {}}
	left := e.misses
	var times []time.Duration
	for _, s := range all {
		half := 0
		if s.kept() {
			half = 1
		}
		start := time.Now()
		code, err := refused(g, s.text)
		if err != nil {
			return "", err
		}
		times = append(times, time.Since(start))
		for _, kind := range []string{s.Kind, "all"} {
			j := halves[half][kind]
			if j == nil {
				j = &judged{}
				halves[half][kind] = j
			}
			j.count(s.Bad, code != "")
		}
		if (code != "") != s.Bad && half == 0 && left > 0 {
			left--
			evalkit.Progress("%s of %s: %q: %.160q", s.Kind, s.Repo, code, s.text)
		}
	}
	t := evalkit.NewTable("", "texts", "junk", "passed", "good", "refused")
	var kinds []string
	for kind := range halves[1] {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for half, name := range []string{"looked at", "kept"} {
		for _, kind := range kinds {
			if j := halves[half][kind]; j != nil {
				t.Add(name+", "+kind, j.junk, rate(j.passed, j.junk), j.good, rate(j.refused, j.good))
			}
		}
	}
	if j := halves[1]["all"]; j != nil {
		e.require(*j)
	}
	slices.Sort(times)
	notes := []string{fmt.Sprintf("%d texts, %d not found; a check takes %v at the median, %v at most.", len(all), missing, times[len(times)/2], times[len(times)-1])}
	return evalkit.Section{Title: "Junk and memories", Notes: notes, Table: t}.String(), nil
}

func (e *evaluation) require(j judged) {
	if evalkit.Share(j.passed, j.junk) > mostJunkPassed {
		e.bad = append(e.bad, fmt.Sprintf("%d of %d junk texts pass, more than %.2f", j.passed, j.junk, mostJunkPassed))
	}
	if evalkit.Share(j.refused, j.good) > mostGoodRefused {
		e.bad = append(e.bad, fmt.Sprintf("%d of %d good texts are refused, more than %.2f", j.refused, j.good, mostGoodRefused))
	}
}

func (j *judged) count(bad, refused bool) {
	switch {
	case bad && !refused:
		j.passed++
	case !bad && refused:
		j.refused++
	}
	if bad {
		j.junk++
	} else {
		j.good++
	}
}
