package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdResolve = "manicule.resolveConflict"

// resolution is the second argument of manicule.resolveConflict.
type resolution struct {
	Keep    int    `json:"keep"`    // number of the version that the memory keeps
	Rest    string `json:"rest"`    // what becomes of the others: drop, keep or supersede; "" is drop
	Version int    `json:"version"` // of the memory that the person read; 0 is any
}

// needsResolution is the answer to a decision without a choice, for a client with a
// list of its own.
type needsResolution struct {
	NeedsResolution bool                      `json:"needsResolution"`
	UUID            string                    `json:"uuid"`
	Version         int                       `json:"version"`
	Thread          bool                      `json:"thread,omitzero"` // a shared thread, which keeps one version
	Versions        []feature.ConflictVersion `json:"versions"`
}

// decided reports that a memory has one version.
func decided(h memory.Hit) bool { return len(h.Memory.Conflict) == 0 }

// resolveConflict decides between the versions of a memory or a shared thread. Without a choice, a client
// with extensions gets the versions; in other clients the person is asked.
func resolveConflict(ctx context.Context, c *call) (any, error) {
	if !c.args.has(1) {
		return c.askResolution(ctx)
	}
	var in resolution
	if err := c.args.read(1, `an object such as {"keep": 1, "rest": "drop"}`, &in); err != nil {
		return nil, err
	}
	r := memory.Resolution{Version: in.Keep}
	switch in.Rest {
	case "", "drop":
	case "keep":
		r.Rest = memory.KeepRest
	case "supersede":
		r.Rest = memory.SupersedeRest
	default:
		return nil, rpc.InvalidParams("%s: there is no rest %q; try: drop, keep or supersede", c.args.command, in.Rest)
	}
	if f, t, ok := c.undecidedThread(ctx); ok {
		return c.env.resolveThread(ctx, f, &t, r, in.Version)
	}
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	if in.Version != 0 && in.Version != h.Memory.Lineage.Version {
		return c.env.afterWrite(ctx, f, memory.Result{Reason: "the memory was changed meanwhile. Look at its versions again."}), nil
	}
	return c.env.resolve(ctx, f, h.Memory.UUID, r)
}

func (e *Env) resolve(ctx context.Context, f *folder.Folder, uuid string, r memory.Resolution) (memory.Result, error) {
	res, err := f.Memories.Decisions().Resolve(ctx, uuid, r)
	if err != nil {
		return res, fmt.Errorf("decide between the versions of %s: %w", uuid, err)
	}
	return e.afterWrite(ctx, f, res), nil
}

// askResolution answers with the versions, and asks in a client that has no list of its
// own.
func (c *call) askResolution(ctx context.Context) (any, error) {
	if f, t, ok := c.undecidedThread(ctx); ok {
		return c.askThread(f, &t), nil
	}
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	m := h.Memory
	if decided(h) {
		return memory.Result{Reason: "the memory has one version"}, nil
	}
	if !c.env.Client.Capabilities.Extensions {
		c.env.Spawn(func(ctx context.Context) { c.env.chooseResolution(ctx, f, h) })
	}
	return needsResolution{true, m.UUID, m.Lineage.Version, false, feature.ConflictVersions(m)}, nil
}

// chooseResolution asks which version a memory keeps.
func (e *Env) chooseResolution(ctx context.Context, f *folder.Folder, h memory.Hit) {
	chosen, ok := e.chooseWay(ctx, h.Memory, "memory", resolutions(h))
	if !ok {
		return
	}
	now, ok := f.Memories.View().Get(h.Memory.UUID)
	if !ok || now.Memory.Lineage.Version != h.Memory.Lineage.Version {
		e.Client.Warn("Manicule: the memory was changed meanwhile. Look at its versions again.")
		return
	}
	if _, err := e.resolve(ctx, f, h.Memory.UUID, chosen.is); err != nil {
		e.showError(err)
	}
}

// chooseWay asks how to decide between the versions of what is called kind. ok is false without an answer.
func (e *Env) chooseWay(ctx context.Context, m *file.Memory, kind string, ways []way) (chosen way, ok bool) {
	var question strings.Builder
	fmt.Fprintf(&question, "Manicule: this %s %s.", kind, feature.HasVersions(m))
	for _, v := range feature.ConflictVersions(m) {
		text := v.What
		if v.Deleted {
			text = v.Label
		}
		fmt.Fprintf(&question, "\nVersion %d: %s", v.Number, render.OneLine(text, 200))
	}
	var titles []string
	for _, w := range ways {
		titles = append(titles, w.title)
	}
	title := e.Client.Choose(ctx, question.String(), titles...)
	i := slices.Index(titles, title)
	if i < 0 {
		return way{}, false
	}
	return ways[i], true
}

// way is one way to decide between versions.
type way struct {
	title string
	rest  string
	is    memory.Resolution
}

// singles are the ways that keep one version, or none.
func singles(h memory.Hit) (out []way) {
	versions := feature.ConflictVersions(h.Memory)
	for _, v := range versions[:min(len(versions), maxTitles)] {
		title := fmt.Sprintf("keep version %d: “%s”", v.Number, v.Label)
		switch other := len(versions) == 2 && versions[2-v.Number].Deleted; {
		case other:
			title = fmt.Sprintf("keep “%s”, which was %s", v.Label, versions[2-v.Number].Label)
		case v.Deleted:
			title = "delete " + quoted(h) + ", which was " + v.Label
		}
		out = append(out, way{title, "drop", memory.Resolution{Version: v.Number}})
	}
	return out
}

// resolutions are the ways to decide between the versions of a memory.
func resolutions(h memory.Hit) []way {
	out := singles(h)
	versions := feature.ConflictVersions(h.Memory)
	if _, deleted := h.Memory.Deletion(); deleted {
		versions = versions[:len(versions)-1]
	}
	all := "keep both versions of "
	switch len(versions) {
	case 1:
		return out
	case 2:
	default:
		all = fmt.Sprintf("keep all %d versions of ", len(versions))
	}
	return append(out,
		way{all + quoted(h), "keep", memory.Resolution{Version: 1, Rest: memory.KeepRest}},
		way{"the newest version of " + quoted(h) + " supersedes the others", "supersede", memory.Resolution{Version: 1, Rest: memory.SupersedeRest}})
}

// offerConflicts offers the ways to decide between the versions of the first memories, and for each other one to ask: a problem
// without any action could not be decided where it is shown.
func offerConflicts(undecided []memory.Hit, waysOf func(memory.Hit) []way, params *protocol.CodeActionParams, out *offers) error {
	for i, h := range undecided {
		diags := diagnosticsOf(params.Context.Diagnostics, h.Memory.UUID)
		var err error
		if i < maxActionMemories {
			err = offerWays(h, waysOf(h), diags, out)
		} else {
			err = out.add("decide between the versions of "+quoted(h), kindFix, diags, cmdResolve, h.Memory.UUID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// offerResolutions offers the ways to decide between the versions of a memory.
func offerResolutions(h memory.Hit, diags []protocol.Diagnostic, out *offers) error {
	if decided(h) {
		return nil
	}
	return offerWays(h, resolutions(h), diags, out)
}

func offerWays(h memory.Hit, ways []way, diags []protocol.Diagnostic, out *offers) error {
	for _, w := range ways {
		if err := out.add(w.title, kindFix, diags, cmdResolve, h.Memory.UUID, resolution{w.is.Version, w.rest, h.Memory.Lineage.Version}); err != nil {
			return err
		}
	}
	return nil
}
