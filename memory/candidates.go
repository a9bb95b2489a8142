package memory

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Candidate is a suggested memory that waits for review, with its evidence. An agent wrote it, or
// the observer inferred it.
type Candidate struct {
	Memory       *file.Memory
	Status       store.DraftStatus
	Tool         string // the agent that wrote it or was observed
	Session      string // the latest session that suggested it
	Sessions     int    // number of sessions that agree, at least 1
	Observations int    // how often it was suggested
	Evidence     []string
	Paths        []string // files of its anchors, and of scopes that name one file or folder
	// Doubt says what it reads like instead of a memory, "" for nothing.
	Doubt string

	settled map[string]bool // the memories with which it has no conflict any more, by uuid
}

// Candidates lists what waits for review, best first. Memories that may repeat text from outside
// come last, and before those what may be no memory; before them, confidence and the number of sessions decide.
func (q *Drafts) Candidates(ctx context.Context) ([]Candidate, error) {
	rows, err := q.reviewable(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what waits for review: %w", err)
	}
	settled, err := settledWith(ctx, q.dedupe.rows, rows)
	if err != nil {
		return nil, err
	}
	out := make([]Candidate, len(rows))
	for i, r := range rows {
		out[i] = candidate(r)
		out[i].settled = settled
	}
	sorting.StableFunc(out, func(a, b Candidate) int {
		ma, mb := a.Memory, b.Memory
		return cmp.Or(file.TrueFirst(mb.Trust.Tainted, ma.Trust.Tainted), file.TrueFirst(b.Doubt != "", a.Doubt != ""), cmp.Compare(mb.Confidence, ma.Confidence), cmp.Compare(b.Sessions, a.Sessions),
			cmp.Compare(b.Observations, a.Observations), mb.CreatedAt.Compare(ma.CreatedAt.Time), cmp.Compare(ma.UUID, mb.UUID))
	})
	return out, nil
}

// settledWith returns the memories that drafts contradict and that are out of use or gone, by uuid.
func settledWith(ctx context.Context, memories *store.Memories, drafts []store.DraftRow) (map[string]bool, error) {
	settled := map[string]bool{}
	var ids []string
	for _, d := range drafts {
		for _, r := range d.Memory.Relations {
			if r.Type == conflictsWith && r.Memory != "" && !settled[r.Memory] {
				ids, settled[r.Memory] = append(ids, r.Memory), true
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := memories.Of(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read what drafts contradict: %w", err)
	}
	replaced, err := memories.Superseded(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what is superseded: %w", err)
	}
	for _, row := range rows {
		if m, err := row.Memory(); err == nil && m.Trust.Deprecated == nil && replaced[m.UUID] == "" {
			delete(settled, m.UUID)
		}
	}
	faults, err := memories.Faults(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what is held: %w", err)
	}
	for _, f := range faults {
		delete(settled, f.UUID) // a person may let it out
	}
	return settled, nil
}

func candidate(r store.DraftRow) Candidate {
	c := Candidate{Memory: r.Memory, Status: r.Status, Tool: r.Tool, Session: r.Session, Sessions: 1, Observations: r.Observations, Doubt: doubtOf(r.Reason)}
	var d details
	learned := r.Status == store.StatusCandidate && json.Unmarshal(r.Memory.Details, &d) == nil
	if reason := r.Reason; reason != "" {
		if _, kind, ok := strings.Cut(reason, seenInWork); ok && learned { // the name of a kind says nothing to who reviews
			_, doubt, _ := strings.Cut(kind, "; ")
			reason = doubt
		}
		if reason != "" {
			c.Evidence = append(c.Evidence, reason)
		}
	}
	if learned {
		c.Sessions = max(1, d.Sessions)
		if d.Sessions > 0 {
			c.Evidence = append(c.Evidence, "seen in what agents did, in "+countOf(d.Sessions, "session"))
		}
		if len(d.Evidence) > 0 && r.Session != "" {
			c.Evidence = append(c.Evidence, fmt.Sprintf("events %s of session %s", numbers(d.Evidence), shortSession(r.Session)))
		}
	}
	if d.For != "" {
		c.Evidence = append(c.Evidence, d.For)
	}
	if d.Against != "" {
		c.Evidence = append(c.Evidence, "against it: "+d.Against)
	}
	if r.Observations > 1 {
		c.Evidence = append(c.Evidence, "said "+countOf(r.Observations, "time"))
	}
	if r.Memory.Trust.Tainted {
		c.Evidence = append(c.Evidence, "may repeat text from outside")
	}
	c.Paths = PathsOf(r.Memory)
	return c
}

// shortSession is as much of a session's id as people and `manicule session show` need.
func shortSession(id string) string { return id[:min(len(id), 8)] }

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mostNumbers is the maximum number of event numbers in a sentence.
const mostNumbers = 8

func numbers(list []int) string {
	parts := make([]string, 0, mostNumbers+1)
	for i, n := range list {
		if i == mostNumbers {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}

// PathsOf lists the files that the memory's anchors name, and the literal paths or folders of its
// scope. Paths are relative to the root, sorted and unique.
func PathsOf(m *file.Memory) []string {
	var out []string
	for _, a := range m.Anchors {
		out = append(out, path.Clean(a.Path))
	}
	for _, g := range m.Scope {
		if strings.HasPrefix(g, "!") {
			continue
		}
		head := g
		if i := strings.IndexAny(g, `*?[{\`); i >= 0 {
			head = g[:strings.LastIndexByte(g[:i], '/')+1]
		}
		if head = strings.Trim(head, "/"); head != "" {
			out = append(out, path.Clean(head))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
