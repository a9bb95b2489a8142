package services

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/lockfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/llm"
)

// ownership is for a command that was run with sudo once, in the user's own home.
const ownership = "What sudo made belongs to root: `sudo chown -R \"$(id -u)\" FOLDER` gives it back."

// Hint returns what a person can do about an error, or "".
func Hint(err error) string {
	if u, ok := errors.AsType[*memory.UserError](err); ok {
		return u.Hint
	}
	if f, ok := errors.AsType[*file.Error](err); ok {
		return f.Hint
	}
	if f, ok := errors.AsType[*exporter.ForeignError](err); ok {
		return f.Hint()
	}
	if f, ok := errors.AsType[*treefile.Error](err); ok {
		return f.Hint
	}
	switch {
	case errors.Is(err, embed.ErrNone) && llm.Hint(err) == "": // else a server was asked first
		return "`manicule model install` installs one."
	case errors.Is(err, sqlfile.ErrNewer):
		return "Use the newer version of Manicule that wrote it. What began before an update, such as an editor or an agent, has to be started again. docs/versions.md says how to go back."
	case errors.Is(err, code.ErrBusy):
		return "Wait until it is done, or end it if it has stopped (`manicule doctor` names the servers of this folder)."
	case lockfile.Unsupported(err):
		return "That file system has no locks. Set XDG_STATE_HOME and XDG_CACHE_HOME to folders on a local disk."
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return memory.HintOpenFiles
	case sqlfile.IsBusy(err):
		return "Another process is writing: wait until it is done, or end it if it has stopped (`manicule doctor` names the servers of this folder)."
	case sqlfile.IsFull(err), sqlfile.IsReadOnly(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EDQUOT):
		return "Free space on the disk and check that the folder is writable, or set XDG_CACHE_HOME or XDG_STATE_HOME. " + ownership
	case errors.Is(err, syscall.EIO):
		return "The disk or the network failed there: the system's log says more (`dmesg`). Try again when it can be read."
	case errors.Is(err, fs.ErrPermission):
		return "Check that it is yours, and that its mode lets you in. " + ownership
	}
	return llm.Hint(err)
}

// GraphError adds a hint to the error of a code graph that can't be read or written.
func GraphError(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	hint := Hint(err)
	if hint == "" {
		hint = "`manicule index --rebuild` builds it again; `manicule doctor` looks at the folders."
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: hint}
}

// AskGraph calls f with what it needs of a code graph, as [graph.Index.Ask] does.
func AskGraph(ctx context.Context, ix *graph.Index, f func(*graph.Graph) error) error {
	var answer error
	if err := ix.Ask(ctx, func(g *graph.Graph) { answer = f(g) }); err != nil {
		return GraphError(err)
	}
	return answer
}

// noCode returns the error that explains why an agent gets no answer about the code.
func noCode(p *workspace.Workspace) error {
	if !p.IsProject() {
		return &memory.UserError{Msg: p.Root + " is no project: its code is not read", Hint: "Start the agent in a git repository, or in a folder where `manicule init` ran."}
	}
	return &memory.UserError{Msg: "the code graph is turned off", Hint: "Set index.enabled to true in the settings and start the server again."}
}
