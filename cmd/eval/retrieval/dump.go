package retrieval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// dumpDepth is the number of written results of each leg.
const dumpDepth = 100

// found holds the results of each leg for one question: ids with scores, best first.
type found struct {
	Text string             `json:"text"`
	Rel  map[string]float64 `json:"rel"`
	// Foreign is set for a question about another project.
	Foreign bool                         `json:"foreign"`
	Legs    map[string][]retrieve.Ranked `json:"legs"`
	Texts   map[string]string            `json:"texts"` // of all candidates
}

// dumpLegs writes the results of each leg. Fusion parameters are chosen from them.
func (o options) dumpLegs(ctx context.Context, set string, questions []question, spaces map[string]*space, byID map[string]note) (err error) {
	if o.dump == "" {
		return nil
	}
	deep := func(w retrieve.Weights) func(*retrieve.Tuning) {
		return func(t *retrieve.Tuning) {
			oneLeg(w)(t)
			t.Words, t.Meaning = dumpDepth, dumpDepth
		}
	}
	ways := []variant{{name: "words", lexical: true, tune: deep(retrieve.Weights{Words: 1})}, {name: "meaning", tune: deep(retrieve.Weights{Meaning: 1})}}
	var out []found
	for repo, s := range spaces {
		searchers := map[string]*search.Searcher{}
		for _, v := range ways {
			searchers[v.name] = s.searcher(v, false)
		}
		defer func() {
			for _, x := range searchers {
				err = errors.Join(err, x.Close())
			}
		}()
		for _, q := range questions {
			f := found{Text: q.Text, Rel: q.Rel, Foreign: repo != q.Repo, Legs: map[string][]retrieve.Ranked{}, Texts: map[string]string{}}
			for _, v := range ways {
				sq := search.Question{Text: q.Text, Limit: dumpDepth, Lexical: v.lexical, Explicit: true}
				sq.Filter.Allow = func(m *file.Memory) bool {
					n := byID[s.ids[m.UUID]]
					return q.AsOf.IsZero() || n.Type == "code" && n.Created.Before(q.AsOf)
				}
				answer, err := searchers[v.name].Memories(ctx, sq)
				if err != nil {
					return err
				}
				for _, r := range answer.Results {
					id := s.ids[r.ID]
					f.Legs[v.name] = append(f.Legs[v.name], retrieve.Ranked{ID: id, Score: r.By[0].Score})
					f.Texts[id] = byID[id].Text + " " + byID[id].Path
				}
			}
			if !f.Foreign {
				for _, id := range grep(q, byID) {
					f.Legs["grep"] = append(f.Legs["grep"], retrieve.Ranked{ID: id, Score: 1})
				}
			}
			out = append(out, f)
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("write the legs: %w", err)
	}
	if err := os.WriteFile(filepath.Join(o.dump, set+"-"+o.split+".json"), data, 0o600); err != nil {
		return fmt.Errorf("write the legs: %w", err)
	}
	return nil
}
