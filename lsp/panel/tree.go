package panel

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// groupItem is a group in the answer of manicule/tree.
type groupItem struct {
	ID     string  `json:"id"` // names it among those of its folder in one order
	Label  string  `json:"label"`
	Folder uri.URI `json:"folder"`        // the open folder of the group
	Path   string  `json:"path,omitzero"` // of a file or folder, relative to the workspace
	URI    uri.URI `json:"uri,omitzero"`
	Count  int     `json:"count"`          // of its memories, also of those that are left out
	Items  []item  `json:"items,omitzero"` // left out where there are too many in all

	rank int // sorts before the label
	hits []memory.Hit
}

// treeParams are the parameters of manicule/tree.
type treeParams struct {
	By     string  `json:"by"`
	Folder uri.URI `json:"folder"`
	Group  string  `json:"group"`  // the id of the only group that is wanted
	URI    uri.URI `json:"uri"`    // only memories that apply to this file
	Inline *int    `json:"inline"` // with more memories in all, groups come without their items
	Limit  *int    `json:"limit"`  // at most so many items of each group
}

// wholeProject is the label of memories with neither scope nor anchor.
const wholeProject = "whole project"

// tree lists the memories in groups: all, those of one group or those of one file. A memory about several files is in
// the group of each.
func (c *call) tree(ctx context.Context, p treeParams) (any, error) {
	by, ok := map[string]func(*items, memory.Hit) []groupItem{
		"": (*items).byFile, "file": (*items).byFile, "module": (*items).byModule, "type": (*items).byType, "state": (*items).byState,
	}[p.By]
	switch {
	case !ok:
		return nil, rpc.InvalidParams("by must be file, module, type or state, not %q", p.By)
	case p.Inline != nil && *p.Inline < 0, p.Limit != nil && *p.Limit < 0:
		return nil, rpc.InvalidParams("inline and limit must not be negative")
	}
	folders, err := c.foldersIn(ctx, cmp.Or(p.URI, p.Folder))
	if err != nil {
		return nil, err
	}
	answer := struct {
		Groups []groupItem `json:"groups"`
	}{[]groupItem{}}
	total, of := 0, map[uri.URI]*items{}
	for _, f := range folders {
		it := c.items(ctx, f)
		of[it.root] = it
		hits := c.hits(f, p.URI)
		total += len(hits)
		answer.Groups = it.group(answer.Groups, hits, by, p.Group)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	whole := p.Group != "" || p.URI != "" || p.Inline == nil || total <= *p.Inline
	for i := range answer.Groups {
		if g := &answer.Groups[i]; whole {
			g.Items = of[g.Folder].list(g.hits, p.Limit)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	sorting.StableFunc(answer.Groups, func(a, b groupItem) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.Label, b.Label))
	})
	return answer, nil
}

// hits returns the memories of a folder, or those that apply to a file of it.
func (c *call) hits(f *folder.Folder, of uri.URI) []memory.Hit {
	if of == "" {
		return f.Memories.View().Live()
	}
	name, _ := c.snap.Path(of)
	rel, _ := convert.RelFrom(f.Root, name)
	return f.Memories.View().ForPath(filepath.ToSlash(f.RealRel(rel)), false)
}

// group adds the groups of memories, or one of them. Their items are not made yet: most may be left out.
func (it *items) group(groups []groupItem, hits []memory.Hit, by func(*items, memory.Hit) []groupItem, only string) []groupItem {
	at := make(map[string]int)
	for _, h := range hits {
		for _, g := range by(it, h) {
			g.ID = strconv.Itoa(g.rank) + ":" + g.Label
			if only != "" && g.ID != only {
				continue
			}
			i, known := at[g.ID]
			if !known {
				i = len(groups)
				at[g.ID], g.Folder = i, it.root
				groups = append(groups, g)
			}
			groups[i].Count++
			groups[i].hits = append(groups[i].hits, h)
		}
	}
	return groups
}

// list makes the items of a group, by their place.
func (it *items) list(hits []memory.Hit, limit *int) []item {
	out := make([]item, len(hits))
	for i, h := range hits {
		out[i] = it.item(h)
	}
	sorting.Func(out, byPlace)
	if limit != nil && len(out) > *limit {
		out = out[:*limit]
	}
	return out
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

func (it *items) byFile(h memory.Hit) []groupItem {
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
func (it *items) byModule(h memory.Hit) []groupItem {
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

func (it *items) byType(h memory.Hit) []groupItem {
	rank := slices.Index(file.Types(), h.Memory.Type)
	if rank < 0 {
		rank = len(file.Types())
	}
	return []groupItem{{Label: h.Memory.Type.Label(), rank: rank}}
}

func (it *items) byState(h memory.Hit) []groupItem {
	worst, _ := folder.WorstPlace(it.folder.Anchors.Places(h))
	order := []anchor.State{anchor.Orphaned, anchor.Stale, anchor.Drifted, anchor.Followed, anchor.Fresh, ""}
	label := string(worst.State)
	if label == "" {
		label = "without an anchor"
	}
	return []groupItem{{Label: label, rank: slices.Index(order, worst.State)}}
}
