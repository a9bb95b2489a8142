package memory

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/memory/file"
	"manicule/memory/store"
)

// Candidate is what waits for a person: a draft that an agent wrote, or what
// watching agents suggests, with what speaks for it.
type Candidate struct {
	Memory       *file.Memory
	Status       store.DraftStatus
	Tool         string // that wrote it, or that was watched
	Session      string // in which it came up last
	Sessions     int    // that agree, at least 1
	Observations int    // how often the same was said
	Evidence     []string
	Paths        []string // of its anchors, and of scopes that name one file or folder
}

// Candidates lists what waits for a person, best first: surer ones, those that
// more sessions agree on, and what may repeat text from outside last.
func (w *Workspace) Candidates(ctx context.Context) ([]Candidate, error) {
	rows, err := w.state.Drafts(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what waits for review: %w", err)
	}
	out := make([]Candidate, len(rows))
	for i, r := range rows {
		out[i] = candidate(r)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		ma, mb := a.Memory, b.Memory
		return cmp.Or(compareBool(ma.Trust.Tainted, mb.Trust.Tainted), cmp.Compare(mb.Confidence, ma.Confidence), cmp.Compare(b.Sessions, a.Sessions),
			cmp.Compare(b.Observations, a.Observations), mb.CreatedAt.Compare(ma.CreatedAt.Time), cmp.Compare(ma.UUID, mb.UUID))
	})
	return out, nil
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func candidate(r store.DraftRow) Candidate {
	c := Candidate{Memory: r.Memory, Status: r.Status, Tool: r.Tool, Session: r.Session, Sessions: 1, Observations: r.Observations}
	if r.Reason != "" {
		c.Evidence = append(c.Evidence, r.Reason)
	}
	var d details
	if r.Status == store.StatusCandidate && json.Unmarshal(r.Memory.Details, &d) == nil {
		c.Sessions = max(1, d.Sessions)
		if d.Sessions > 0 {
			c.Evidence = append(c.Evidence, "seen in "+counted(d.Sessions, "session"))
		}
		if len(d.Evidence) > 0 && r.Session != "" {
			c.Evidence = append(c.Evidence, fmt.Sprintf("events %s of session %s", numbers(d.Evidence), r.Session))
		}
	}
	if d.For != "" {
		c.Evidence = append(c.Evidence, d.For)
	}
	if d.Against != "" {
		c.Evidence = append(c.Evidence, "against it: "+d.Against)
	}
	if r.Observations > 1 {
		c.Evidence = append(c.Evidence, "said "+counted(r.Observations, "time"))
	}
	if r.Memory.Trust.Tainted {
		c.Evidence = append(c.Evidence, "may repeat text from outside")
	}
	c.Paths = PathsOf(r.Memory)
	return c
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mostNumbers is how many event numbers a sentence names.
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

// PathsOf lists the files that a memory's anchors name, and the folders and
// files that its scope names without a wildcard, or before its first one:
// relative to the root, sorted, each once.
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

// AcceptEdited is Accept of a draft that a person changed first: change gets a
// copy. A change that the gate refuses, or that another draft says already,
// leaves the draft as it was and says why in the result.
func (w *Workspace) AcceptEdited(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	r, err := w.EditDraft(ctx, id, func(m *file.Memory) error {
		if err := change(m); err != nil {
			return err
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		return nil
	})
	if err != nil || !r.Accepted {
		return r, err
	}
	return w.Accept(ctx, r.Memory.UUID)
}

// History lists the versions of a memory that this machine has seen, newest
// first. The present one is among them, also where nobody has noted it yet; for
// one that was forgotten only the earlier ones are left.
func (w *Workspace) History(ctx context.Context, uuid string) ([]*file.Memory, error) {
	list, err := w.state.Versions(ctx, uuid)
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", uuid, err)
	}
	slices.Reverse(list)
	h, ok := w.View().Get(uuid)
	if !ok {
		return list, nil
	}
	now, err := h.Memory.Hash()
	if err != nil {
		return nil, fmt.Errorf("version of %s: %w", uuid, err)
	}
	for i, m := range list {
		if sum, err := m.Hash(); err == nil && sum == now {
			return append(append([]*file.Memory{m}, list[:i]...), list[i+1:]...), nil
		}
	}
	return append([]*file.Memory{h.Memory}, list...), nil
}

// Dismiss notes that a person does not want to see a memory on a surface of
// their editor, or wants to again.
func (w *Workspace) Dismiss(ctx context.Context, uuid, surface string, on bool) error {
	if err := w.state.Dismiss(ctx, uuid, surface, on); err != nil {
		return fmt.Errorf("note that %s is not wanted: %w", uuid, err)
	}
	return nil
}

// Dismissed lists the surfaces on which a person does not want to see memories,
// by uuid.
func (w *Workspace) Dismissed(ctx context.Context) (map[string][]string, error) {
	return w.state.Dismissed(ctx)
}
