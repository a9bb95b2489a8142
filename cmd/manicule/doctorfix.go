package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"manicule/hooks/setup"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/leader"
	"manicule/memory/repair"
	"manicule/memory/services"
)

// mendedJSON is one thing that `doctor --fix` mends.
type mendedJSON struct {
	Path string   `json:"path"`
	What []string `json:"what"` // what was wrong, and what became of it
	Left bool     `json:"left"` // it changed meanwhile, and was left alone
}

// mender mends what doctor finds, if no person has to decide.
type mender struct {
	*cli
	dryRun bool
}

// repairOptions are the options for mending the workspace's memory files.
func repairOptions(ctx context.Context, w *services.Workspace) repair.Options {
	histories := 0
	last := func(uuid string) (*file.Memory, error) {
		m, ok, err := w.History().Committed(ctx, uuid)
		if ok || err != nil || histories == maxHistories || ctx.Err() != nil {
			return m, cmp.Or(err, ctx.Err())
		}
		histories++
		m, _, err = w.History().Last(ctx, uuid)
		return m, err
	}
	real := map[string]string{} // by the path that was asked for; "" outside
	follow := func(rel string) (string, bool) {
		to, known := real[rel]
		if !known {
			to, _ = w.Place().Real(rel)
			real[rel] = to
		}
		return to, to != ""
	}
	return repair.Options{Dir: w.Place().MemoriesDir(), Kept: filepath.Join(w.Place().StateDir(), repair.KeptFolder), Now: w.Now(), NewID: w.Maker().NewID,
		Last: last, Merge: w.Twins().Merge, Real: follow}
}

// maxHistories is for how many files at once git's history is read, which takes as long as a log of each: a clone may have
// thousands that were committed damaged. The next --fix mends as many again.
const maxHistories = 20

// maxMendable is how many files are named that can be mended.
const maxMendable = 5

// checkForm reports memory files that can be mended.
func (md *mender) checkForm(ctx context.Context, w *services.Workspace) (out []finding) {
	if !setup.Exists(w.Place().MemoriesDir()) {
		return nil
	}
	o := repairOptions(ctx, w)
	faults, err := repair.Find(ctx, o)
	if err != nil {
		return []finding{{"memories", statusProblem, err.Error(), services.Hint(err)}}
	}
	for i, f := range faults {
		if i == maxMendable {
			out = append(out, finding{"memories", statusNote, count(len(faults)-i, "more file", "more files") + " that can be mended", "`manicule doctor --fix --dry-run` lists all."})
			break
		}
		name := relative(w.Root(), filepath.Join(o.Dir, filepath.FromSlash(f.Path)))
		out = append(out, finding{"memories", statusNote, name + " can be mended: " + strings.Join(f.What, "; "), "`manicule doctor --fix` does it, and `manicule doctor --undo` takes it back."})
	}
	return out
}

// fix mends what needs no person's decision. What could not be mended keeps nothing else from it.
func (md *mender) fix(ctx context.Context, w *services.Workspace) (mended []mendedJSON, failed []finding) {
	mended = []mendedJSON{}
	if !setup.Exists(w.Place().MemoriesDir()) {
		return mended, nil // there is nothing to mend before `manicule init`
	}
	for _, step := range []func(context.Context, *services.Workspace) ([]mendedJSON, error){md.fixFiles, md.fixSetup, md.fixDatabase, md.fixSocket} {
		done, err := step(ctx, w)
		if ctx.Err() != nil {
			return mended, failed
		}
		if mended = append(mended, done...); err != nil {
			failed = append(failed, finding{"repair", statusProblem, err.Error(), cmp.Or(services.Hint(err), "Have the folder that it names writable, with room on its disk, and run it again: what was not mended is as it was.")})
		}
	}
	return mended, failed
}

func (md *mender) fixFiles(ctx context.Context, w *services.Workspace) (out []mendedJSON, err error) {
	if _, err := w.Sync(ctx); err != nil { // which memories are active
		return nil, err
	}
	o := repairOptions(ctx, w)
	var merged []*file.Memory
	made := map[*file.Memory]bool{} // of several twins: no file had it
	o.Merge = func(to, m *file.Memory) (*file.Memory, bool, error) {
		next, ok, err := w.Twins().Merge(to, m)
		if ok && err == nil {
			if merged = append(merged, m); !made[to] {
				merged = append(merged, to)
			}
			made[next] = next != to
		}
		return next, ok, err
	}
	faults, err := repair.Find(ctx, o)
	if err != nil {
		return nil, err
	}
	var left []repair.Fault
	if !md.dryRun {
		w.Twins().KeepVersions(ctx, merged)
		if left, err = repair.Apply(ctx, o, faults); err != nil {
			return nil, err
		}
	}
	for _, f := range faults {
		x := mendedJSON{Path: relative(w.Root(), filepath.Join(o.Dir, filepath.FromSlash(f.Path))), What: f.What}
		for _, l := range left {
			x.Left = x.Left || l.Path == f.Path
		}
		out = append(out, x)
	}
	return out, nil
}

// fixSetup adds the git hooks, the merge driver and the rules that keep personal memories out of git.
func (md *mender) fixSetup(_ context.Context, w *services.Workspace) (out []mendedJSON, err error) {
	at := md.setupOf(w.Place())
	steps, err := at.Plan(setup.Options{})
	if err != nil {
		return nil, err
	}
	if !md.dryRun && len(steps) > 0 {
		if err := at.Apply(steps, false); err != nil {
			return nil, err
		}
	}
	for _, s := range steps {
		if s.What != "" {
			out = append(out, mendedJSON{Path: relative(w.Root(), s.Path), What: []string{s.What + " was missing: added, as `manicule init` does"}})
		}
	}
	return out, nil
}

func (md *mender) fixDatabase(ctx context.Context, w *services.Workspace) ([]mendedJSON, error) {
	fault := w.Store().Check(ctx)
	if fault == nil || w.Store().Path() == "" {
		return nil, nil
	}
	if !md.dryRun {
		if err := w.Store().Rebuild(ctx); err != nil {
			return nil, err
		}
	}
	return []mendedJSON{{Path: w.Store().Path(), What: []string{fault.Error() + ": rebuilt from the memory files"}}}, nil
}

// fixSocket removes the socket of a leader that was killed.
func (md *mender) fixSocket(ctx context.Context, w *services.Workspace) ([]mendedJSON, error) {
	socket := w.Place().Socket()
	var h leader.Hello
	if err := leader.Ask(ctx, socket, "hello", nil, &h); !errors.Is(err, syscall.ECONNREFUSED) {
		return nil, nil
	}
	if !md.dryRun {
		if err := os.Remove(socket); err != nil {
			return nil, err
		}
	}
	return []mendedJSON{{Path: socket, What: []string{"no process listens on it any more: removed"}}}, nil
}

func (md *mender) printMended(list []mendedJSON) {
	files := 0
	for _, m := range list {
		if m.Left {
			md.printf("%s %s changed meanwhile, and was left alone\n", md.paint(yellow, "•"), plainPath(m.Path))
			continue
		}
		files++
		md.printf("%s %s\n  %s\n", md.paint(green, "✓"), plainPath(m.Path), plainLine(strings.Join(m.What, "; ")))
	}
	switch {
	case md.dryRun && files > 0:
		md.printf("%s would be mended: this was a dry run\n\n", count(files, "thing", "things"))
	case files == 0:
		md.printf("nothing is there that can be mended without a person\n\n")
	default:
		md.printf("☞ %s mended; `manicule doctor --undo` takes back what was done to memory files\n\n", count(files, "thing", "things"))
	}
}

// takeBack restores the memory files that the last --fix changed.
func (md *mender) takeBack(ctx context.Context, w *services.Workspace) error {
	o := repairOptions(ctx, w)
	restored, left, err := repair.Undo(ctx, o)
	if errors.Is(err, repair.ErrNothing) {
		return &codeError{exitNotFound, &memory.UserError{Msg: err.Error(), Err: err, Hint: "`manicule init --undo` takes back what init did; git has earlier versions of shared memories."}}
	}
	if err != nil {
		return err
	}
	if md.json {
		md.printJSON("doctor-undo", struct {
			Restored []string `json:"restored"`
			Left     []string `json:"left"`
		}{append([]string{}, restored...), append([]string{}, left...)})
	} else {
		for _, name := range restored {
			md.printf("%s %s is as it was\n", md.paint(green, "✓"), plainPath(name))
		}
		for _, name := range left {
			md.printf("%s %s was changed since, and was left alone\n", md.paint(yellow, "•"), plainPath(name))
		}
	}
	if _, err := w.Sync(ctx); err != nil {
		return err
	}
	if len(left) > 0 {
		return &codeError{exitFindings, errSilent}
	}
	return nil
}
