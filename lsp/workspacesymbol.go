package lsp

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"go.lsp.dev/protocol"

	"manicule/memory"
)

// maxSymbols is how many memories a search returns from each folder.
const maxSymbols = 100

// Symbols finds memories by their text. Their place is the code that they are
// tied to, else their own file.
func (s *server) Symbols(ctx context.Context, p *protocol.WorkspaceSymbolParams) (protocol.WorkspaceSymbolResult, error) {
	r := s.begin(ctx)
	out := protocol.SymbolInformationSlice{}
	for _, f := range r.folders.All(ctx) {
		hits, err := find(ctx, f, p.Query)
		if err != nil {
			return nil, fmt.Errorf("search the memories of %s: %w", f.Root, err)
		}
		for _, h := range hits {
			out = append(out, symbol(f, h))
		}
	}
	return out, nil
}

func find(ctx context.Context, f *folder.Folder, query string) ([]memory.Hit, error) {
	if strings.TrimSpace(query) == "" { // what a client sends before anything is typed
		all := f.Memories.View().All()
		return all[:min(len(all), maxSymbols)], nil
	}
	return f.Memories.Search(ctx, query, maxSymbols)
}

func symbol(f *folder.Folder, h memory.Hit) protocol.SymbolInformation {
	info := protocol.SymbolInformation{
		BaseSymbolInformation: protocol.BaseSymbolInformation{
			Name: h.Memory.Type.Label() + ": " + render.OneLine(h.Memory.What, 100),
			Kind: protocol.SymbolKindString,
		},
		Location: protocol.Location{URI: f.URI(h.Path)},
	}
	if len(h.Memory.Anchors) > 0 {
		a := h.Memory.Anchors[0]
		info.Location.URI = f.RelURI(a.Path)
		if a.Lines != nil && a.Lines.Start > 0 {
			at := protocol.Position{Line: uint32(a.Lines.Start - 1)}
			info.Location.Range = protocol.Range{Start: at, End: at}
		}
		info.ContainerName = &a.Path
	} else if len(h.Memory.Scope) > 0 {
		info.ContainerName = new(strings.Join(h.Memory.Scope, ", "))
	}
	return info
}
