package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

func errOneVersion() error {
	return errors.New("a thread keeps one version: --keep N, --mine or --theirs")
}

// resolveThread decides between the versions of a shared thread.
func (rc *resolveCommand) resolveThread(cmd *cobra.Command, w *services.Workspace, t thread.Thread) error {
	m := t.Memory
	if len(m.Conflict) == 0 {
		return &memory.UserError{Msg: "thread " + m.ShortID() + " has one version", Hint: "`manicule resolve` lists what is to be decided."}
	}
	version, err := rc.keep, error(nil)
	switch {
	case rc.both || rc.supersede:
		return usage(cmd, errOneVersion())
	case rc.mine || rc.theirs:
		if version, err = rc.versionBy(m, w.Maker().Author()); err != nil {
			return err
		}
	case rc.delete:
		if version = deletionNumber(m); version == 0 {
			return &memory.UserError{Msg: fmt.Sprintf("no side of a merge deleted thread %s", m.ShortID()), Hint: "`manicule thread done` closes it."}
		}
	case !cmd.Flags().Changed("keep"):
		if !rc.tty || !rc.inputTTY {
			ways := "--keep N, --mine or --theirs"
			if deletionNumber(m) > 0 {
				ways = "--keep N, --mine, --theirs or --delete"
			}
			return usage(cmd, fmt.Errorf("say what to keep of thread %s: %s", m.ShortID(), ways))
		}
		r, ok := rc.choose(newAnswers(rc.cli), m, true)
		if !ok {
			return nil
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
	if w.Git().Unfinished(name) {
		rc.printf("  git waits for it: `git add %s`, then go on as `git status` says\n", relative(w.Root(), name))
	}
	return nil
}
