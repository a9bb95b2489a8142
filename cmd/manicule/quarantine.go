package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// heldJSON is a memory in quarantine.
type heldJSON struct {
	Memory *file.Memory `json:"memory,omitzero"` // absent for an agent
	UUID   string       `json:"uuid"`
	Path   string       `json:"path"`
	Code   string       `json:"code"` // secret, injection
	Why    string       `json:"why"`
}

func (c *cli) heldJSON(root string, list []memory.Quarantined) []heldJSON {
	out := []heldJSON{}
	for _, h := range list {
		x := heldJSON{UUID: h.Memory.UUID, Path: relative(root, h.Path), Code: h.Code, Why: h.Why}
		if c.agent() == "" {
			x.Memory = h.Memory
		}
		out = append(out, x)
	}
	return out
}

// reviewReleaseCommand is `manicule review release`.
type reviewReleaseCommand struct {
	reviewer
}

func newReviewReleaseCommand(shared *cli) *cobra.Command {
	rrc := &reviewReleaseCommand{reviewer: reviewer{shared}}
	return &cobra.Command{
		Use:   "release ID...",
		Short: "Release memories from quarantine, on your responsibility",
		Long: "Release memories from quarantine, on this machine and with their present text: changed files\n" +
			"are judged again. A memory that came by git and is marked as not reviewed here counts as\n" +
			"reviewed afterwards. The files are not changed.",
		Args: cobra.MinimumNArgs(1),
		RunE: rrc.run,
	}
}

func (rrc *reviewReleaseCommand) run(cmd *cobra.Command, args []string) error {
	if err := rrc.requirePerson("release"); err != nil {
		return err
	}
	return rrc.with(cmd.Context(), func(w *services.Workspace) error {
		for _, id := range args {
			r, err := w.Quarantine().Release(cmd.Context(), id)
			if err != nil {
				return err
			}
			if err := rrc.report(cmd.Context(), w, r, "released"); err != nil {
				return err
			}
		}
		return nil
	})
}

// heldLine prints a memory in quarantine in two lines. Its text is for people only, and a
// secret is shown only by id.
func (r *reviewer) heldLine(root string, h memory.Quarantined) {
	what := relative(root, h.Path)
	if h.Code == string(gate.Injection) && r.agent() == "" {
		what = plainLine(h.Memory.What)
	}
	r.printf("%s  %s  %s\n", r.paint(faint, h.Memory.ShortID()), r.paint(red, "held   "), what)
	r.printf("          %s\n", plainLine(h.Why))
	if r.agent() == "" {
		r.printf("          `manicule review release %s` or `manicule forget %s`\n", h.Memory.ShortID(), h.Memory.ShortID())
	}
}

// heldCount ends a list with the number of memories in quarantine.
func (c *console) heldCount(n int) {
	if n > 0 {
		c.printf("%s\n", c.paint(red, count(n, "memory is", "memories are")+" in quarantine: `manicule review` lists them"))
	}
}

// showHeld shows a memory in quarantine to a person who names its id. ok is false for
// other memories.
func (sc *showCommand) showHeld(ctx context.Context, w *services.Workspace, id string) (ok bool, err error) {
	h, ok, err := w.Quarantine().Find(ctx, id)
	if !ok || err != nil {
		return false, err
	}
	if err := sc.requirePerson("read quarantined"); err != nil {
		return true, err
	}
	if sc.json {
		sc.printJSON("show", struct {
			hitJSON
			Held heldJSON `json:"quarantined"`
		}{hitsJSON(w.Root(), []memory.Hit{{Memory: h.Memory, Path: h.Path}})[0], sc.heldJSON(w.Root(), []memory.Quarantined{h})[0]})
		return true, nil
	}
	sc.card(memory.Hit{Memory: h.Memory, Path: h.Path}, sc.now(), w.Root())
	sc.printf("  %-10s %s\n", "held", sc.paint(red, plainLine(h.Why)))
	sc.printf("  %-10s %s\n", "try", h.Hint)
	return true, nil
}

// askHeld asks about each memory in quarantine in turn. more is false when the person
// quits.
func (r *reviewer) askHeld(cmd *cobra.Command, w *services.Workspace, list []memory.Quarantined, in *answers) (more bool, err error) {
	for i, h := range list {
		r.printf("\nin quarantine, %d of %d: %s\n", i+1, len(list), plainLine(h.Why))
		r.card(memory.Hit{Memory: h.Memory, Path: h.Path}, r.now(), w.Root())
		for asking := true; asking; {
			r.printf("  agents are told it once you [l]et it out; [f]orget, [s]kip, [q]uit? ")
			key, err := in.key()
			if errors.Is(err, context.Canceled) {
				r.printf("\n")
				return false, err // earlier decisions stay
			}
			if err != nil && key == "" {
				return false, nil // the terminal is gone: earlier decisions stay
			}
			asking = false
			switch key {
			case "l":
				var released memory.Result
				if released, err = w.Quarantine().Release(cmd.Context(), h.Memory.UUID); err == nil {
					err = r.report(cmd.Context(), w, released, "released")
				}
			case "f":
				if err = w.Forgotten().Forget(cmd.Context(), h.Memory.UUID); err == nil {
					r.printf("☞ forgotten: %s\n", h.Memory.ShortID())
				}
			case "s":
				err = nil
			case "q":
				return false, nil
			default:
				asking, err = true, nil
			}
			if err != nil { // the others can be decided all the same
				r.printf("  %s\n", explain(err))
				asking = true
			}
		}
	}
	return true, nil
}
