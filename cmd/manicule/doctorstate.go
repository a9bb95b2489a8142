package main

import (
	"context"
	"errors"
	"fmt"

	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/code"
	"manicule/indexer/workspace"
	"manicule/memory/inventory"
	"manicule/memory/leader"
	"manicule/memory/services"
)

// checkCopy tells that the state of the repository is at the one that this is a copy of.
func checkCopy(_ context.Context, w *services.Workspace) []finding {
	text, original := copyOf(w.Place())
	if text == "" {
		return nil
	}
	return []finding{{"state", statusNote, text,
		"With no editor or agent open here: " + original.Bring(install.ShellQuote) + " brings them along. Otherwise nothing is to be done."}}
}

// checkHome tells that the state is where the system may delete it.
func checkHome(_ context.Context, w *services.Workspace) []finding {
	if text := stateInTemporary(w.Place()); text != "" {
		return []finding{{"state", statusNote, text, "Set HOME, or XDG_STATE_HOME to a folder that stays; `mv` moves what is there already."}}
	}
	return nil
}

// stateInTemporary says where drafts and personal settings are if there is no home folder; "" if there is one.
func stateInTemporary(p *workspace.Workspace) string {
	if !p.Temporary() {
		return ""
	}
	return "without HOME, drafts and settings are kept in " + plainPath(p.StateDir()) + ", which the system may delete"
}

// copyOf says what a copied repository begins without; "" for another one.
func copyOf(p *workspace.Workspace) (string, workspace.Original) {
	o, ok := p.CopyOf()
	if !ok {
		return "", o
	}
	return "this is a copy of " + plainPath(o.Repository) + ", and began without its drafts, its personal settings and its levels of trust", o
}

func checkDatabases(ctx context.Context, w *services.Workspace) []finding {
	out := []finding{{Check: "memories.db", Status: statusOK, Text: "sound"}}
	if err := w.Store().Check(ctx); err != nil {
		out[0] = finding{"memories.db", statusProblem, err.Error(), "Nothing is lost: `manicule sync import` rebuilds it."}
	} else if w.Store().Path() == "" {
		out[0] = finding{"memories.db", statusNote, "kept in memory: the cache folder can't be written to, or has no locks", "Make " + w.Place().CacheDir() + " writable, or set XDG_CACHE_HOME to a folder on a local disk."}
	}
	f := finding{Check: "state.db", Status: statusOK, Text: "sound"}
	if err := w.State().Check(ctx); err != nil {
		f = finding{"state.db", statusProblem, err.Error(), services.Hint(err)}
	}
	out = append(out, f)
	out = append(out, checkSearched(ctx, w)...)
	for _, d := range w.State().Damaged() {
		f := finding{"state.db", statusNote, "a damaged database was set aside: " + d.Path, "Its newest backup is in use; delete the file when you don't miss anything."}
		if d.Lost {
			f.Text = "the database was gone or empty, and its newest backup is in use: drafts, versions and counts since then are lost"
			f.Hint = "`rm " + install.ShellQuote(d.Path) + "` ends this note. `manicule purge` is how to begin anew."
		}
		out = append(out, f)
	}
	return out
}

// checkSearched checks what searches made. They make it anew when they meet damage, so that is no problem.
func checkSearched(ctx context.Context, w *services.Workspace) (out []finding) {
	add := func(name, again string, err error) {
		f := finding{Check: name, Status: statusOK, Text: "sound"}
		if err != nil {
			f = finding{name, statusNote, err.Error(), again}
		}
		out = append(out, f)
	}
	if exists, err := code.Check(ctx, w.Place().CacheDir()); exists {
		add("code.db", "Nothing is lost: the next search in code, `manicule search --code`, makes it anew.", err)
	}
	v, err := inventory.Vectors(ctx, w.Place(), w.Now)
	if v != nil {
		err = errors.Join(v.Check(ctx), v.Close())
	}
	if v != nil || err != nil {
		add("vectors", "Nothing is lost: the next search that needs them makes them anew.", err)
	}
	return out
}

func checkLeader(ctx context.Context, w *services.Workspace) []finding {
	var h leader.Hello
	err := leader.Ask(ctx, w.Place().Socket(), "hello", nil, &h)
	switch {
	case err == nil:
		return []finding{{Check: "leader", Status: statusOK, Text: fmt.Sprintf("%s %s, process %d", h.Role, h.Version, h.PID)}}
	case setup.Exists(w.Place().Socket()):
		return []finding{{"leader", statusNote, "the socket is stale, or its process has another version: " + err.Error(), "Restart the editor's language server."}}
	}
	return []finding{{Check: "leader", Status: statusOK, Text: "no leader is running, and none is needed"}}
}
