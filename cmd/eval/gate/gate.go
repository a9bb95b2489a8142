// Package gate measures the write gate: the recall and the false alarms of the quick
// secret scan, of the full one, and of the detector of prompt injection.
// docs/secrets.md and docs/privacy.md hold the latest figures. The package must not
// use anything that callers of the scanners can't use.
package gate

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/gate/injection"
	"manicule/memory/secret"
	"manicule/memory/secret/full"
)

type evaluation struct {
	data      evalkit.Data
	sentences string
	models    string
	repos     string
	misses    int
	check     bool
	bad       []string // figures that are worse than required
}

// Command is `eval gate`.
func Command() *cobra.Command {
	var e evaluation
	parts := []evalkit.Part{{Name: "secrets", Run: e.print(e.secrets)}, {Name: "injection", Run: e.print(e.injection)},
		{Name: "restated", Run: e.printIn(e.restated)},
		{Name: "one-symbol", Run: e.printIn(e.toldAtOneSymbol)},
		{Name: "quality", Run: e.printIn(e.quality)}}
	cmd := evalkit.Command("gate", "Measure the write gate: secrets, orders to agents, what was said before, junk", evalkit.Names(parts), func(ctx context.Context, only []string) error {
		_, err := evalkit.RunParts(ctx, parts, only)
		if err == nil && e.check && len(e.bad) > 0 {
			err = errors.New(strings.Join(e.bad, "\n"))
		}
		return err
	})
	cmd.AddCommand(e.trainCommand(), e.judgeCommand(), e.linesCommand())
	f := cmd.Flags()
	e.data.Flag(f)
	f.StringVar(&e.sentences, "sentences", "memory/secret/testdata", "the folder with prose.txt and prose_unseen.txt")
	f.StringVar(&e.models, "models", modelsFolder(), "the folder of models, for what is said again in other words")
	f.StringVar(&e.repos, "repos", "repos", "the folder with clones OWNER+NAME/repo of the repositories of the labelled texts")
	f.IntVar(&e.misses, "misses", 0, "how many wrong texts of a set to print")
	f.BoolVar(&e.check, "check", false, "exit with 1 if a figure is worse than required")
	return cmd
}

func (e *evaluation) print(measure func() (string, error)) func(context.Context) error {
	return func(context.Context) error {
		text, err := measure()
		if err == nil {
			_, err = fmt.Println(text)
		}
		return err
	}
}

func (e *evaluation) printIn(measure func(context.Context) (string, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		return e.print(func() (string, error) { return measure(ctx) })(ctx)
	}
}

// text is one text of a set. A bad one must be found.
type text struct {
	text, of string // of is the kind of thing in the text
	bad      bool
}

// set is a group of texts.
type set struct {
	name  string
	texts []text
}

// tally counts the texts in which a scan finds something.
type tally struct{ found, bad, alarms, good int }

func (t tally) recall() string { return rate(t.found, t.bad) }
func (t tally) wrong() string  { return rate(t.alarms, t.good) }

func rate(n, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%d (%s)", n, strings.TrimPrefix(evalkit.Ratio(n, all), "0"))
}

// scan counts over a set and prints the errors.
func (e *evaluation) scan(s set, how string, find func(string) (kind string, err error)) (t tally, err error) {
	left := e.misses
	for _, x := range s.texts {
		kind, err := find(x.text)
		if err != nil {
			return t, fmt.Errorf("scan %s: %w", s.name, err)
		}
		if (kind != "") != x.bad && left > 0 {
			left--
			evalkit.Progress("%s, %s: %q in %s: %.150q", s.name, how, kind, x.of, x.text)
		}
		n, all := &t.alarms, &t.good
		if x.bad {
			n, all = &t.found, &t.bad
		}
		*all++
		if kind != "" {
			*n++
		}
	}
	return t, nil
}

// quick returns the first finding of the quick scan.
func quick(s string) (string, error) {
	if found := secret.Find(s); len(found) > 0 {
		return found[0].Kind, nil
	}
	return "", nil
}

// secrets measures both secret scans.
func (e *evaluation) secrets() (string, error) {
	t := evalkit.NewTable("", "secrets", "found, quick", "full", "harmless", "false alarms, quick", "full")
	var missing []string
	for _, read := range []func() ([]set, error){e.lines, e.prose, e.rules, e.harmless} {
		sets, err := read()
		if errors.Is(err, evalkit.ErrMissing) {
			missing = append(missing, err.Error())
			continue
		}
		if err != nil {
			return "", err
		}
		for _, s := range sets {
			fast, err := e.scan(s, "quick", quick)
			if err != nil {
				return "", err
			}
			slow, err := e.scan(s, "full", full.First)
			if err != nil {
				return "", err
			}
			t.Add(s.name, fast.bad, fast.recall(), slow.recall(), fast.good, fast.wrong(), slow.wrong())
		}
	}
	if len(t.Rows) == 0 {
		return "", evalkit.Missing("%s", strings.Join(missing, "; "))
	}
	return evalkit.Section{Title: "Secrets", Notes: missing, Table: t}.String(), nil
}

// lines returns lines of real repositories (CredData), without UUIDs and examples.
func (e *evaluation) lines() ([]set, error) {
	type line struct {
		Repo     string `json:"repo_id"`
		Label    string `json:"gt"`
		Category string `json:"category"`
		Text     string `json:"text"`
	}
	path, err := e.data.Path("secrets", "dev", "creddata_lines.jsonl")
	if err != nil {
		return nil, err
	}
	list, err := evalkit.ReadLines[line](path)
	var s set
	repos := map[string]bool{}
	for _, l := range list {
		if l.Label != "X" && !strings.HasPrefix(l.Category, "UUID") {
			s.texts = append(s.texts, text{l.Text, l.Category, l.Label == "T"})
			repos[l.Repo] = true
		}
	}
	s.name = fmt.Sprintf("lines of %d repositories", len(repos))
	return []set{s}, err
}

// prose returns sentences that were written for this, some of them after the rules.
func (e *evaluation) prose() ([]set, error) {
	var out []set
	for _, s := range []struct{ name, file string }{{"sentences", "prose.txt"}, {"sentences that were written after the rules", "prose_unseen.txt"}} {
		name := filepath.Join(filepath.FromSlash(e.sentences), s.file)
		if _, err := os.Stat(name); err != nil {
			return nil, evalkit.Missing("%v", err)
		}
		one := set{name: s.name}
		err := evalkit.Lines(name, func(line []byte) error {
			switch l := strings.TrimSpace(string(line)); {
			case strings.HasPrefix(l, "+ "), strings.HasPrefix(l, "- "):
				one.texts = append(one.texts, text{l[2:], "a sentence", l[0] == '+'})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// rules returns the examples of gitleaks' own rules.
func (e *evaluation) rules() ([]set, error) {
	type example struct {
		Rule   string `json:"rule"`
		Secret bool   `json:"secret"`
		Text   string `json:"text"`
	}
	path, err := e.data.Path("secrets", "dev", "gitleaks_rules.jsonl")
	if err != nil {
		return nil, err
	}
	list, err := evalkit.ReadLines[example](path)
	s := set{name: "examples of gitleaks' rules"}
	for _, x := range list {
		s.texts = append(s.texts, text{x.Text, x.Rule, x.Secret})
	}
	return []set{s}, err
}

// harmless returns texts in which a person found nothing.
func (e *evaluation) harmless() ([]set, error) {
	notes, err := e.notes()
	if err != nil {
		return nil, err
	}
	rules, err := e.ruleFiles()
	if err != nil {
		return nil, err
	}
	sessions, err := e.sessions()
	return []set{notes, rules, sessions}, err
}

func (e *evaluation) notes() (set, error) {
	path, err := e.data.Path("memory-notes", "dev", "notes.jsonl")
	if err != nil {
		return set{}, err
	}
	list, err := evalkit.ReadLines[struct {
		Text string `json:"text"`
	}](path)
	s := set{name: "notes of agents"}
	for _, n := range list {
		s.texts = append(s.texts, text{text: n.Text, of: "a note"})
	}
	return s, err
}

func (e *evaluation) ruleFiles() (set, error) {
	dir, err := e.data.Path("agent-rules", "dev")
	if err != nil {
		return set{}, err
	}
	s := set{name: "rule files of agents"}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		s.texts = append(s.texts, text{text: string(data), of: path})
		return err
	})
	return s, err
}

// sessions returns texts of people and agents in recorded sessions.
func (e *evaluation) sessions() (set, error) {
	dir, err := e.data.Path("agent-sessions", "dev")
	if err != nil {
		return set{}, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	s := set{name: "texts of recorded sessions"}
	for _, name := range names {
		events, err := evalkit.ReadLines[struct {
			Text   string `json:"text"`
			Prompt string `json:"prompt"`
		}](name)
		if err != nil {
			return s, err
		}
		for _, v := range events {
			for _, said := range []string{v.Text, v.Prompt} {
				if said != "" {
					s.texts = append(s.texts, text{text: said, of: filepath.Base(name)})
				}
			}
		}
	}
	return s, err
}

// The lowest recall and the highest false-alarm rate that are accepted.
const (
	leastAttacks = .85
	mostAlarms   = .02
)

// injection measures on attacks and on benign texts that are full of their words. The set
// has two halves by the hash of the text. The patterns were written knowing the kinds of
// all attacks, but only misses of the first half were inspected.
func (e *evaluation) injection() (string, error) {
	path, err := e.data.Path("prompt-injection", "dev", "items.jsonl")
	if err != nil {
		return "", err
	}
	items, err := evalkit.ReadLines[struct {
		Label  int    `json:"label"` // 1 for an attack
		Source string `json:"source"`
		Text   string `json:"text"`
	}](path)
	if err != nil {
		return "", err
	}
	all := set{name: "**all of the dataset**"}
	halves := []set{{name: "first half, misses looked at"}, {name: "second half"}}
	sources := map[string]*set{}
	for _, i := range items {
		x := text{i.Text, i.Source, i.Label == 1}
		half := &halves[md5.Sum([]byte(i.Text))[0]&1]
		half.texts, all.texts = append(half.texts, x), append(all.texts, x)
		origin, _, _ := strings.Cut(i.Source, "_")
		if sources[origin] == nil {
			sources[origin] = &set{name: "*" + origin + "*"}
		}
		sources[origin].texts = append(sources[origin].texts, x)
	}
	sets := append(halves, all)
	for _, s := range sources {
		sets = append(sets, *s)
	}
	slices.SortStableFunc(sets[3:], func(a, b set) int { return strings.Compare(a.name, b.name) })
	for _, read := range []func() (set, error){e.notes, e.ruleFiles} {
		s, err := read()
		if errors.Is(err, evalkit.ErrMissing) {
			continue
		}
		if err != nil {
			return "", err
		}
		sets = append(sets, s)
	}
	t := evalkit.NewTable("", "attacks", "recognised", "benign", "false alarms")
	for _, s := range sets {
		n, err := e.scan(s, "injection", func(s string) (string, error) { return string(injection.Find(s)), nil })
		if err != nil {
			return "", err
		}
		t.Add(s.name, n.bad, n.recall(), n.good, n.wrong())
		if s.name != all.name {
			continue
		}
		if evalkit.Share(n.found, n.bad) < leastAttacks {
			e.bad = append(e.bad, fmt.Sprintf("%d of %d attacks are recognised, less than %.2f", n.found, n.bad, leastAttacks))
		}
		if evalkit.Share(n.alarms, n.good) > mostAlarms {
			e.bad = append(e.bad, fmt.Sprintf("%d false alarms are more than %.2f of %d", n.alarms, mostAlarms, n.good))
		}
	}
	return evalkit.Section{Title: "Orders to agents", Table: t}.String(), nil
}
