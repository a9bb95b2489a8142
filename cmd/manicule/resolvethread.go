package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// undecidedThread returns the shared thread to be decided that id is short for. ok is false if none or several are.
func undecidedThread(w *services.Workspace, id string) (t thread.Thread, ok bool) {
	for _, x := range threads.Of(w.Workspace).Undecided() {
		if !file.Abbreviates(id, x.Memory.UUID) {
			continue
		}
		if ok {
			return thread.Thread{}, false
		}
		t, ok = x, true
	}
	return t, ok
}

func errOneVersion() error {
	return errors.New("a thread keeps one version: --keep N, --mine or --theirs")
}

// resolveThread decides between the versions of a shared thread.
func (rc *resolveCommand) resolveThread(cmd *cobra.Command, w *services.Workspace, t thread.Thread) error {
	m := t.Memory
	version, err := rc.keep, error(nil)
	switch {
	case rc.both || rc.supersede:
		return usage(cmd, errOneVersion())
	case rc.mine || rc.theirs:
		if version, err = rc.versionBy(m, w.Author()); err != nil {
			return err
		}
	case rc.delete:
		if version = deletionNumber(m); version == 0 {
			return &memory.UserError{Msg: fmt.Sprintf("no side of a merge deleted thread %s", m.ShortID()), Hint: "`manicule thread done` closes it."}
		}
	case !cmd.Flags().Changed("keep"):
		if !rc.tty || !rc.inputTTY {
			return usage(cmd, fmt.Errorf("say what to keep of thread %s: --keep N, --mine, --theirs%s", m.ShortID(), map[bool]string{true: " or --delete"}[deletionNumber(m) > 0]))
		}
		r, ok := rc.choose(newAnswers(rc.cli), m)
		if !ok {
			return nil
		}
		if r.Rest != memory.DropRest {
			return usage(cmd, errOneVersion())
		}
		version = r.Version
	}
	if err := threads.Of(w.Workspace).Resolve(cmd.Context(), t, version); err != nil {
		return err
	}
	if rc.json {
		rc.printJSON("thread", threadResultJSON{Accepted: true})
		return nil
	}
	name := thread.SharedPath(w.Place(), m.UUID)
	rc.printf("☞ resolved: thread %s\n", m.ShortID())
	if w.Unfinished(memory.Hit{Path: name}) {
		rc.printf("  git waits for it: `git add %s`, then go on with the merge\n", relative(w.Root(), name))
	}
	return nil
}
