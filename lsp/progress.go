package lsp

import (
	"context"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/graph"
	"manicule/lsp/folder"
)

// showProgress shows that memories are being read, if that takes long enough to notice.
func (s *server) showProgress(ctx context.Context) {
	done := make(chan struct{})
	s.spawn(func(ctx context.Context) {
		defer close(done)
		if err := s.folders.Wait(ctx); err != nil {
			return // the connection has ended
		}
		s.markStale()
	})
	patience := time.NewTimer(s.opts.ProgressAfter)
	defer patience.Stop()
	select {
	case <-done:
		return
	case <-patience.C:
	}
	token := protocol.String("manicule-opening")
	if !s.client.CreateProgress(ctx, token) {
		return
	}
	s.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule", Message: new("reading memories")})
	<-done
	s.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
}

// minProgressInterval is the least time between two progress messages.
const minProgressInterval = 100 * time.Millisecond

// showIndexing shows the progress of a folder's code graph, if indexing takes long.
func (s *server) showIndexing(ctx context.Context, f *folder.Folder) (progress func(graph.Progress), end func()) {
	token := s.client.NewToken() // not the folder's name: several may have the same, and a token is used once
	begin, shown, told, last := s.opts.Now(), false, false, time.Time{}
	progress = func(p graph.Progress) {
		now := s.opts.Now()
		if now.Sub(begin) < s.opts.ProgressAfter {
			return
		}
		if p.First && !told {
			told = true
			s.log.Info("indexing this code for the first time; requests about it wait until that is done", "root", f.Root, "files", p.Total)
		}
		if !s.client.Capabilities.Progress || now.Sub(last) < minProgressInterval {
			return
		}
		last = now
		done := uint32(100 * p.Done / max(1, p.Total))
		text := fmt.Sprintf("%s %d of %d files", p.Phase, p.Done, p.Total)
		if shown {
			s.client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &done})
			return
		}
		title := "Manicule: code graph"
		if p.First {
			title += ", for the first time"
		}
		if shown = s.client.CreateProgress(ctx, token); !shown {
			last = now.Add(time.Hour) // the client does not show progress
			return
		}
		s.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Message: &text, Percentage: &done})
	}
	return progress, func() {
		if shown {
			s.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
		}
	}
}

// embeddingInterval is the least time between two messages about work of many minutes.
const embeddingInterval = time.Second

// showEmbedding returns what shows how far the code of a folder is embedded in the background. It is
// called by one goroutine at a time.
func (s *server) showEmbedding(ctx context.Context) func(done, total int) {
	var token protocol.ProgressToken
	shown, last := false, time.Time{}
	return func(done, total int) {
		now := s.opts.Now()
		if done >= total {
			if shown {
				s.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
			}
			shown, last = false, time.Time{}
			return
		}
		if !s.client.Capabilities.Progress || now.Sub(last) < embeddingInterval {
			return
		}
		last = now
		text, share := fmt.Sprintf("%d of %d pieces", done, total), uint32(100*done/max(1, total))
		if shown {
			s.client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &share})
			return
		}
		token = s.client.NewToken()
		if shown = s.client.CreateProgress(ctx, token); shown {
			s.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule: code for search by meaning", Message: &text, Percentage: &share})
		}
	}
}
