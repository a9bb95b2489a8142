package observer

import (
	"context"
	"slices"
	"strings"

	"manicule/hooks"
	"manicule/indexer/clip"
	"manicule/memory"
	"manicule/memory/file"
)

// pooled are the memories that could be told at one moment, told or not, with what a reader needs to
// judge them.
type pooled struct {
	Session  string         `json:"session"`
	Event    string         `json:"event"`
	Tool     string         `json:"tool,omitzero"`
	Moment   string         `json:"moment"`
	Request  string         `json:"request"` // the person's last prompt
	Said     string         `json:"said"`    // the agent's last words
	Before   []string       `json:"before"`  // the last moments
	After    []string       `json:"after"`   // the next ones
	Memories []pooledMemory `json:"memories"`
}

type pooledMemory struct {
	toldMemory
	Match string `json:"match"`         // place, below a folder, or search
	How   string `json:"how,omitempty"` // quoted, led (its first words), or counted
}

// Limits of what is kept for judging.
const (
	maxNear    = 3 // memories of a search
	maxPlaced  = 6 // memories of a place
	maxMoments = 3 // before and after
	maxShown   = 600
)

// pool gathers what could be told while sessions are played.
type pool struct {
	rows          []*pooled
	now           []pooledMemory // of the running event
	request, said string
	before        []string
	waiting       []*pooled // rows whose next moments are to come
}

// reset forgets the last session.
func (p *pool) reset() { *p = pool{rows: p.rows} }

func (p *pool) add(m pooledMemory, most int) {
	n := 0
	for _, x := range p.now {
		if x.ID == m.ID {
			return
		}
		if x.Match == m.Match {
			n++
		}
	}
	if n < most {
		p.now = append(p.now, m)
	}
}

// heard takes an event that tells what the session is about.
func (p *pool) heard(v map[string]any) {
	if s, _ := v["text"].(string); s != "" {
		p.said = clip.Bytes(s, maxShown)
	}
	if s, _ := v["prompt"].(string); s != "" {
		p.request = clip.Bytes(s, 2*maxShown)
	}
}

// end closes an event: it keeps what could have been told, and how it was.
func (p *pool) end(t told) {
	name, _, _ := strings.Cut(t.Event, "ToolUse")
	at := strings.TrimSpace(t.Tool + " " + t.Moment)
	if name != "PostToolBatch" && name != "Post" && at != "" {
		for _, r := range p.waiting {
			r.After = append(r.After, clip.Bytes(at, maxShown/3))
		}
		p.waiting = slices.DeleteFunc(p.waiting, func(r *pooled) bool { return len(r.After) >= maxMoments })
	}
	if len(p.now) > 0 {
		r := &pooled{Session: t.Session, Event: t.Event, Tool: t.Tool, Moment: strings.ToValidUTF8(t.Moment, ""), Request: p.request, Said: p.said, Before: slices.Clone(p.before), Memories: p.now}
		for i := range r.Memories {
			r.Memories[i].How = r.Memories[i].howTold(t.Text)
		}
		p.rows, p.waiting, p.now = append(p.rows, r), append(p.waiting, r), nil
	}
	if name != "PostToolBatch" && name != "Post" && at != "" {
		p.before = append(p.before, clip.Bytes(at, maxShown/3))
		p.before = p.before[max(0, len(p.before)-maxMoments):]
	}
}

// howTold finds a memory in an answer.
func (m pooledMemory) howTold(text string) string {
	short := "[" + (&file.Memory{UUID: m.ID}).ShortID()
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "- ") && strings.Contains(line, short) {
			return "quoted"
		}
	}
	words := strings.Join(strings.Fields(m.What), " ")
	for line := range strings.SplitSeq(text, "\n") {
		_, quote, found := strings.Cut(line, "“")
		quote, _, _ = strings.Cut(quote, "”")
		if quote = strings.TrimSuffix(quote, "…"); found && !strings.HasPrefix(line, "- ") && strings.HasPrefix(words, quote) {
			return "led"
		}
	}
	if m.Match != "search" && strings.Contains(text, "☞ ") && strings.Contains(text, " memor") {
		return "counted"
	}
	return ""
}

// watched notes the memories of the places that a hook asks for.
type watched struct {
	hooks.Memories
	p *player
}

func (w watched) ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error) {
	hits, err := w.Memories.ForPath(ctx, q)
	for _, h := range hits {
		switch {
		case h.Memory == nil || h.Match == memory.MatchProject:
		case h.Match == memory.MatchParent:
			w.p.pool.add(pooledMemory{toldMemory: describe(h.Memory), Match: "below"}, maxPlaced)
		default:
			w.p.pool.add(pooledMemory{toldMemory: describe(h.Memory), Match: "place"}, maxPlaced)
		}
	}
	return hits, err
}

// Counts, Skip and For pass on what hooks look for beside the interface.
func (w watched) Counts() func(words string, most int) (n, total int) {
	return w.Memories.(interface {
		Counts() func(words string, most int) (n, total int)
	}).Counts()
}

func (w watched) Skip(skip func(*file.Memory) bool) {
	w.Memories.(interface{ Skip(func(*file.Memory) bool) }).Skip(skip)
}

func (w watched) For(agent, session string) {
	w.Memories.(interface{ For(agent, session string) }).For(agent, session)
}

// watch lets the pool see what the hooks of one event find.
func (p *player) watch(o *hooks.Options) {
	open, find := o.OpenReadOnly, o.Search
	o.OpenReadOnly = func(ctx context.Context, dir string) (hooks.Memories, error) {
		m, err := open(ctx, dir)
		if err != nil {
			return nil, err
		}
		return watched{m, p}, nil
	}
	o.Search = func(ctx context.Context, dir string, q hooks.Query) ([]memory.Hit, error) {
		rule := q.Relevant
		q.Relevant = func(m *file.Memory, counts hooks.Counts) bool {
			p.pool.add(pooledMemory{toldMemory: describe(m), Match: "search"}, maxNear)
			return rule(m, counts)
		}
		return find(ctx, dir, q)
	}
}
