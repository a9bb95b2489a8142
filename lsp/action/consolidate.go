package action

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"manicule/memory/consolidate"
)

const cmdConsolidate = "manicule.consolidate"

// consolidator finds and merges memories that say the same. Memories without one can't
// be consolidated.
type consolidator interface {
	// Consolidate merges the groups with the given ids. It skips ids that name none of
	// its groups.
	Consolidate(ctx context.Context, ids []string, progress func(consolidate.Progress)) (consolidate.Report, consolidate.Outcome, error)
}

// consolidateResult is the result for one folder.
type consolidateResult struct {
	Root string `json:"root"`
	consolidate.Report
	consolidate.Outcome
}

func consolidateMemories(ctx context.Context, c *call) (any, error) {
	var what struct {
		Apply []string `json:"apply"` // ids of groups
	}
	if err := c.args.read(0, "an object with the ids of groups to apply", &what); err != nil {
		return nil, err
	}
	answer := struct {
		Folders []consolidateResult `json:"folders"`
		Unknown []string            `json:"unknown"` // ids that name no group: their memories were changed or merged since
	}{[]consolidateResult{}, slices.Clone(what.Apply)}
	if answer.Unknown == nil {
		answer.Unknown = []string{}
	}
	ctx, told, end := c.progress(ctx, "Manicule: memories that say the same")
	text := "stopped"
	defer func() { end(text) }()
	groups, merged, unavailable := 0, 0, ""
	left := slices.Clone(what.Apply)
	for _, f := range c.env.Folders.All(ctx) {
		by, ok := f.Memories.(consolidator)
		if !ok {
			continue
		}
		report, out, err := by.Consolidate(ctx, left, told)
		groups, merged = groups+len(report.Clusters), merged+len(out.Merged)
		if len(out.Merged)+len(out.Failed) > 0 { // files were written, so report them in spite of the error
			if _, err := f.Memories.Sync(context.WithoutCancel(ctx)); err != nil {
				c.env.Log.Warn("read memories", "root", f.Root, "err", err)
			}
			c.env.Changed()
		}
		if err != nil {
			err = fmt.Errorf("%s in %s: %w", c.args.command, f.Root, err)
			if merged == 0 {
				return nil, err
			}
			c.env.Log.Warn("consolidation failed after it had merged memories", "merged", merged, "err", err)
			report.Unavailable, out.Stopped = err.Error(), out.Stopped || ctx.Err() != nil
		}
		answer.Folders = append(answer.Folders, consolidateResult{f.Root, report, out})
		answer.Unknown = slices.DeleteFunc(answer.Unknown, func(id string) bool {
			return slices.ContainsFunc(report.Clusters, func(c consolidate.Cluster) bool { return c.ID == id })
		})
		// Worktrees of one repository have the same groups, and the person chose one of
		// them.
		left = slices.DeleteFunc(left, func(id string) bool {
			return slices.ContainsFunc(out.Merged, func(m consolidate.Merged) bool { return m.ID == id })
		})
		unavailable = cmp.Or(report.Unavailable, unavailable)
		if merged > 0 && ctx.Err() != nil {
			break
		}
	}
	if text = unavailable; text == "" || merged > 0 {
		text = fmt.Sprintf("%d found, %d merged", groups, merged)
	}
	return answer, nil
}

// The share of the work, in per cent, that each phase counts for in the progress.
const (
	embedShare   = 60
	compareShare = 30
)

// percent returns the progress of the whole consolidation.
func percent(p consolidate.Progress) uint32 {
	begin, share := 0, embedShare
	switch p.Phase {
	case consolidate.Embed:
	case consolidate.Compare:
		begin, share = embedShare, compareShare
	case consolidate.Merge:
		begin, share = embedShare+compareShare, 100-embedShare-compareShare
	}
	return uint32(begin + share*min(p.Done, p.Total)/max(1, p.Total))
}

// progress reports progress under the client's token, or under a new token if the
// client creates one. The context also ends when the person cancels the progress. end
// is called once.
func (c *call) progress(ctx context.Context, title string) (_ context.Context, told func(consolidate.Progress), end func(text string)) {
	token := c.args.token
	ctx, stop := context.WithCancel(ctx)
	if token == nil {
		if fresh := c.env.Client.NewToken(); c.env.Client.CreateProgress(ctx, fresh) {
			token = fresh
		}
	}
	if token == nil {
		return ctx, func(consolidate.Progress) {}, func(string) { stop() }
	}
	done := c.env.Client.Cancellable(token, stop)
	c.env.Client.Progress(ctx, token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: new(true), Percentage: new(uint32(0))})
	var mu sync.Mutex // guards what follows
	last, phase, most := c.env.Now(), consolidate.Phase(""), uint32(0)
	told = func(p consolidate.Progress) {
		mu.Lock()
		defer mu.Unlock()
		now := c.env.Now()
		if p.Phase == phase && p.Done < p.Total && now.Sub(last) < minProgressInterval {
			return
		}
		last, phase, most = now, p.Phase, max(most, percent(p))
		text := fmt.Sprintf("%s %d of %d", p.Phase, p.Done, p.Total)
		c.env.Client.Progress(ctx, token, &protocol.WorkDoneProgressReport{Kind: "report", Message: &text, Percentage: new(most)})
	}
	return ctx, told, func(text string) {
		done()
		c.env.Client.Progress(context.WithoutCancel(ctx), token, &protocol.WorkDoneProgressEnd{Kind: "end", Message: &text})
		stop()
	}
}

// minProgressInterval is the least time between two progress reports.
const minProgressInterval = 100 * time.Millisecond
