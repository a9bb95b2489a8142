package feature

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory/thread"
)

// The commands of a thread's lenses.
const (
	ShowThreadCommand = "manicule.showThread"
	ThreadDoneCommand = "manicule.threadDone"
	ThreadParkCommand = "manicule.threadPark"
	HandThreadCommand = "manicule.handThread"
)

// ThreadLenses returns the lenses of the open threads in a page: four at the place of
// each, for its text, to close it, to park it and to hand it to somebody. A thread whose code is not found has
// them on the first line.
func ThreadLenses(ctx context.Context, p *page.Page, s *settings.Settings) ([]protocol.CodeLens, error) {
	if !s.Threads || p.Rev != "" {
		return nil, nil
	}
	list := p.Folder.OpenThreads.At(p.Rel)
	var out []protocol.CodeLens
	for i := range list[:min(len(list), s.MaxPerFile)] {
		t := &list[i]
		line := 0
		m := p.LocateAnchor(ctx, t.Memory.Anchors[0])
		if !p.Shows(&m) {
			continue
		}
		if m.Found && m.Anchor.Kind != anchor.KindFile {
			line, _ = p.LinesOf(m.Name)
		}
		for _, act := range []struct{ command, title string }{{ShowThreadCommand, ThreadTitle(t)}, {ThreadDoneCommand, "done"}, {ThreadParkCommand, "park"}, {HandThreadCommand, "hand over"}} {
			data, err := json.Marshal(LensData{URI: p.URI, Thread: t.Memory.UUID, Act: act.command, Title: act.title})
			if err != nil {
				return nil, fmt.Errorf("code lens data: %w", err)
			}
			out = append(out, protocol.CodeLens{Range: wholeLine(p, line), Data: data})
		}
	}
	return out, nil
}

// InOrder has each lens of a line begin one character behind the one before it, as far as the line goes: Neovim sorts them by where they
// begin, and gives those that begin at the same place any order.
func InOrder(lenses []protocol.CodeLens) []protocol.CodeLens {
	seen := make(map[uint32]uint32)
	for i := range lenses {
		at := &lenses[i].Range
		at.Start.Character = min(at.Start.Character+seen[at.Start.Line], at.End.Character)
		seen[at.Start.Line]++
	}
	return lenses
}

// maxThreadTitle is the length of a thread's text in a lens.
const maxThreadTitle = 60

// ThreadTitle is the text of a thread's lens.
func ThreadTitle(t *thread.Thread) string {
	kind := string(t.Kind)
	if t.Kind == thread.NextStep {
		kind = "next step"
	}
	title := "☞ " + kind + ": " + render.OneLine(t.Memory.What, maxThreadTitle)
	if t.Owner != "" {
		title += " (for " + render.OneLine(t.Owner, maxThreadTitle/2) + ")"
	}
	if t.Memory.Trust.Tainted {
		title += " (may come from outside)"
	}
	return title
}

// ResolveThreadLens sets the command of a thread's lens.
func ResolveThreadLens(lens *protocol.CodeLens, data LensData) error {
	args, err := RawArgs(data.Thread)
	if err != nil {
		return err
	}
	lens.Command = protocol.Command{Title: data.Title, Command: data.Act, Arguments: args}
	return nil
}
