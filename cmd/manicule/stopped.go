package main

import (
	"context"
	"fmt"

	"manicule/memory"
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
	files, err := w.Stopped().DroppedFiles()
	if err != nil {
		return append(out, finding{"memories", statusProblem, err.Error(), services.Hint(err)})
	}
	for _, f := range files {
		text, hint := tellDroppedFile(f)
		out = append(out, finding{"memories", statusNote, text, hint})
	}
	return out
}

// tellDroppedFile is tellDropped for a core document or the plan of a build.
func tellDroppedFile(f memory.DroppedFile) (text, hint string) {
	said := ""
	if line := f.Line(); line != "" {
		said = ": “" + cut(plainLine(line), maxConcluded) + "”"
	}
	return fmt.Sprintf("%s was written while git waited, and git dropped that%s", plainPath(f.Path), said),
		fmt.Sprintf("`manicule restore %s` brings it back; if it is meant, `manicule restore --dismiss %[1]s` ends this note.", plainPath(f.Path))
}

// tellDropped says what git dropped, and how to get it back.
func tellDropped(d memory.Dropped) (text, hint string) {
	id, what := d.Memory.ShortID(), "memory"
	if d.Thread {
		what = "thread"
	}
	quote := cut(plainLine(d.Memory.What), maxConcluded)
	if d.Back {
		return fmt.Sprintf("memory %s was forgotten while git waited, and git brought it back: “%s”", id, quote), fmt.Sprintf("`manicule forget %s` deletes it; if it is meant, `manicule restore --dismiss %[1]s` ends this note.", id)
	}
	return fmt.Sprintf("%s %s was written while git waited, and git dropped that: “%s”", what, id, quote),
		fmt.Sprintf("`manicule restore %s` brings it back; if it is meant, `manicule restore --dismiss %[1]s` ends this note.", id)
}

// warnDropped tells a person once that git dropped what was written while it waited.
func warnDropped(ctx context.Context, c *cli, w *services.Workspace) {
	if c.caller().ID != "" { // a person decides, and has to hear of it
		return
	}
	list, files := w.Stopped().Untold(ctx)
	for _, d := range list {
		text, hint := tellDropped(d)
		c.warn("%s\n  %s", text, hint)
	}
	for _, f := range files {
		text, hint := tellDroppedFile(f)
		c.warn("%s\n  %s", text, hint)
	}
}

// droppedJSON is what git dropped in the shape "restore".
type droppedJSON struct {
	UUID   string `json:"uuid"`
	What   string `json:"what"`
	Thread bool   `json:"thread,omitzero"`
}

// droppedFileJSON is a file that is no memory.
type droppedFileJSON struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// restoreJSON is the shape "restore".
type restoreJSON struct {
	Forgotten []forgottenJSON   `json:"forgotten"`
	Dropped   []droppedJSON     `json:"dropped,omitzero"`
	Files     []droppedFileJSON `json:"files,omitzero"`     // core documents and plans that git dropped
	Restored  string            `json:"restored,omitzero"`  // the path of one that is as it was
	Dismissed int               `json:"dismissed,omitzero"` // copies that were deleted
}

// forgottenJSON is a memory that can be restored.
type forgottenJSON struct {
	UUID    string `json:"uuid"`
	What    string `json:"what"`
	Reason  string `json:"reason"`
	Deleted string `json:"deleted_at"`
}

// dropped lists what git dropped and can be restored.
func (rc *restoreCommand) dropped(list []memory.Dropped, files []memory.DroppedFile) (out []droppedJSON, named []droppedFileJSON) {
	for _, d := range list {
		if d.Back {
			continue
		}
		out = append(out, droppedJSON{UUID: d.Memory.UUID, What: d.Memory.What, Thread: d.Thread})
		if !rc.json {
			rc.printf("%s  %s  %s\n", rc.paint(faint, d.Memory.UUID[28:]), firstLine(d.Memory.What), rc.paint(faint, "written while git waited, which dropped it"))
		}
	}
	for _, f := range files {
		named = append(named, droppedFileJSON{f.Path, f.Line()})
		if !rc.json {
			rc.printf("%s  %s  %s\n", rc.paint(faint, plainPath(f.Path)), firstLine(f.Line()), rc.paint(faint, "written while git waited, which dropped it"))
		}
	}
	return out, named
}

// dismissDropped ends the note about what git dropped.
func (rc *restoreCommand) dismissDropped(ctx context.Context, w *services.Workspace, id string) error {
	n, err := w.Stopped().Dismiss(ctx, id)
	if err != nil {
		return err
	}
	if n == 0 {
		return &memory.UserError{Msg: fmt.Sprintf("git dropped nothing of %q that was written while it waited", id), Hint: "`manicule restore` lists what it dropped."}
	}
	if rc.json {
		rc.printJSON("restore", restoreJSON{Forgotten: []forgottenJSON{}, Dismissed: n})
		return nil
	}
	rc.printf("☞ dismissed: nobody is told of it any more\n")
	return nil
}

// restoredThread says that a shared thread is as it was written.
func (rc *restoreCommand) restoredThread(r memory.Result) {
	if rc.json {
		rc.printJSON("thread", threadResultJSON{Accepted: true})
		return
	}
	rc.printf("☞ restored: thread %s  %s\n", r.Memory.ShortID(), firstLine(r.Memory.What))
}

// restoredFile says that a core document or a plan is as it was written.
func (rc *restoreCommand) restoredFile(f memory.DroppedFile) {
	if rc.json {
		rc.printJSON("restore", restoreJSON{Forgotten: []forgottenJSON{}, Restored: f.Path})
		return
	}
	rc.printf("☞ restored: %s\n", plainPath(f.Path))
}
