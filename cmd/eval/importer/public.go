package importer

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/file"
	"manicule/memory/importer"
)

// made is a memory that import makes of a public rule file, as judges see it.
type made struct {
	ID    string    `json:"id"`
	Repo  string    `json:"repo"`
	File  string    `json:"file"`
	Line  int       `json:"line"`
	Type  file.Type `json:"type"`
	Scope []string  `json:"scope,omitempty"`
	Label string    `json:"label,omitempty"`
	What  string    `json:"what"`
	Why   string    `json:"why,omitempty"`

	traits []float64
}

// madeOf returns the memories of a folder of repositories, by repository, all or only those that
// are likely to be of use.
func madeOf(ctx context.Context, dir string, all bool) ([]made, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []made
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		m, err := madeOfRepository(ctx, filepath.Join(dir, entry.Name()), entry.Name(), all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		out = append(out, m...)
	}
	return out, nil
}

// contributing is a guide for people, which import reads only by name.
const contributing = "CONTRIBUTING.md"

func madeOfRepository(ctx context.Context, dir, name string, all bool) ([]made, error) {
	list, err := os.ReadFile(filepath.Join(dir, "_filelist.txt"))
	if err != nil {
		return nil, err
	}
	day := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	opts := importer.Options{Root: os.DirFS(dir), Files: strings.Split(strings.TrimSpace(string(list)), "\n"), Now: day, All: all}
	chunks, _, err := importer.ReadAll(ctx, opts)
	if err != nil {
		return nil, err
	}
	if _, err := fs.Stat(opts.Root, contributing); err == nil {
		more, _, err := importer.Read(ctx, opts.Root, importer.Source{Path: contributing, Kind: importer.KindAgents}, opts)
		if err != nil {
			return nil, err
		}
		chunks = append(chunks, more...)
	}
	byFile := map[string][]importer.Chunk{}
	for _, c := range chunks {
		byFile[c.Origin.File] = append(byFile[c.Origin.File], c)
	}
	var out []made
	for _, path := range slices.Sorted(maps.Keys(byFile)) {
		traits := importer.TraitsOf(byFile[path], opts)
		for i, c := range byFile[path] {
			m := made{Repo: name, File: c.Origin.File, Line: c.Origin.Line, Type: c.Type, Scope: c.Scope, Label: c.Label, What: c.What, Why: c.Why, traits: traits[i]}
			m.ID = idOf(m)
			out = append(out, m)
		}
	}
	return out, nil
}

// idOf is a digest of everything that a judge sees, so that a verdict holds as long as
// that stays.
func idOf(m made) string {
	m.ID, m.Line = "", 0
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings can always be written
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// draw takes n random memories, spread evenly over the repositories.
func draw(all []made, n int, seed string) []made {
	rank := func(m made) string {
		sum := sha256.Sum256([]byte(seed + m.ID))
		return hex.EncodeToString(sum[:])
	}
	byRepo := map[string][]made{}
	for _, m := range all {
		byRepo[m.Repo] = append(byRepo[m.Repo], m)
	}
	type turn struct {
		round int
		rank  string
		m     made
	}
	var turns []turn
	for _, ms := range byRepo {
		slices.SortFunc(ms, func(a, b made) int { return strings.Compare(rank(a), rank(b)) })
		for i, m := range ms {
			turns = append(turns, turn{i, rank(m), m})
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(a.round-b.round, strings.Compare(a.rank, b.rank)) })
	var out []made
	for _, t := range turns[:min(n, len(turns))] {
		out = append(out, t.m)
	}
	return out
}

// judgement is the verdict of a reader who did not know which version made the memory.
type judgement struct {
	Draw    int       `json:"draw"`
	ID      string    `json:"id"`
	Made    string    `json:"made"` // before, after
	Repo    string    `json:"repo"`
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Type    file.Type `json:"type"`
	Verdict string    `json:"verdict"` // good, borderline, wrong
	Reason  string    `json:"reason"`
}

//go:embed testdata/judged.jsonl
var judgedLines string

// judged returns the share of good memories in the draws from unseen repositories.
func (e *evaluation) judged(context.Context) (string, error) {
	all, err := evalkit.ParseLines[judgement](judgedLines)
	if err != nil {
		return "", err
	}
	t := evalkit.NewTable("draw", "importer", "memories", "good", "borderline", "wrong")
	count := map[string]map[string]int{}
	for _, j := range all {
		for _, k := range []string{fmt.Sprintf("%d|%s", j.Draw, j.Made), "all|" + j.Made} {
			if count[k] == nil {
				count[k] = map[string]int{}
			}
			count[k][j.Verdict]++
			count[k]["n"]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(count)) {
		c := count[k]
		draw, made, _ := strings.Cut(k, "|")
		t.Add(draw, made, c["n"], evalkit.Ratio(c["good"], c["n"]), c["borderline"], c["wrong"])
	}
	return evalkit.Section{Title: "Memories drawn from unseen repositories, judged by reading", Table: t}.String(), nil
}

// sample prints memories of a folder of repositories for a judge.
func (e *evaluation) sample(ctx context.Context) (string, error) {
	dir, err := e.data.Path("agent-rules", e.set)
	if err != nil {
		return "", err
	}
	all, err := madeOf(ctx, dir, e.all)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range draw(all, e.drawn, e.seed) {
		text, err := json.Marshal(m)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	return b.String(), nil
}
