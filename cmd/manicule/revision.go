package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/services"
)

// revision removes the revision from the arguments of impact --diff, which may be
// separate ("--diff main"). The first argument is the revision unless it names a symbol
// or a file. It returns the id of the commit.
func (c *workspaces) revision(ctx context.Context, w *services.Workspace, rev string, args []string) (commit string, rest []string, err error) {
	if err := change.NeedsGit(w.Place()); err != nil {
		return "", nil, err
	}
	if rev == defaultRevision && len(args) > 0 && c.isRevision(w, args[0]) {
		commit, err := change.Commit(ctx, w.Root(), args[0])
		if err != nil {
			return "", nil, &memory.UserError{Msg: fmt.Sprintf("%q is neither a file of this workspace nor a revision in git", args[0]), Err: err,
				Hint: "Name a file, a FILE#Symbol, a branch, a tag or a commit."}
		}
		return commit, args[1:], nil
	}
	commit, err = change.ResolveCommit(ctx, w.Place(), rev)
	return commit, args, err
}

// defaultRevision is the default of --diff.
const defaultRevision = "HEAD"

// isRevision reports whether an argument can only be a revision.
func (c *workspaces) isRevision(w *services.Workspace, arg string) bool {
	if strings.Contains(arg, "#") {
		return false
	}
	st, err := os.Stat(c.rooted(w, arg))
	return err != nil || st.IsDir()
}
