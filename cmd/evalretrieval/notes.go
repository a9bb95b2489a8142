package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// note is what an agent's session taught, of the set memory-notes.
type note struct {
	ID      string    `json:"_id"`
	Repo    string    `json:"repo"`
	Type    string    `json:"type"` // repo, code, workflow, friction
	Text    string    `json:"text"`
	Path    string    `json:"path"`
	Created time.Time `json:"created_at"`
}

// question is one query with its notes. AsOf is when it was asked; zero where
// any note counts.
type question struct {
	Repo string             `json:"repo"`
	Text string             `json:"text"`
	AsOf time.Time          `json:"asof"`
	Rel  map[string]float64 `json:"rel"`
}

// notes asks the product's own pipeline for notes, as memories of a workspace:
// by words, by meaning, by both. Figures are means of nDCG@10.
func notes(ctx context.Context, o options) (string, []string, error) {
	name, err := o.file("memory-notes", "dev", "notes.jsonl")
	if err != nil {
		return "", nil, err
	}
	all, err := readLines[note](name)
	if err != nil {
		return "", nil, err
	}
	open := func(ctx context.Context) (embed.Embedder, error) {
		return o.open(ctx, configuration{model: "all-MiniLM-L6-v2"})
	}
	service := embed.New(embed.Options{Open: []embed.Opener{open}, Idle: time.Hour, Clock: embed.System()})
	var b strings.Builder
	b.WriteString("### Memory notes, nDCG@10 (dev)\n\n| set | questions | words | meaning | both | both better / worse than words |\n|---|---:|---:|---:|---:|---:|\n")
	var bad []string
	for _, set := range []string{"intent2notes", "prompt2notes"} {
		line, worse, err := noteSet(ctx, filepath.Join(filepath.Dir(name), set+".jsonl"), set, all, service)
		if err != nil {
			return "", nil, errors.Join(err, service.Close())
		}
		b.WriteString(line)
		bad = append(bad, worse...)
	}
	return b.String(), bad, service.Close()
}

func noteSet(ctx context.Context, name, set string, all []note, service *embed.Service) (line string, worse []string, err error) {
	questions, err := readLines[question](name)
	if err != nil {
		return "", nil, err
	}
	spaces := map[string]*noteSpace{}
	defer func() {
		for _, s := range spaces {
			err = errors.Join(err, s.close())
		}
	}()
	var words, meaning, both []float64
	for _, q := range questions {
		s := spaces[q.Repo]
		if s == nil {
			if s, err = newNoteSpace(ctx, q.Repo, all, service); err != nil {
				return "", nil, err
			}
			spaces[q.Repo] = s
		}
		for _, way := range []struct {
			into           *[]float64
			words, meaning bool
		}{{&words, true, false}, {&meaning, false, true}, {&both, true, true}} {
			score, err := s.ask(ctx, q, way.words, way.meaning, service)
			if err != nil {
				return "", nil, err
			}
			*way.into = append(*way.into, score)
		}
	}
	up, down := 0, 0
	for i := range both {
		switch {
		case both[i] > words[i]:
			up++
		case both[i] < words[i]:
			down++
		}
	}
	if best := max(mean(words), mean(meaning)); mean(both) < best {
		worse = append(worse, fmt.Sprintf("%s: both %.3f, the better leg alone %.3f", set, mean(both), best))
	}
	return fmt.Sprintf("| %s | %d | %.3f | %.3f | %.3f | %d / %d |\n", set, len(questions), mean(words), mean(meaning), mean(both), up, down), worse, nil
}

// noteSpace is a workspace whose memories are the notes of one repository.
type noteSpace struct {
	dir     string
	mem     *memory.Workspace
	vectors *store.Vectors
	byUUID  map[string]note
}

func newNoteSpace(ctx context.Context, repo string, all []note, service *embed.Service) (_ *noteSpace, err error) {
	s := &noteSpace{byUUID: map[string]note{}}
	if s.dir, err = os.MkdirTemp("", "notes-"); err != nil {
		return nil, err
	}
	root := filepath.Join(s.dir, "repo")
	folder := filepath.Join(root, workspace.Folder, "memories")
	kinds := map[string]file.Type{"repo": file.ModuleInsight, "code": file.Gotcha, "workflow": file.Pattern, "friction": file.DeadEnd}
	var texts []string
	for i, n := range all {
		if n.Repo != repo {
			continue
		}
		m := &file.Memory{
			Format: 1, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: kinds[n.Type], What: n.Text, Visibility: file.Project,
			CreatedAt: file.Time{Time: n.Created}, UpdatedAt: file.Time{Time: n.Created}, Contributor: "eval", Source: "import",
		}
		if n.Path != "" {
			m.Scope = file.Scope{n.Path}
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil)
		if _, err := file.Write(folder, m); err != nil {
			return nil, err
		}
		s.byUUID[m.UUID] = n
		texts = append(texts, embed.MemoryText(m))
	}
	home := filepath.Join(s.dir, "home")
	env := workspace.OS()
	env.Getenv = func(name string) string {
		if strings.HasPrefix(name, "XDG_") || name == "HOME" {
			return filepath.Join(home, name)
		}
		return ""
	}
	if s.mem, err = memory.Open(memory.Options{Dir: root, Env: env, User: "eval"}); err != nil {
		return nil, err
	}
	if _, err := s.mem.Sync(ctx); err != nil {
		return nil, err
	}
	if s.vectors, err = store.OpenVectors(ctx, s.mem.Place().VectorsDir(), time.Now); err != nil {
		return nil, err
	}
	_, err = embed.NewCached(service, s.vectors).Fill(ctx, embed.Info{}, texts, nil)
	return s, err
}

func (s *noteSpace) close() error {
	return errors.Join(s.vectors.Close(), s.mem.Close(), os.RemoveAll(s.dir))
}

// ask is the nDCG@10 of the answer to one question. Where it has a time, only
// notes about code that were there then may be answered.
func (s *noteSpace) ask(ctx context.Context, q question, words, meaning bool, service *embed.Service) (float64, error) {
	may := func(hits []memory.Hit) []memory.Hit {
		return slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool {
			n := s.byUUID[h.Memory.UUID]
			return !q.AsOf.IsZero() && (n.Type != "code" || !n.Created.Before(q.AsOf))
		})
	}
	e := &retrieve.Engine{
		Words: func(ctx context.Context, text string, limit int) ([]memory.Hit, error) {
			if !words {
				return nil, nil
			}
			hits, err := s.mem.Search(ctx, text, len(s.byUUID))
			hits = may(hits)
			return hits[:min(limit, len(hits))], err
		},
		All: func() []memory.Hit { return may(s.mem.View().All()) }, Vectors: s.vectors,
	}
	if meaning {
		e.Model = service
	}
	answer, err := e.Search(ctx, q.Text, 10)
	if err = cmp.Or(err, answer.Fault); err != nil {
		return 0, err
	}
	var got []float64
	for _, f := range answer.Found {
		got = append(got, q.Rel[s.byUUID[f.Memory.UUID].ID])
	}
	var ideal []float64
	for _, r := range q.Rel {
		ideal = append(ideal, r)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	return gain(got) / gain(ideal), nil
}

// gain is the discounted cumulative gain of the first ten (Järvelin and
// Kekäläinen 2002), with the grades as they are.
func gain(grades []float64) (sum float64) {
	for i, g := range grades[:min(10, len(grades))] {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// readLines reads a file of JSON lines.
func readLines[T any](name string) ([]T, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []T
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, one)
	}
	return out, lines.Err()
}
