package backend

import (
	"manicule/indexer/gitinfo"
	"manicule/memory/builds"
	"manicule/memory/work"
)

// work sums up the unit of work under way in a folder's workspace; ok is false if none was begun, or if briefs
// are off.
func (b *Backend) work(dir string) (s work.Summary, ok bool, err error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return s, false, err
	}
	open := work.Load(p)
	if len(open) == 0 {
		return s, false, nil
	}
	branch := gitinfo.Branch(p.GitDir)
	r, ok := work.Here(open, b.Getenv(work.Env), branch, work.MethodOf(c.String("hooks.methodology")), func() (builds.Build, bool) { return builds.Build{}, false })
	if !ok {
		return s, false, nil
	}
	s, ok = work.Summarize(open, r)
	return s, ok, nil
}
