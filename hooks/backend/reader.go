package backend

import (
	"context"
	"errors"
	"slices"
	"time"

	"manicule/hooks"
	"manicule/memory"
	"manicule/memory/fastpath"
	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/work"
)

// reader reads memories, without opening them for writing.
type reader struct {
	places *places
	getenv func(string) string
	now    func() time.Time
	ask    func(ctx context.Context, socket string, q search.Question) (search.Answer, error)
}

func (r reader) open(ctx context.Context, dir string) (hooks.Memories, error) {
	p, c, err := r.places.at(dir)
	if err != nil {
		return nil, err
	}
	m, err := fastpath.At(ctx, p, r.now)
	if err != nil {
		return nil, err
	}
	m.SetWork(r.getenv(work.Env), c.String("hooks.methodology"))
	m.Without(c.LayersOff())
	return switched{m, c.Bool("hooks.nudge"), c.Bool("hooks.brief")}, nil
}

// search finds memories for a hook. It asks the leader of the worktree, whose model is
// warm. If the leader does not answer in time, it searches by words.
func (r reader) search(ctx context.Context, dir string, q hooks.Query) (hits []memory.Hit, err error) {
	p, c, err := r.places.at(dir)
	if err != nil || !c.Bool("hooks.search") {
		return nil, err
	}
	m, err := fastpath.At(ctx, p, r.now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	m.SetWork(r.getenv(work.Env), c.String("hooks.methodology"))
	m.For(q.Agent, q.Session)
	m.Without(c.LayersOff())
	if q.Skip != nil {
		m.Skip(q.Skip(p.Root))
	}
	counts := m.Counts()
	if q.Relevant != nil {
		m.About(func(m *file.Memory) bool { return q.Relevant(m, counts) })
	}
	asked, cancel := context.WithTimeout(ctx, q.Timeout)
	answer, err := r.ask(asked, p.Socket(), search.Question{Text: q.Text, Phase: q.Phase, Limit: q.Limit})
	cancel()
	if err != nil {
		hits, err = m.Search(ctx, q.Text, q.Phase, q.Limit, r.now)
	} else {
		ids := make([]string, len(answer.Results))
		for i, found := range answer.Results {
			ids[i] = found.ID
		}
		hits, err = m.Get(ctx, ids)
	}
	if err != nil || q.Relevant == nil {
		return hits, err
	}
	// A file may say something else than the index.
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Memory == nil || !q.Relevant(h.Memory, counts) }), nil
}

// switched is a workspace whose owner may have disabled nudges or briefs.
type switched struct {
	*fastpath.Memories
	nudge, brief bool
}

// ForPath returns nothing if nudges are disabled.
func (s switched) ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error) {
	if !s.nudge {
		return nil, nil
	}
	return s.Memories.ForPath(ctx, q)
}

// Brief returns nothing if briefs are disabled.
func (s switched) Brief(ctx context.Context) ([]memory.Hit, int, error) {
	if !s.brief {
		return nil, 0, nil
	}
	return s.Memories.Brief(ctx)
}
