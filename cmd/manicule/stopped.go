package main

import (
	"context"
	"fmt"

	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// dropped tells of what was written while git waited and that git dropped since.
func dropped(ctx context.Context, w *services.Workspace) (out []finding) {
	list, err := w.Stopped().Dropped(ctx)
	if err != nil {
		return []finding{{"memories", statusProblem, err.Error(), services.Hint(err)}}
	}
	for _, d := range list {
		text, hint := tellDropped(d)
		out = append(out, finding{"memories", statusNote, text, hint})
	}
	return out
}

// tellDropped says what git dropped, and how to get it back.
func tellDropped(d memory.Dropped) (text, hint string) {
	id, what := d.Memory.ShortID(), "memory"
	if d.Thread {
		what = "thread"
	}
	quote := cut(plainLine(gate.Clean(d.Memory.What)), maxConcluded)
	if d.Back {
		return fmt.Sprintf("memory %s was forgotten while git waited, and git brought it back: “%s”", id, quote), fmt.Sprintf("If that is meant, nothing is to be done; else `manicule forget %s` deletes it.", id)
	}
	return fmt.Sprintf("%s %s was written while git waited, and git dropped that: “%s”", what, id, quote),
		fmt.Sprintf("If that is meant, nothing is to be done; else `manicule restore %s` brings it back.", id)
}

// warnDropped tells a person once that git dropped what was written while it waited.
func warnDropped(ctx context.Context, c *cli, w *services.Workspace) {
	if c.caller().ID != "" { // a person decides, and has to hear of it
		return
	}
	for _, d := range w.Stopped().Untold(ctx) {
		text, hint := tellDropped(d)
		c.warn("%s\n  %s", text, hint)
	}
}

// droppedJSON is what git dropped in the shape "restore".
type droppedJSON struct {
	UUID   string `json:"uuid"`
	What   string `json:"what"`
	Thread bool   `json:"thread,omitzero"`
}

// dropped lists what git dropped and can be restored.
func (rc *restoreCommand) dropped(list []memory.Dropped) (out []droppedJSON) {
	for _, d := range list {
		if d.Back {
			continue
		}
		out = append(out, droppedJSON{d.Memory.UUID, d.Memory.What, d.Thread})
		if !rc.json {
			rc.printf("%s  %s  %s\n", rc.paint(faint, d.Memory.UUID[28:]), firstLine(gate.Clean(d.Memory.What)), rc.paint(faint, "written while git waited, which dropped it"))
		}
	}
	return out
}

// restoredThread says that a shared thread is as it was written.
func (rc *restoreCommand) restoredThread(r memory.Result) {
	if rc.json {
		rc.printJSON("thread", threadResultJSON{Accepted: true})
		return
	}
	rc.printf("☞ restored: thread %s  %s\n", r.Memory.ShortID(), firstLine(gate.Clean(r.Memory.What)))
}
