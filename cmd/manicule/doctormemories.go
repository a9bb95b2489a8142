package main

import (
	"context"
	"errors"
	"fmt"

	"manicule/hooks/setup"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/plans"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// problemsShown is how many memories in quarantine, and how many broken files, people are shown one by one.
const problemsShown = 3

func checkWorkspace(ctx context.Context, w *services.Workspace) []finding {
	f := finding{Check: "workspace", Status: statusOK, Text: w.Root()}
	if !setup.Exists(w.Place().MemoriesDir()) {
		f.Status, f.Text, f.Hint = statusNote, w.Root()+" has no memories yet", "`manicule init` sets it up."
		if lost, back := deletedFolder(w); lost != "" {
			f.Status, f.Text, f.Hint = statusProblem, w.Root()+" has no memories: "+lost, back+"."
		}
	}
	if f.Status != statusOK {
		return []finding{f}
	}
	if _, err := w.Sync(ctx); err != nil {
		return []finding{f} // the check of the files says it
	}
	if lost, back, err := deletedFiles(ctx, w); err != nil {
		f.Status, f.Text, f.Hint = statusProblem, err.Error(), services.Hint(err)
	} else if lost != "" {
		f.Status, f.Text, f.Hint = statusNote, w.Root()+": "+lost, back+"."
	}
	return []finding{f}
}

// fileCheck looks for memory files that can't be used, and for what merges left in them and beside them.
type fileCheck struct {
	all bool // list all of them
}

func (c fileCheck) run(ctx context.Context, w *services.Workspace) []finding {
	if _, err := w.Sync(ctx); err != nil {
		return []finding{{"memories", statusProblem, err.Error(), services.Hint(err)}}
	}
	var out []finding
	problems := w.View().Problems()
	hints := w.Merges().Remedies(ctx, problems)
	held, broken := 0, 0
	for i, p := range problems {
		n := &broken
		if p.Held != "" {
			n = &held
		}
		if *n++; *n > problemsShown && !c.all {
			continue
		}
		out = append(out, finding{"memories", statusProblem, fmt.Sprintf("%s:%d:%d: %s", relative(w.Root(), p.Path), p.Line, p.Column, p.Message), hints[i]})
	}
	if !c.all {
		out = append(out, unshown(broken, "file", "files", "can't be used", "`manicule doctor --verbose` lists all.")...)
		out = append(out, unshown(held, "memory is", "memories are", "in quarantine", "`manicule doctor --verbose` lists all; `manicule review` decides about one after the other.")...)
	}
	conflicts, err := w.Merges().Conflicted(ctx)
	if err != nil {
		return append(out, finding{"memories", statusProblem, err.Error(), services.Hint(err)})
	}
	if len(conflicts) > 0 {
		out = append(out, finding{"memories", statusNote, count(len(conflicts), "memory has", "memories have") + " to be decided since a merge", "`manicule resolve` lists them."})
	}
	out = append(out, bothWays(w)...)
	if undecided := threads.Of(w.Workspace).Undecided(); len(undecided) > 0 {
		out = append(out, finding{"threads", statusNote, count(len(undecided), "shared thread has", "shared threads have") + " to be decided since a merge", "`manicule resolve` lists them."})
	}
	out = append(append(out, coreFindings(w.Place())...), markedBuilds(w)...)
	for _, m := range w.Git().Mistaken(ctx) {
		p := m.Problem()
		out = append(out, finding{"memories", statusProblem, p.Message, p.Hint})
	}
	out = append(append(out, concluded(ctx, w)...), dropped(ctx, w)...)
	return append(out, finding{Check: "memories", Status: statusOK, Text: count(len(w.View().All()), "memory", "memories") + " can be used"})
}

// bothWays tells of memories that supersede each other.
func bothWays(w *services.Workspace) (out []finding) {
	for _, pair := range file.MutuallySuperseded(func(yield func(*file.Memory) bool) {
		for _, h := range w.View().All() {
			if h.Memory.Trust.Deprecated == nil && !yield(h.Memory) {
				return
			}
		}
	}) {
		a, b := file.ShortID(pair[0]), file.ShortID(pair[1])
		out = append(out, finding{"memories", statusNote, fmt.Sprintf("%s and %s supersede each other, so both are told", a, b),
			fmt.Sprintf("`manicule edit %[1]s --unrelate %[2]s` if %[2]s holds, `manicule edit %[2]s --unrelate %[1]s` if %[1]s does.", a, b)})
	}
	return out
}

// unshown counts the problems of one kind beyond those that people are shown one by one.
func unshown(n int, one, many, which, hint string) []finding {
	if n <= problemsShown {
		return nil
	}
	return []finding{{"memories", statusProblem, fmt.Sprintf("and %s %s", count(n-problemsShown, "more "+one, "more "+many), which), hint}}
}

// concluded tells of memories that one side of a merge deleted and the other changed, where git alone concluded it.
func concluded(ctx context.Context, w *services.Workspace) (out []finding) {
	for _, c := range w.Merges().Concluded(ctx) {
		id, what := c.Memory.ShortID(), "memory"
		if c.Thread {
			what = "thread"
		}
		text := fmt.Sprintf("%s deleted %s %s (%.8s), and %s changed it (%.8s): “%s”. ", plainLine(c.Deleted.Author), what, id, c.Deleted.ID, plainLine(c.Changed.Author), c.Changed.ID, cut(plainLine(c.Memory.What), maxConcluded))
		hint := fmt.Sprintf("If that is meant, nothing is to be done; else `git checkout %.8s -- %s` brings it back.", c.At, c.Path)
		how := map[string]string{"rebase": "rebase to", "squash": "squashed merge", "am": "mailed patch"}[c.By]
		if how == "" {
			how = c.By
		}
		switch {
		case c.Kept:
			hint = fmt.Sprintf("If that is meant, nothing is to be done; else `manicule forget %s` deletes it.", id)
			text += fmt.Sprintf("The %s %.8s kept it", how, c.Merge)
		case c.Others:
			hint = fmt.Sprintf("If that is meant, nothing is to be done; else `git show %.8s:%s` shows what was changed.", c.At, c.Path)
			text += fmt.Sprintf("The %s %.8s deleted it, and it is back as others had it", how, c.Merge)
		default:
			text += fmt.Sprintf("The %s %.8s deleted it", how, c.Merge)
		}
		out = append(out, finding{"memories", statusNote, text, hint})
	}
	return out
}

// maxConcluded is how much of a memory is told where it was both deleted and changed.
const maxConcluded = 100

// markedBuilds tells of builds in which git left conflict markers.
func markedBuilds(w *services.Workspace) (out []finding) {
	list, _ := plans.Of(w.Workspace).All() // damagedFiles tells of the error
	for i := range list {
		if b := &list[i]; b.Marked {
			name := relative(w.Root(), builds.Path(w.Place(), b.Name))
			out = append(out, finding{"builds", statusNote, name + " holds conflict markers: the slices of both sides count", "Keep in the file what shall be so; then `git add " + name + "`."})
		}
	}
	return out
}

// coreFindings tells of core documents that can't be read or told, and of those that somebody has to decide about.
func coreFindings(p *workspace.Workspace) (out []finding) {
	names, err := core.Agents(p)
	if err != nil {
		return []finding{{"core", statusProblem, err.Error(), "Check that the folder can be read."}}
	}
	for _, agent := range names {
		name, flag := relative(p.Root, core.Path(p, agent)), ""
		if agent != "" {
			flag = " --agent " + agent
		}
		d, err := core.ReadForAgents(p, agent)
		switch {
		case errors.Is(err, core.ErrHeld):
			out = append(out, finding{"core", statusProblem, name + ": " + err.Error(), "Change the text in the file: until then no session begins with it."})
		case err != nil:
			out = append(out, finding{"core", statusProblem, err.Error(), "Mend the file, or `git checkout HEAD -- " + name + "` takes the last version: until then no session begins with it."})
		case d.Marked:
			out = append(out, finding{"core", statusNote, name + " holds conflict markers, and is read as a merge of its sides", "`manicule core edit" + flag + "` with a part writes it; then `git add " + name + "`."})
		case len(d.Undecided) > 0:
			out = append(out, finding{"core", statusNote, fmt.Sprintf("%s has %s to decide since a merge", name, count(len(d.Undecided), "text", "texts")), "`manicule core" + flag + "` shows them."})
		}
		if n := d.TooMany(); n > 0 {
			out = append(out, finding{"core", statusNote, fmt.Sprintf("%s has %s more than a session can begin with, as a merge may leave", name, count(n, "convention", "conventions")),
				"`manicule core edit" + flag + " --drop-convention WORDS` removes one; keep it as a memory."})
		}
	}
	return out
}

// damagedFiles tells which of the shared threads and the builds can't be read.
func damagedFiles(w *services.Workspace) (out []finding) {
	const hint = "Mend or delete the file; until then it is left out."
	if _, err := thread.Shared(w.Place()); err != nil {
		out = append(out, finding{"threads", statusProblem, err.Error(), hint})
	}
	if _, err := plans.Of(w.Workspace).All(); err != nil {
		out = append(out, finding{"builds", statusProblem, err.Error(), hint})
	}
	return out
}
