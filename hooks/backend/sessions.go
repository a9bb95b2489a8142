package backend

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"manicule/hooks"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/nudge"
	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
	"manicule/memory/config"
	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// sessions reads what earlier sessions left in the state database, subject to the settings.
type sessions struct {
	places *places
	states *states
	tree   tree
	getenv func(string) string
	now    func() time.Time
}

// read calls f with the state database of a folder's workspace, unless one of the
// settings is off.
func (s *sessions) read(ctx context.Context, dir string, f func(*store.ObserverReader, *workspace.Workspace) error, settings ...string) (err error) {
	p, c, err := s.places.at(dir)
	if err != nil || slices.ContainsFunc(settings, func(key string) bool { return !c.Bool(key) }) {
		return err
	}
	o, err := s.states.of(ctx, p)
	if err != nil {
		return err
	}
	return f(o, p)
}

// waiting reports whether an earlier session waits to be learned from.
func (s *sessions) waiting(ctx context.Context, dir string) (waits bool, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		waits, err = learn.Waiting(ctx, p, s.now(), o)
		return err
	}, "observer.enabled")
	return waits, err
}

// failures finds earlier failures of a call: of a command, or of reading a missing file.
func (s *sessions) failures(ctx context.Context, dir string, c event.Call) ([]hooks.Warning, error) {
	if c.Class != event.Read && (c.Class != event.Shell || c.Command == "") {
		return nil, nil
	}
	p, settings, err := s.places.at(dir)
	if err != nil || !warns(settings) {
		return nil, err
	}
	var paths []string
	if c.Class == event.Read {
		if paths = missing(p, dir, c.Targets); len(paths) == 0 {
			return nil, nil
		}
	}
	if !store.MayHaveFailed(p.StateDir(), p.GitPrefix(), string(c.Class), learn.Subjects(c.Class, c.Command, paths)) {
		return nil, nil
	}
	o, err := s.states.of(ctx, p)
	if err != nil {
		return nil, err
	}
	offers, err := learn.Offers(ctx, o, c.Class, c.Command, paths)
	return warnings(offers), err
}

// warns reports whether the settings allow to tell of earlier failures.
func warns(c *config.Config) bool { return c.Bool("observer.enabled") && c.Bool("hooks.failures") }

// missing returns those of a call's targets that are in a workspace and don't exist. dir is the folder of the call.
func missing(p *workspace.Workspace, dir string, targets []event.Target) []string {
	var out []string
	for _, t := range targets {
		abs := t.Path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, abs)
		}
		if _, err := os.Lstat(abs); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if rel, ok := p.Rel(abs); ok {
			out = append(out, rel)
		}
	}
	return out
}

// reminders finds what became, in earlier sessions, of the error that a call has just met.
func (s *sessions) reminders(ctx context.Context, dir string, c eventlog.Call) ([]hooks.Warning, error) {
	tool, subject, ok := learn.ErrorSubject(c)
	if !ok {
		return nil, nil
	}
	p, settings, err := s.places.at(dir)
	if err != nil || !warns(settings) || !store.MayHaveFailed(p.StateDir(), p.GitPrefix(), tool, []string{subject}) {
		return nil, err
	}
	o, err := s.states.of(ctx, p)
	if err != nil {
		return nil, err
	}
	offers, err := learn.Reminders(ctx, o, c)
	return warnings(offers), err
}

// recurring finds the failures that sessions here meet frequently.
func (s *sessions) recurring(ctx context.Context, dir string) (out []hooks.Warning, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) error {
		offers, err := learn.StartOffers(ctx, o, s.now())
		out = warnings(offers)
		return err
	}, "observer.enabled", "hooks.failures")
	return out, err
}

func warnings(offers []learn.Offer) (out []hooks.Warning) {
	for _, f := range offers {
		out = append(out, hooks.Warning{ID: f.ID, Text: f.Text, Covers: f.Covers, Plain: f.Plain()})
	}
	return out
}

// overrun compares a request with the usual number of calls here.
func (s *sessions) overrun(ctx context.Context, dir string, request []eventlog.Record) (over nudge.LongRequest, ok bool, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		over, ok, err = learn.OverrunOf(ctx, o, p.Root, request)
		return err
	}, "observer.enabled", "hooks.steps")
	return over, ok, err
}

// drafts returns the pending drafts of a session.
func (s *sessions) drafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.DraftsOf(ctx, session)
		return err
	}, "hooks.nudge")
	return out, err
}

// earlierDrafts returns the pending drafts that agents wrote in other sessions.
func (s *sessions) earlierDrafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.DraftsBeside(ctx, session)
		return err
	}, "hooks.brief")
	return out, err
}

// identity reads what is kept of an agent; nothing if briefs are off.
func (s *sessions) identity(ctx context.Context, dir, agent string) (out []record.Record, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.Identity(ctx, agent)
		return err
	}, "hooks.brief")
	return out, err
}

// wake returns what earlier sessions have left open for one that starts; nothing if briefs
// are off.
func (s *sessions) wake(ctx context.Context, dir, session, agent string) (out thread.Bundle, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		shared, _ := thread.Shared(p) // a damaged one hides no other; `manicule doctor` names it
		out, err = o.Wake(ctx, func() thread.From { return thread.FromPlace(p, s.getenv, dir, s.tree.author(dir), agent) }, session, shared, false)
		return err
	}, "hooks.brief")
	return out, err
}

// keepWork is how long unfinished work is worth a word.
const keepWork = 14 * 24 * time.Hour

// unfinished finds what the last session on the checked-out branch left to do.
func (s *sessions) unfinished(ctx context.Context, dir, session string) (w nudge.Work, ok bool, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) error {
		branch := gitinfo.Branch(p.GitDir)
		left, ended, found, err := o.LastWork(ctx, session, branch, s.now().Add(-keepWork))
		w, ok = nudge.Work{Session: left.Session, Branch: branch, Task: left.Task, Cut: left.Cut, Open: left.Open, Said: left.Said, Ago: s.now().Sub(ended)}, found
		for _, x := range left.Fails {
			w.Fails = append(w.Fails, [2]string{x.Command, x.Line})
		}
		return err
	}, "observer.enabled", "hooks.brief")
	return w, ok, err
}

// branchFiles returns the files that the last two sessions on a checked-out feature branch both changed.
func (s *sessions) branchFiles(ctx context.Context, dir, session string) (files []string, err error) {
	err = s.read(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		branch := gitinfo.Branch(p.GitDir)
		if name, _ := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, s.getenv); branch == "" || branch == name {
			return nil
		}
		files, err = o.BranchFiles(ctx, session, branch, s.now().Add(-keepWork))
		files = slices.DeleteFunc(files, func(f string) bool {
			info, err := os.Stat(filepath.Join(p.Root, filepath.FromSlash(f)))
			return err != nil || !info.Mode().IsRegular()
		})
		return err
	}, "observer.enabled", "hooks.search")
	return files, err
}
