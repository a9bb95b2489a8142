package gate

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/consolidate"
	"manicule/memory/embed"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
	"manicule/memory/restate"
)

// corrections and restatements are sentences that were written for this, before the rules were run
// on them.
//
//go:embed testdata/corrections.tsv
var corrections string

//go:embed testdata/restatements.tsv
var restatements string

// Notes of which a rule makes corrections, and from which score people say that two sentences of
// STS-B say the same.
const (
	generated = 100
	sameScore = 4.5
)

// twice is two sentences, of which the second says the first again or corrects it.
type twice struct{ kind, a, b string }

// written reads pairs of a file in testdata.
func written(text string) (out []twice) {
	for line := range strings.Lines(text) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 && !strings.HasPrefix(line, "#") {
			out = append(out, twice{f[0], f[1], f[2]})
		}
	}
	return out
}

// rewriting makes a correction of a sentence: it replaces the first match.
type rewriting struct {
	kind string
	from *regexp.Regexp
	to   func(match string) string
}

// rewritings are the rules that make corrections. They share nothing with the rules that are
// measured.
func rewritings() []rewriting {
	word := func(kind, from, to string) rewriting {
		return rewriting{kind, regexp.MustCompile(`\b` + from + `\b`), func(string) string { return to }}
	}
	return []rewriting{
		{"number", regexp.MustCompile(`\b\d+\b`), func(m string) string {
			n, err := strconv.Atoi(m)
			if err != nil {
				return m + "0"
			}
			return strconv.Itoa(n + 1 + n/3)
		}},
		word("negation", "is", "is not"), word("negation", "are", "are not"), word("negation", "must", "must not"), word("negation", "should", "should not"),
		word("negation", "uses", "doesn't use"), word("negation", "can", "can't"), word("negation", "requires", "doesn't require"), word("negation", "not", ""),
		word("opposite", "before", "after"), word("opposite", "after", "before"), word("opposite", "all", "some"), word("opposite", "always", "never"),
		word("opposite", "enabled", "disabled"), word("opposite", "only", "never"), word("opposite", "first", "last"), word("opposite", "local", "remote"),
		word("unit", "seconds", "minutes"), word("unit", "minutes", "hours"), word("unit", "MB", "GB"), word("unit", "bytes", "lines"),
		word("limit", "when", "unless"), word("limit", "if", "unless"),
	}
}

// rewritten makes corrections of notes: each rule in turn takes the next note that it changes.
func rewritten(notes []text) (out []twice) {
	rules := rewritings()
	used := map[int]bool{}
	at := make([]int, len(rules))
	for misses := 0; len(out) < generated && misses < len(rules); {
		misses = 0
		for r, rule := range rules {
			found := false
			for ; at[r] < len(notes) && !found && len(out) < generated; at[r]++ {
				s := notes[at[r]].text
				m := rule.from.FindStringIndex(s)
				if m == nil || used[at[r]] || len(s) > 300 || strings.HasPrefix(s[m[1]:], " not ") {
					continue
				}
				used[at[r]], found = true, true
				out = append(out, twice{rule.kind, s, strings.ReplaceAll(s[:m[0]]+rule.to(s[m[0]:m[1]])+s[m[1]:], "  ", " ")})
			}
			if !found {
				misses++
			}
		}
	}
	return out
}

// halves splits pairs into those that were looked at while the rules were written, and the others.
func halves(all []twice) (seen, unseen []twice) {
	for i, p := range all {
		if i%2 == 0 {
			seen = append(seen, p)
		} else {
			unseen = append(unseen, p)
		}
	}
	return seen, unseen
}

// said counts what the gate makes of pairs.
type said struct{ n, words, meaning, conflict int }

// again judges pairs as the gate does; cosines is nil without a model.
func (e *evaluation) again(name string, pairs []twice, cosines []float64, merging bool) (s said) {
	left := e.misses
	for i, p := range pairs {
		v, why := restate.Read(p.a).Judge(restate.Read(p.b))
		near := cosines != nil && cosines[i] >= consolidate.Threshold && why == ""
		s.n++
		if v == restate.Same {
			s.words++
		}
		if v == restate.Same || near {
			s.meaning++
		}
		if v == restate.Corrects {
			s.conflict++
		}
		if wrong := (v == restate.Same || near) != merging; left > 0 && (wrong || !merging && v != restate.Corrects) {
			left--
			cos := 0.0
			if cosines != nil {
				cos = cosines[i]
			}
			evalkit.Progress("%s, %s: verdict %d, %q, cosine %.2f:\n  %s\n  %s", name, p.kind, v, why, cos, p.a, p.b)
		}
	}
	return s
}

// restated measures what is merged of what says the same, and of what corrects it.
func (e *evaluation) restated(ctx context.Context) (_ string, err error) {
	model := e.model()
	if model != nil {
		defer func() { err = errors.Join(err, model.Close()) }()
	}
	cols := []string{"pairs", "merged by words", "with a model, too", "shown as a conflict"}
	t := evalkit.NewTable(append([]string{""}, cols...)...)
	add := func(name string, pairs []twice, merging bool) error {
		var cosines []float64
		if model != nil {
			var err error
			if cosines, err = cosinesOf(ctx, model, pairs); err != nil {
				return err
			}
		}
		s := e.again(name, pairs, cosines, merging)
		with := "–"
		if model != nil {
			with = rate(s.meaning, s.n)
		}
		t.Add(name, s.n, rate(s.words, s.n), with, rate(s.conflict, s.n))
		if !merging && s.meaning > 0 {
			e.bad = append(e.bad, fmt.Sprintf("%s: %d corrections are merged", name, s.meaning))
		}
		return nil
	}
	notes, err := e.notes()
	missing := []string{}
	if err != nil {
		missing = append(missing, err.Error())
	}
	for _, set := range []struct {
		name  string
		pairs []twice
	}{{"written by hand", written(corrections)}, {"made of notes by rules", rewritten(notes.texts)}} {
		seen, unseen := halves(set.pairs)
		if err := errors.Join(add("corrections "+set.name+", looked at", seen, false), add("corrections "+set.name+", kept", unseen, false)); err != nil {
			return "", err
		}
	}
	seen, unseen := halves(written(restatements))
	if err := errors.Join(add("restatements, looked at", seen, true), add("restatements, kept", unseen, true)); err != nil {
		return "", err
	}
	pairs, err := e.sts()
	if err != nil {
		missing = append(missing, err.Error())
	} else if err := add("STS-B, scores from 4.5", pairs, true); err != nil {
		return "", err
	}
	if subject := about(notes.texts, "rtk"); len(subject) > 0 {
		if err := add(fmt.Sprintf("all pairs of the %d notes about rtk", subjects(notes.texts, "rtk")), subject, true); err != nil {
			return "", err
		}
	}
	return evalkit.Section{Title: "Said again", Notes: append(missing, speed(notes.texts)), Table: t}.String(), nil
}

// speed measures the comparison of one text with all others.
func speed(notes []text) string {
	if len(notes) == 0 {
		return ""
	}
	start := time.Now()
	for _, n := range notes[:min(20, len(notes))] {
		x := restate.Read(n.text)
		for _, o := range notes[:min(20, len(notes))] {
			x.Judge(restate.Read(o.text))
		}
	}
	return fmt.Sprintf("a text and 20 candidates are compared in %.2f ms", float64(time.Since(start).Microseconds())/1000/float64(min(20, len(notes))))
}

// sts returns the pairs of STS-B that say the same.
func (e *evaluation) sts() (out []twice, err error) {
	path, err := e.data.Path("stsb", "dev", "pairs.jsonl")
	if err != nil {
		return nil, err
	}
	list, err := evalkit.ReadLines[struct {
		A     string  `json:"a"`
		B     string  `json:"b"`
		Score float64 `json:"score"`
	}](path)
	for _, p := range list {
		if p.Score >= sameScore {
			out = append(out, twice{"sts", p.A, p.B})
		}
	}
	return out, err
}

// about pairs the notes that mention a word.
func about(notes []text, word string) (out []twice) {
	var list []string
	for _, n := range notes {
		if strings.Contains(strings.ToLower(n.text), word) {
			list = append(list, n.text)
		}
	}
	for i, a := range list {
		for _, b := range list[:i] {
			out = append(out, twice{"about " + word, a, b})
		}
	}
	return out
}

func subjects(notes []text, word string) (n int) {
	for _, x := range notes {
		if strings.Contains(strings.ToLower(x.text), word) {
			n++
		}
	}
	return n
}

// model returns the model in the folder of models, nil if there is none.
func (e *evaluation) model() *embed.Service {
	dir := models.Open(e.models)
	p := provider.New(provider.Settings{Provider: provider.Local}, dir)
	if e.models == "" || p.Expect().Model == "" {
		return nil
	}
	return p.Service(embed.System())
}

func cosinesOf(ctx context.Context, model *embed.Service, pairs []twice) ([]float64, error) {
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p.a, p.b)
	}
	_, v, err := model.Embed(ctx, embed.Background, texts, nil)
	if err != nil {
		return nil, fmt.Errorf("embed the pairs: %w", err)
	}
	out := make([]float64, len(pairs))
	for i := range pairs {
		var ab, aa, bb float64
		for k := range v[2*i] {
			x, y := float64(v[2*i][k]), float64(v[2*i+1][k])
			ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
		}
		out[i] = ab / math.Sqrt(aa*bb)
	}
	return out, nil
}

// modelsFolder is the folder of models of this machine's user, or "".
func modelsFolder() string { return os.Getenv("MANICULE_EVAL_MODELS") }
