package lsp

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/graph"
	"manicule/lsp/client"
	"manicule/lsp/folder"
)

// progress shows the client how far work is that takes long enough to notice.
type progress struct {
	client *client.Client
	log    *slog.Logger
	now    func() time.Time
	after  time.Duration // what takes less is not shown
}

// opening shows that memories are being read, until done is closed.
func (p *progress) opening(ctx context.Context, done <-chan struct{}) {
	patience := time.NewTimer(p.after)
	defer patience.Stop()
	select {
	case <-done:
		return
	case <-patience.C:
	}
	token := protocol.String("manicule-opening")
	if !p.client.CreateProgress(ctx, token) {
		return
	}
	p.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule", Message: new("reading memories")})
	<-done
	p.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
}

// minProgressInterval is the least time between two progress messages.
const minProgressInterval = 100 * time.Millisecond

// indexing shows the progress of a folder's code graph, if indexing takes long.
func (p *progress) indexing(ctx context.Context, f *folder.Folder) (report func(graph.Progress), end func()) {
	token := p.client.NewToken() // not the folder's name: several may have the same, and a token is used once
	begin, shown, told, last := p.now(), false, false, time.Time{}
	report = func(at graph.Progress) {
		now := p.now()
		if now.Sub(begin) < p.after {
			return
		}
		if at.First && !told {
			told = true
			p.log.Info("indexing this code for the first time; requests about it wait until that is done", "root", f.Root, "files", at.Total)
		}
		if !p.client.Capabilities.Progress || now.Sub(last) < minProgressInterval {
			return
		}
		last = now
		done := uint32(100 * at.Done / max(1, at.Total))
		text := fmt.Sprintf("%s %d of %d files", at.Phase, at.Done, at.Total)
		if shown {
			p.client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &done})
			return
		}
		title := "Manicule: code graph"
		if at.First {
			title += ", for the first time"
		}
		if shown = p.client.CreateProgress(ctx, token); !shown {
			last = now.Add(time.Hour) // the client does not show progress
			return
		}
		p.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Message: &text, Percentage: &done})
	}
	return report, func() {
		if shown {
			p.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
		}
	}
}

// embeddingInterval is the least time between two messages about work of many minutes.
const embeddingInterval = time.Second

// embedding returns what shows how far the code of a folder is embedded in the background. It is
// called by one goroutine at a time.
func (p *progress) embedding(ctx context.Context) func(done, total int) {
	var token protocol.ProgressToken
	shown, last := false, time.Time{}
	return func(done, total int) {
		now := p.now()
		if done >= total {
			if shown {
				p.client.Progress(ctx, token, &protocol.WorkDoneProgressEnd{Kind: "end"})
			}
			shown, last = false, time.Time{}
			return
		}
		if !p.client.Capabilities.Progress || now.Sub(last) < embeddingInterval {
			return
		}
		last = now
		text, share := fmt.Sprintf("%d of %d pieces", done, total), uint32(100*done/max(1, total))
		if shown {
			p.client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: &share})
			return
		}
		token = p.client.NewToken()
		if shown = p.client.CreateProgress(ctx, token); shown {
			p.client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Manicule: code for search by meaning", Message: &text, Percentage: &share})
		}
	}
}
