package action

import (
	"context"
	"fmt"
	"slices"

	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
)

const (
	cmdDismiss   = "manicule.dismiss"
	cmdUndismiss = "manicule.undismiss"
)

// automaticSurfaces returns the surfaces that show memories without a request.
// Dismissing a memory "here" means all of them. The hover still shows it.
func automaticSurfaces() []string {
	return []string{folder.SurfaceDiagnostic, folder.SurfaceLens, folder.SurfaceFix}
}

// dismissed is the answer of manicule.dismiss.
type dismissed struct {
	UUID     string   `json:"uuid"`
	Surfaces []string `json:"surfaces"` // where it is dismissed now
}

// dismiss hides a memory on a surface of the editors on this machine. A third argument
// of false shows it again.
func dismiss(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	surface, on := "", true
	if err := c.args.read(1, "the name of a surface", &surface); err != nil {
		return nil, err
	}
	if err := c.args.read(2, "true or false", &on); err != nil {
		return nil, err
	}
	return c.dismiss(ctx, f, h, surface, on)
}

// undismiss shows a memory again wherever it was dismissed.
func undismiss(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	return c.dismiss(ctx, f, h, "", false)
}

// hidden reports whether a person dismissed a memory where it would be shown without a request.
func hidden(f *folder.Folder, h memory.Hit) bool {
	return slices.ContainsFunc(automaticSurfaces(), func(surface string) bool { return !f.Dismissed.Shows(h.Memory.UUID, surface) })
}

func (c *call) dismiss(ctx context.Context, f *folder.Folder, h memory.Hit, surface string, on bool) (any, error) {
	list := automaticSurfaces()
	switch {
	case surface == "" && !on:
		list = folder.Surfaces()
	case surface != "" && !slices.Contains(folder.Surfaces(), surface):
		return nil, rpc.InvalidParams("%s: argument 2: there is no surface %q; try one of %v", c.args.command, surface, folder.Surfaces())
	case surface != "":
		list = []string{surface}
	}
	for _, x := range list {
		if err := f.Memories.Dismissals().Set(ctx, h.Memory.UUID, x, on); err != nil {
			return nil, fmt.Errorf("note that %s is not wanted: %w", h.Memory.UUID, err)
		}
	}
	f.Dismissed.Load(ctx)
	c.env.Changed()
	out := dismissed{UUID: h.Memory.UUID, Surfaces: []string{}}
	for _, x := range folder.Surfaces() {
		if !f.Dismissed.Shows(h.Memory.UUID, x) {
			out.Surfaces = append(out.Surfaces, x)
		}
	}
	return out, nil
}
