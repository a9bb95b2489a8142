package feature

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/lsp/session"
	"manicule/memory"
)

// maxSymbols is how many memories a search returns from each folder.
const maxSymbols = 100

// Symbols finds memories by their text. The location of one is the code that it is
// anchored to, else its own file.
func Symbols(ctx context.Context, folders []*folder.Folder, query string) (protocol.SymbolInformationSlice, error) {
	out := protocol.SymbolInformationSlice{}
	for _, f := range folders {
		hits, err := find(ctx, f, query)
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
	if strings.TrimSpace(query) == "" { // clients send this before anything is typed
		all := f.Memories.View().All()
		return all[:min(len(all), maxSymbols)], nil
	}
	return f.Memories.Recaller().Search(ctx, query, maxSymbols)
}

func symbol(f *folder.Folder, h memory.Hit) protocol.SymbolInformation {
	info := protocol.SymbolInformation{
		BaseSymbolInformation: protocol.BaseSymbolInformation{
			Name: h.Memory.Type.Label() + ": " + render.OneLine(h.Memory.What, 100),
			Kind: protocol.SymbolKindString,
		},
		Location: protocol.Location{URI: f.URI(h.Path)},
	}
	if places := f.Anchors.Places(h); len(places) > 0 {
		at := places[0]
		for _, p := range places { // where the code is now, if any of it is found
			if p.State != anchor.Orphaned && p.Path != "" {
				at = p
				break
			}
		}
		if at.Path == "" {
			at.Path = at.Anchor.Path
		}
		info.Location.URI = f.RelURI(at.Path)
		if at.Line > 0 {
			start := protocol.Position{Line: uint32(at.Line - 1)}
			info.Location.Range = protocol.Range{Start: start, End: start}
		}
		info.ContainerName = &at.Path
	} else if len(h.Memory.Scope) > 0 {
		info.ContainerName = new(strings.Join(h.Memory.Scope, ", "))
	}
	return info
}

// DocumentSymbols lists the symbols of a document that begin in the part of it that the client asks about. rangeOf
// converts bytes to ranges of the client.
func DocumentSymbols(
	ctx context.Context, d *session.Document, inPart func(offset int) bool, rangeOf func(start, end int) protocol.Range,
) (protocol.DocumentSymbolSlice, error) {
	f, err := d.Parsed(ctx)
	if err != nil || f == nil {
		return nil, err
	}
	children := make([][]int, len(f.Symbols))
	var top []int
	for i, s := range f.Symbols {
		if !inPart(s.Start) {
			continue
		}
		if s.Parent >= 0 {
			children[s.Parent] = append(children[s.Parent], i)
		} else {
			top = append(top, i)
		}
	}
	var build func(all []int) []protocol.DocumentSymbol
	build = func(all []int) []protocol.DocumentSymbol {
		out := make([]protocol.DocumentSymbol, 0, len(all))
		for _, i := range all {
			s := f.Symbols[i]
			out = append(out, protocol.DocumentSymbol{
				Name: s.Name, Detail: &s.Signature, Kind: symbolKind(s.Kind), Range: rangeOf(s.Start, s.End),
				SelectionRange: rangeOf(max(s.NameStart, s.Start), max(s.Start, min(s.NameEnd, s.End))), Children: build(children[i]),
			})
		}
		return out
	}
	return protocol.DocumentSymbolSlice(build(top)), nil
}

// FlatSymbols is the list of a tree's symbols, for clients that know no tree.
func FlatSymbols(u uri.URI, tree protocol.DocumentSymbolSlice) protocol.SymbolInformationSlice {
	out := protocol.SymbolInformationSlice{}
	var add func(all []protocol.DocumentSymbol, container *string)
	add = func(all []protocol.DocumentSymbol, container *string) {
		for _, s := range all {
			out = append(out, protocol.SymbolInformation{
				BaseSymbolInformation: protocol.BaseSymbolInformation{Name: s.Name, Kind: s.Kind, ContainerName: container},
				Location:              protocol.Location{URI: u, Range: s.Range},
			})
			add(s.Children, &s.Name)
		}
	}
	add(tree, nil)
	return out
}

func symbolKind(kind string) protocol.SymbolKind {
	switch kind {
	case "function":
		return protocol.SymbolKindFunction
	case "method":
		return protocol.SymbolKindMethod
	case "class", "type":
		return protocol.SymbolKindClass
	case "interface", "trait":
		return protocol.SymbolKindInterface
	case "struct":
		return protocol.SymbolKindStruct
	case "enum":
		return protocol.SymbolKindEnum
	case "const":
		return protocol.SymbolKindConstant
	case "field":
		return protocol.SymbolKindField
	case "module":
		return protocol.SymbolKindModule
	case "section":
		return protocol.SymbolKindString
	case "key":
		return protocol.SymbolKindKey
	}
	return protocol.SymbolKindVariable
}
