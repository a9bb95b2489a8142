package services

import (
	"context"
	"time"

	"manicule/memory/leader"
)

// methodEmbedded asks the leader for a [CodeProgress].
const methodEmbedded = "code.embedded"

// CodeProgress is how many pieces of code have a vector while a leader makes the others.
type CodeProgress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// CodeProgressOf asks the leader of a workspace how far it has embedded the code. It is nil if no
// process does that now.
func CodeProgressOf(ctx context.Context, w *Workspace) *CodeProgress {
	p, err := askCodeProgress(ctx, w)
	if err != nil {
		return nil // an earlier version does not know the question
	}
	return p
}

func askCodeProgress(ctx context.Context, w *Workspace) (p *CodeProgress, err error) {
	err = leader.Ask(ctx, w.Place().Socket(), methodEmbedded, nil, &p)
	return p, err
}

// logEmbedded is how often a leader writes its progress into the log.
const logEmbedded = time.Minute

// OnEmbed sets f, which is called while this process embeds code in the background. done is total at
// the end.
func (s *Server) OnEmbed(f func(done, total int)) { s.onEmbed.Store(&f) }

// embedCode makes the missing vectors of the code and says how far it is.
func (s *Server) embedCode(ctx context.Context) error {
	defer s.embedded.Store(nil)
	logged := s.opener.Now()
	last := CodeProgress{}
	tell := func(p CodeProgress) {
		last = p
		if f := s.onEmbed.Load(); f != nil {
			(*f)(p.Done, p.Total)
		}
	}
	r, err := s.searcher.EmbedCode(ctx, func(done, total int) {
		p := CodeProgress{done, total}
		s.embedded.Store(&p)
		tell(p)
		if now := s.opener.Now(); done < total && now.Sub(logged) >= logEmbedded {
			logged = now
			s.opener.Log.Info("embedding code", "root", s.Root(), "done", done, "of", total)
		}
	})
	if last.Done < last.Total { // it ended early, or files have changed since they were counted
		tell(CodeProgress{last.Total, last.Total})
	}
	if r.Made > 0 {
		s.opener.Log.Info("embedded code", "root", s.Root(), "known", r.Known, "made", r.Made)
	}
	return err
}
