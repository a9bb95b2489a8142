package panel

import (
	"context"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/lsp/feature"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
)

// logItem is an entry in the answer of manicule/log.
type logItem struct {
	At      time.Time `json:"at"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"`
	Memory  string    `json:"memory,omitzero"`
	What    string    `json:"what"`
	Kind    string    `json:"kind"`
}

// How many entries of the log an answer has.
const (
	defaultLog = 200
	maxLog     = 5000
)

func (c *call) sessionLog(ctx context.Context, p params) (any, error) {
	limit := defaultLog
	if p.Limit != nil {
		limit = *p.Limit
	}
	if limit < 1 || limit > maxLog {
		return nil, rpc.InvalidParams("limit must be from 1 to %d, not %d", maxLog, limit)
	}
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Entries []logItem `json:"entries"`
	}{[]logItem{}}
	for _, f := range folders {
		if f.Sessions == nil {
			continue
		}
		list, err := f.Sessions.Log(ctx, limit)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			answer.Entries = append(answer.Entries, logItem{e.At.UTC(), e.Session, e.Agent, e.Memory, render.Printable(e.What), e.Kind})
		}
	}
	sorting.StableFunc(answer.Entries, func(a, b logItem) int { return b.At.Compare(a.At) })
	answer.Entries = answer.Entries[:min(limit, len(answer.Entries))]
	return answer, nil
}

// summaryItem is the answer of manicule/sessionSummary.
type summaryItem struct {
	Session   string              `json:"session"`
	Agent     string              `json:"agent"`
	StartedAt time.Time           `json:"startedAt"`
	EndedAt   time.Time           `json:"endedAt"`
	Used      []item              `json:"used"`
	Learned   []feature.Candidate `json:"learned"`
	Tokens    int                 `json:"tokens"`
	Saved     int                 `json:"saved"`
	Heeded    int                 `json:"warningsFollowed"`
}

func (c *call) sessionSummary(ctx context.Context, p params) (any, error) {
	if strings.TrimSpace(p.Session) == "" {
		return nil, rpc.InvalidParams("session is missing; try: the id of a session in manicule/log")
	}
	for _, f := range c.env.Folders.All(ctx) {
		if f.Sessions == nil {
			continue
		}
		s, ok, err := f.Sessions.Summary(ctx, p.Session)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		out := summaryItem{Session: s.Session, Agent: s.Agent, StartedAt: s.Started.UTC(), EndedAt: s.Ended.UTC(), Used: []item{}, Learned: []feature.Candidate{}, Tokens: s.Balance.Tokens, Saved: s.Balance.Saved, Heeded: s.Balance.Heeded}
		it := c.items(ctx, f)
		for _, uuid := range s.Used {
			if h, ok := f.Memories.View().Get(uuid); ok {
				out.Used = append(out.Used, it.item(h))
			}
		}
		waiting, err := f.Memories.Drafts().Candidates(ctx)
		if err != nil {
			return nil, err
		}
		for _, m := range waiting {
			for _, uuid := range s.Learned {
				if m.Memory.UUID == uuid {
					out.Learned = append(out.Learned, feature.CandidateOf(m))
				}
			}
		}
		return out, nil
	}
	return nil, rpc.InvalidParams("there is no session %q", p.Session)
}
