package lsp

import (
	"context"
	"slices"

	"manicule/lsp/folder"
	"manicule/lsp/rpc"
)

// unasked are the surfaces that come without being asked for: what "not here"
// means where nothing more is said. The hover still has the memory.
func unasked() []string {
	return []string{folder.SurfaceDiagnostic, folder.SurfaceLens, folder.SurfaceFix}
}

// dismissed is the answer of manicule.dismiss.
type dismissed struct {
	UUID     string   `json:"uuid"`
	Surfaces []string `json:"surfaces"` // on which it is not shown now
}

// dismiss keeps a memory from being shown on a surface of this machine's
// editors; its third argument false shows it again.
func (r *request) dismiss(ctx context.Context, args arguments) (any, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return nil, err
	}
	surface, on := "", true
	if err := args.read(1, "the name of a surface", &surface); err != nil {
		return nil, err
	}
	if err := args.read(2, "true or false", &on); err != nil {
		return nil, err
	}
	list := unasked()
	switch {
	case surface == "" && !on:
		list = folder.Surfaces()
	case surface != "" && !slices.Contains(folder.Surfaces(), surface):
		return nil, rpc.InvalidParams("%s: argument 2: there is no surface %q; there are %v", args.command, surface, folder.Surfaces())
	case surface != "":
		list = []string{surface}
	}
	for _, x := range list {
		if err := f.Memories.Dismiss(ctx, h.Memory.UUID, x, on); err != nil {
			return nil, err
		}
	}
	f.LoadDismissed(ctx)
	r.markStale()
	out := dismissed{UUID: h.Memory.UUID, Surfaces: []string{}}
	for _, x := range folder.Surfaces() {
		if !f.Shows(h.Memory.UUID, x) {
			out.Surfaces = append(out.Surfaces, x)
		}
	}
	return out, nil
}
