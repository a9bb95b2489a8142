package retrieval

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/restate"
)

// Bounds on people's STS-B scores: from the first on two sentences say the same, up to
// the second they don't. Pairs between them are left out.
const (
	sameFrom  = 4.0
	otherUpTo = 3.0
)

// notesFrom is the cosine from which pairs of notes were judged.
const notesFrom = 0.85

// sameLabels are hand-judged pairs of memory-notes, by the ids of the notes: whether one
// of the two is enough.
//
//go:embed testdata/same.jsonl
var sameLabels string

// twoTexts is a pair of texts and whether they say the same.
type twoTexts struct {
	a, b string
	same bool
	cos  float64
}

// consolidation measures the cosine from which two memories say the same. It compares the
// text alone with the prefixed text that search embeds, both with and without what Differ
// refuses.
func consolidation(ctx context.Context, o options) (_ string, bad []string, err error) {
	path, err := o.data.Path("stsb", o.split, "pairs.jsonl")
	if err != nil {
		return "", nil, err
	}
	p, err := readPairs(path)
	if err != nil {
		return "", nil, err
	}
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	var b strings.Builder
	for _, prefixed := range []bool{false, true} {
		var set []twoTexts
		for i, s := range p.score {
			if s >= sameFrom || s < otherUpTo {
				set = append(set, twoTexts{a: p.a[i], b: p.b[i], same: s >= sameFrom})
			}
		}
		if err := cosines(ctx, model, set, prefixed); err != nil {
			return "", nil, err
		}
		b.WriteString(tableOf("STS-B "+o.split, prefixed, set))
	}
	notes, err := o.data.Path("memory-notes", "dev", "notes.jsonl")
	if err != nil {
		return b.String(), nil, err
	}
	text, err := notePairs(ctx, model, notes)
	return b.String() + text, nil, err
}

// asMemory returns a text as a memory of some module.
func asMemory(text string) *file.Memory {
	return &file.Memory{Type: file.Gotcha, What: text, Scope: file.Scope{"src/auth/**"}}
}

func cosines(ctx context.Context, model *embed.Service, set []twoTexts, prefixed bool) error {
	var texts []string
	for _, j := range set {
		for _, t := range []string{j.a, j.b} {
			if prefixed {
				t = embed.MemoryText(asMemory(t))
			}
			texts = append(texts, t)
		}
	}
	_, v, err := model.Embed(ctx, embed.Background, texts, nil)
	if err != nil {
		return fmt.Errorf("embed the pairs: %w", err)
	}
	for i := range set {
		set[i].cos = cosine(v[2*i], v[2*i+1])
	}
	return nil
}

// tableOf tabulates precision and recall by threshold.
func tableOf(name string, prefixed bool, set []twoTexts) string {
	how := "the text"
	if prefixed {
		how = "the text with its prefix"
	}
	same := 0
	for _, j := range set {
		if j.same {
			same++
		}
	}
	out := evalkit.NewTable("cosine from", "precision", "recall", "wrong", "precision without the rules", "recall", "wrong")
	for t := 0.70; t < 0.985; t += 0.02 {
		row := []any{fmt.Sprintf("%.2f", t)}
		for _, rules := range []bool{true, false} {
			right, wrong := 0, 0
			for _, j := range set {
				if j.cos < t || rules && restate.Differ(j.a, j.b) != "" {
					continue
				}
				if j.same {
					right++
				} else {
					wrong++
				}
			}
			row = append(row, fmt.Sprintf("%.3f", evalkit.Share(right, right+wrong)), fmt.Sprintf("%.3f", evalkit.Share(right, same)), wrong)
		}
		out.Add(row...)
	}
	return evalkit.Section{Title: fmt.Sprintf("%s, by %s: %d pairs that say the same, %d that don't", name, how, same, len(set)-same), Table: out}.String()
}

// label is a judged pair of notes.
type label struct {
	A    string `json:"a"`
	B    string `json:"b"`
	Same bool   `json:"same"`
}

// notePairs measures on notes of the same project and kind. Similar pairs without a label
// are listed for judging.
func notePairs(ctx context.Context, model *embed.Service, path string) (string, error) {
	all, err := evalkit.ReadLines[note](path)
	if err != nil {
		return "", err
	}
	labels := map[[2]string]bool{}
	list, err := evalkit.ParseLines[label](sameLabels)
	if err != nil {
		return "", err
	}
	for _, l := range list {
		labels[[2]string{l.A, l.B}] = l.Same
	}
	var texts []string
	for _, n := range all {
		texts = append(texts, n.Text)
	}
	_, v, err := model.Embed(ctx, embed.Background, texts, nil)
	if err != nil {
		return "", fmt.Errorf("embed the notes: %w", err)
	}
	type near struct {
		i, j int
		cos  float64
	}
	var pairs []near
	for i := range all {
		for j := i + 1; j < len(all); j++ {
			if all[i].Repo != all[j].Repo || all[i].Type != all[j].Type {
				continue
			}
			if c := cosine(v[i], v[j]); c >= notesFrom {
				pairs = append(pairs, near{i, j, c})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b near) int { return cmp.Compare(b.cos, a.cos) })
	var set []twoTexts
	for _, p := range pairs {
		same, ok := labels[[2]string{all[p.i].ID, all[p.j].ID}]
		if !ok {
			_, _ = fmt.Fprintf(os.Stderr, "no label: %.3f %s %s %q\n  %s\n  %s\n", p.cos, all[p.i].ID, all[p.j].ID, restate.Differ(all[p.i].Text, all[p.j].Text), all[p.i].Text, all[p.j].Text)
			continue
		}
		set = append(set, twoTexts{a: all[p.i].Text, b: all[p.j].Text, same: same, cos: p.cos})
	}
	return tableOf(fmt.Sprintf("memory-notes dev, the judged pairs from %.2f on of %d notes", notesFrom, len(all)), false, set), nil
}
