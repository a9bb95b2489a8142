package panel

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// groupItem is a group in the answer of manicule/tree.
type groupItem struct {
	Label  string  `json:"label"`
	Folder uri.URI `json:"folder"`        // the open folder of the group
	Path   string  `json:"path,omitzero"` // of a file or folder, relative to the workspace
	URI    uri.URI `json:"uri,omitzero"`
	Items  []item  `json:"items"`

	rank int // sorts before the label
}

// wholeProject is the label of memories with neither scope nor anchor.
const wholeProject = "whole project"

// tree lists all memories in groups. A memory about several files is in the group of
// each.
func (c *call) tree(ctx context.Context, p params) (any, error) {
	by, ok := map[string]func(*items, memory.Hit, item) []groupItem{
		"": (*items).byFile, "file": (*items).byFile, "module": (*items).byModule, "type": (*items).byType, "state": (*items).byState,
	}[p.By]
	if !ok {
		return nil, rpc.InvalidParams("by must be file, module, type or state, not %q", p.By)
	}
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Groups []groupItem `json:"groups"`
	}{[]groupItem{}}
	for _, f := range folders {
		it := c.items(ctx, f)
		at := make(map[groupKey]int)
		for _, h := range f.Memories.View().Live() {
			x := it.item(h)
			for _, g := range by(it, h, x) {
				key := groupKey{g.rank, g.Label}
				i, known := at[key]
				if !known {
					i = len(answer.Groups)
					at[key], g.Folder = i, convert.URIFrom(f.Root)
					answer.Groups = append(answer.Groups, g)
				}
				answer.Groups[i].Items = append(answer.Groups[i].Items, x)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for _, g := range answer.Groups {
		sorting.Func(g.Items, byPlace)
	}
	sorting.StableFunc(answer.Groups, func(a, b groupItem) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.Label, b.Label))
	})
	return answer, nil
}

// groupKey identifies a group of one folder.
type groupKey struct {
	rank  int
	label string
}

// files returns the files that a memory's anchors are in. A lost anchor counts at its
// last place.
func (it *items) files(h memory.Hit) []string {
	var out []string
	for _, p := range it.folder.Anchors.Places(h) {
		at := p.Path
		if at == "" {
			at = p.Anchor.Path
		}
		out = append(out, path.Clean(at))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (it *items) byFile(h memory.Hit, _ item) []groupItem {
	files := it.files(h)
	if len(files) == 0 && len(h.Memory.Scope) == 0 {
		return []groupItem{{Label: wholeProject, rank: 1}}
	}
	var out []groupItem
	for _, p := range files {
		out = append(out, groupItem{Label: p, Path: p, URI: it.folder.RelURI(p)})
	}
	if len(files) > 0 {
		return out
	}
	for _, s := range h.Memory.Scope {
		if strings.HasPrefix(s, "!") {
			continue
		}
		g := groupItem{Label: s}
		if paths := memory.PathsOf(&file.Memory{Scope: file.Scope{s}}); len(paths) > 0 {
			g.Path, g.URI = paths[0], it.folder.RelURI(paths[0])
		}
		out = append(out, g)
	}
	if len(out) == 0 { // the whole project without some folders
		return []groupItem{{Label: wholeProject, rank: 1}}
	}
	return out
}

// byModule groups by the folders of the files, and by those that scopes name.
func (it *items) byModule(h memory.Hit, _ item) []groupItem {
	var dirs []string
	for _, p := range it.files(h) {
		dirs = append(dirs, path.Dir(p))
	}
	if len(dirs) == 0 {
		for _, s := range h.Memory.Scope {
			paths := memory.PathsOf(&file.Memory{Scope: file.Scope{s}})
			switch {
			case len(paths) == 0:
			case strings.HasSuffix(s, paths[0]) && path.Ext(paths[0]) != "": // it names a file
				dirs = append(dirs, path.Dir(paths[0]))
			default:
				dirs = append(dirs, paths[0])
			}
		}
	}
	slices.Sort(dirs)
	var out []groupItem
	for _, d := range slices.Compact(dirs) {
		label := d + "/"
		if d == "." {
			label = "./"
		}
		out = append(out, groupItem{Label: label, Path: d, URI: it.folder.RelURI(d)})
	}
	if len(out) == 0 {
		return []groupItem{{Label: wholeProject, rank: 1}}
	}
	return out
}

func (it *items) byType(h memory.Hit, _ item) []groupItem {
	rank := slices.Index(file.Types(), h.Memory.Type)
	if rank < 0 {
		rank = len(file.Types())
	}
	return []groupItem{{Label: h.Memory.Type.Label(), rank: rank}}
}

func (it *items) byState(_ memory.Hit, x item) []groupItem {
	order := []anchor.State{anchor.Orphaned, anchor.Stale, anchor.Drifted, anchor.Followed, anchor.Fresh, ""}
	label := string(x.State)
	if label == "" {
		label = "without an anchor"
	}
	return []groupItem{{Label: label, rank: slices.Index(order, x.State)}}
}
