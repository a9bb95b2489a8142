package backend

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"manicule/hooks/nudge"
	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
	"manicule/memory/store"
)

// keepWork is how long unfinished work is worth a word.
const keepWork = 14 * 24 * time.Hour

// unfinished finds what the last session on the checked-out branch left to do.
func (b *Backend) unfinished(ctx context.Context, dir, session string) (w nudge.Work, ok bool, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) error {
		branch := gitinfo.Branch(p.GitDir)
		left, ended, found, err := o.LastWork(ctx, session, branch, b.Now().Add(-keepWork))
		w, ok = nudge.Work{Session: left.Session, Branch: branch, Task: left.Task, Cut: left.Cut, Open: left.Open, Said: left.Said, Ago: b.Now().Sub(ended)}, found
		for _, x := range left.Fails {
			w.Fails = append(w.Fails, [2]string{x.Command, x.Line})
		}
		return err
	}, "observer.enabled", "hooks.brief")
	return w, ok, err
}

// branchFiles returns the files that the last two sessions on a checked-out feature branch both changed.
func (b *Backend) branchFiles(ctx context.Context, dir, session string) (files []string, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		branch := gitinfo.Branch(p.GitDir)
		if name, _ := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, b.Getenv); branch == "" || branch == name {
			return nil
		}
		files, err = o.BranchFiles(ctx, session, branch, b.Now().Add(-keepWork))
		files = slices.DeleteFunc(files, func(f string) bool {
			info, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(f)))
			return err != nil || !info.Mode().IsRegular()
		})
		return err
	}, "observer.enabled", "hooks.search")
	return files, err
}

// author names the person who works in a folder's repository, "" if git does not know one.
func (b *Backend) author(dir string) string {
	p, c, err := b.at(dir)
	if err != nil {
		return ""
	}
	return cmp.Or(c.String("user.name"), gitinfo.User(p.GitDir, p.GitCommonDir, b.Getenv))
}

// checkout names the checked-out branch of a folder, or "".
func (b *Backend) checkout(dir string) string {
	p, _, err := b.at(dir)
	if err != nil || p.GitDir == "" {
		return ""
	}
	return gitinfo.Branch(p.GitDir)
}
