package backend

import (
	"cmp"
	"context"
	"time"

	"manicule/hooks/digest"
	"manicule/indexer/gitinfo"
	"manicule/indexer/graph"
	"manicule/memory/branch"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/store"
	"manicule/memory/work"
)

// tree reads what the files of a workspace and its git say, without a database.
type tree struct {
	places *places
	getenv func(string) string
	now    func() time.Time
}

// stateDir returns the state folder of a folder's workspace.
func (t tree) stateDir(dir string) (string, error) {
	p, _, err := t.places.at(dir)
	if err != nil {
		return "", err
	}
	return p.StateDir(), nil
}

// indexed is also true if the person wants no index, or no message about it.
func (t tree) indexed(dir string) bool {
	p, c, err := t.places.at(dir)
	return err != nil || !c.Bool("hooks.brief") || !c.Bool("index.enabled") || graph.Exists(p.CacheDir())
}

// unusable counts the memory files that can't be used, as they were when the database was last written; none if briefs are off.
func (t tree) unusable(dir string) int {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return 0
	}
	return store.Unusable(p.CacheDir())
}

// author names the person who works in a folder's repository, "" if git does not know one.
func (t tree) author(dir string) string {
	p, c, err := t.places.at(dir)
	if err != nil {
		return ""
	}
	return cmp.Or(c.String("user.name"), gitinfo.User(p.GitDir, p.GitCommonDir, t.getenv))
}

// checkout names the checked-out branch of a folder, or "".
func (t tree) checkout(dir string) string {
	p, _, err := t.places.at(dir)
	if err != nil || p.GitDir == "" {
		return ""
	}
	return gitinfo.Branch(p.GitDir)
}

// news returns the commits of people since the last session; none if briefs are off.
func (t tree) news(ctx context.Context, dir string) (digest.Changes, error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return digest.Changes{}, err
	}
	return digest.Since(ctx, p, t.getenv, t.now())
}

// advance records the commit at which a session begins.
func (t tree) advance(dir string) error {
	p, _, err := t.places.at(dir)
	if err != nil {
		return err
	}
	return digest.Advance(p, t.now())
}

// branch finds the memories of the checked-out branch; none if briefs are off.
func (t tree) branch(ctx context.Context, dir string) (branch.Memories, error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return branch.Memories{}, err
	}
	return branch.Of(ctx, p, t.getenv)
}

// lastBranch returns what was found last of the checked-out branch.
func (t tree) lastBranch(ctx context.Context, dir string) (branch.Memories, error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return branch.Memories{}, err
	}
	return branch.Last(ctx, p, t.getenv)
}

// core reads the core document of an agent, or that of all; none if briefs are off.
func (t tree) core(dir, agent string) (core.Document, error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return core.Document{}, err
	}
	return core.ReadForAgents(p, agent)
}

// build sums up the build that is worked on in a folder's workspace; ok is false if there is none, or
// if briefs are off.
func (t tree) build(dir string) (s builds.Summary, ok bool, err error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return s, false, err
	}
	list, err := builds.Load(p)
	if len(list) == 0 {
		return s, false, err
	}
	// A damaged file beside it does not hide the build that is worked on.
	current, ok := builds.Current(list, gitinfo.Branch(p.GitDir))
	if !ok {
		return s, false, err
	}
	s, err = builds.Summarize(current)
	return s, err == nil, err
}

// work sums up the unit of work under way in a folder's workspace; ok is false if none was begun and
// none has a list of tasks, or if briefs are off.
func (t tree) work(dir string) (s work.Summary, ok bool, err error) {
	p, c, err := t.places.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return s, false, err
	}
	open, method := work.Load(p), work.MethodAt(p.Root, c.String("hooks.methodology"))
	if len(open) == 0 && method.Tasks == nil {
		return s, false, nil
	}
	branch := gitinfo.Branch(p.GitDir)
	r, ok := work.Here(open, t.getenv(work.Env), branch, method, func() (builds.Build, bool) { return builds.Build{}, false })
	if !ok {
		return s, false, nil
	}
	s, ok = method.Summarize(open, r)
	return s, ok, nil
}
