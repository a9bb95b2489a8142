package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdRelate = "manicule.relateMemory"

// relation is the second argument of manicule.relateMemory.
type relation struct {
	To string `json:"to"` // the uuid of the other memory
	As string `json:"as"` // supersedes, conflicts, relates or requires; none ends what either side states
}

// none ends the relations of two memories.
const none = "none"

// relateMemory states how a memory is related to another one. Without its second argument the person is asked.
func relateMemory(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	if !c.args.has(1) {
		c.env.Spawn(func(ctx context.Context) { c.env.chooseRelation(ctx, f, h) })
		return nil, nil
	}
	var in relation
	if err := c.args.readChanges(&in); err != nil {
		return nil, err
	}
	other, ok := f.Memories.View().Get(in.To)
	if !ok {
		return nil, rpc.InvalidParams("%s: there is no memory %q", c.args.command, in.To)
	}
	res, err := relate(ctx, f, h, other, in.As)
	if err != nil {
		return nil, err
	}
	return c.env.afterWrite(ctx, f, res), nil
}

// relate states a relation, or ends those that there are.
func relate(ctx context.Context, f *folder.Folder, h, other memory.Hit, as string) (memory.Result, error) {
	names := memory.RelationNames()
	i := slices.IndexFunc(names, func(n memory.RelationName) bool { return n.Flag == as || n.Type == as })
	switch {
	case i >= 0:
		refused := h.Memory.Visibility != file.Personal && other.Memory.Visibility == file.Personal // by Change, below
		if names[i].Type == file.Supersedes && !refused && supersedes(other, h) {                   // each may say so of the other since a merge
			res, err := endSupersession(ctx, f, other, h)
			if err != nil || !res.Accepted || supersedes(h, other) {
				return res, err
			}
		}
		stated := []file.Relation{{Type: names[i].Type, Memory: other.Memory.UUID, Confidence: 1}}
		return f.Memories.Edits().Change(ctx, h.Memory.UUID, func(m *file.Memory) error { return memory.AddRelations(m, stated) }, "edit", "")
	case as != none:
		var flags []string
		for _, n := range names {
			flags = append(flags, n.Flag)
		}
		return memory.Result{}, rpc.InvalidParams("%s: there is no relation %q; try: %s or %s", cmdRelate, as, strings.Join(flags, ", "), none)
	}
	res := memory.Result{Code: "unchanged", Reason: "neither memory states a relation to the other"}
	for _, side := range [][2]memory.Hit{{h, other}, {other, h}} {
		to := side[1].Memory.UUID
		if !slices.ContainsFunc(side[0].Memory.Relations, func(r file.Relation) bool { return r.Memory == to }) {
			continue
		}
		var err error
		res, err = f.Memories.Edits().Change(ctx, side[0].Memory.UUID, func(m *file.Memory) error { return memory.RemoveRelations(m, []string{to}) }, "edit", "")
		if err != nil || !res.Accepted {
			return res, err
		}
	}
	return res, nil
}

// supersedes reports whether a memory states that it supersedes another one.
func supersedes(h, other memory.Hit) bool {
	return slices.ContainsFunc(h.Memory.Relations, supersession(other))
}

func supersession(of memory.Hit) func(file.Relation) bool {
	return func(r file.Relation) bool { return r.Type == file.Supersedes && r.Memory == of.Memory.UUID }
}

// endSupersession ends that a memory supersedes another one.
func endSupersession(ctx context.Context, f *folder.Folder, h, other memory.Hit) (memory.Result, error) {
	return f.Memories.Edits().Change(ctx, h.Memory.UUID, func(m *file.Memory) error {
		m.Relations = slices.DeleteFunc(m.Relations, supersession(other))
		return nil
	}, "edit", "")
}

// chooseRelation asks to which memory about the same code one is related, and how.
func (e *Env) chooseRelation(ctx context.Context, f *folder.Folder, h memory.Hit) {
	others := map[string]memory.Hit{}
	var titles []string
	for _, x := range beside(f, h) {
		title := x.Memory.ShortID() + ": “" + render.OneLine(x.Memory.What, 60) + "”"
		titles, others[title] = append(titles, title), x
	}
	if len(titles) == 0 {
		e.Client.Info("Manicule: no other memory is about the same code. `manicule edit " + h.Memory.ShortID() + " --relates ID` names any.")
		return
	}
	this := "“" + render.OneLine(h.Memory.What, 60) + "”"
	other, ok := others[e.Client.Choose(ctx, "Manicule: to which memory is "+this+" related?", titles...)]
	if !ok {
		return
	}
	ways, says := map[string]string{}, []string(nil)
	for _, n := range memory.RelationNames() {
		says, ways[n.Says] = append(says, n.Says), n.Flag
	}
	if slices.ContainsFunc(f.Memories.View().RelatedTo(h.Memory), func(r memory.Related) bool { return r.UUID == other.Memory.UUID }) {
		says, ways["is not related to"] = append(says, "is not related to"), none
	}
	as := ways[e.Client.Choose(ctx, "Manicule: "+this+" …  “"+render.OneLine(other.Memory.What, 60)+"”", says...)]
	if as == "" {
		return
	}
	res, err := relate(ctx, f, h, other, as)
	if err != nil {
		e.showError(err)
		return
	}
	e.afterWrite(ctx, f, res)
}

// beside returns other memories about the code of one, at most as many as a question may name.
func beside(f *folder.Folder, h memory.Hit) (out []memory.Hit) {
	v := f.Memories.View()
	var paths []string
	for _, a := range h.Memory.Anchors {
		paths = append(paths, a.Path)
	}
	if len(paths) == 0 {
		for _, p := range h.Memory.Scope {
			paths = append(paths, strings.TrimSuffix(strings.TrimSuffix(p, "**"), "/"))
		}
	}
	for _, p := range paths {
		for _, x := range v.ForPath(p, false) {
			known := func(o memory.Hit) bool { return o.Memory.UUID == x.Memory.UUID }
			if len(out) < maxTitles && !known(h) && !slices.ContainsFunc(out, known) {
				out = append(out, x)
			}
		}
	}
	return out
}

// offerRelations offers to settle what contradicts the memories of a range: either one supersedes the other, or both hold.
func offerRelations(p *page.Page, hits []memory.Hit, params *protocol.CodeActionParams, out *offers) error {
	done := map[[2]string]bool{}
	for _, h := range hits {
		for _, r := range p.View.RelatedTo(h.Memory) {
			other, ok := p.View.GetLive(r.UUID)
			if r.Type != "conflicts_with" || !ok || done[[2]string{r.UUID, h.Memory.UUID}] {
				continue
			}
			done[[2]string{h.Memory.UUID, r.UUID}] = true
			diags := diagnosticsOf(params.Context.Diagnostics, h.Memory.UUID)
			err := offerWinner(h, other, diags, out)
			if err == nil {
				err = offerWinner(other, h, diags, out)
			}
			if err == nil {
				err = out.add("both hold: "+quoted(h)+" and "+quoted(other), kindFix, diags, cmdRelate, h.Memory.UUID, relation{r.UUID, none})
			}
			if err != nil {
				return fmt.Errorf("offer to relate %s: %w", h.Memory.UUID, err)
			}
		}
	}
	return nil
}

// offerWinner offers that of two memories one holds. A shared one does not supersede a personal one, whose file nobody else has.
func offerWinner(holds, other memory.Hit, diags []protocol.Diagnostic, out *offers) error {
	if holds.Memory.Visibility != file.Personal && other.Memory.Visibility == file.Personal {
		return out.add(quoted(holds)+" holds: forget "+quoted(other), kindFix, diags, cmdForget, other.Memory.UUID)
	}
	return out.add(quoted(holds)+" supersedes "+quoted(other), kindFix, diags, cmdRelate, holds.Memory.UUID, relation{other.Memory.UUID, "supersedes"})
}
