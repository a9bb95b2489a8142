package backend

import (
	"manicule/indexer/gitinfo"
	"manicule/memory/builds"
	"manicule/memory/work"
)

// work sums up the unit of work under way in a folder's workspace; ok is false if none was begun and
// none has a list of tasks, or if briefs are off.
func (b *Backend) work(dir string) (s work.Summary, ok bool, err error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return s, false, err
	}
	open, method := work.Load(p), work.MethodAt(p.Root, c.String("hooks.methodology"))
	if len(open) == 0 && method.Tasks == nil {
		return s, false, nil
	}
	branch := gitinfo.Branch(p.GitDir)
	r, ok := work.Here(open, b.Getenv(work.Env), branch, method, func() (builds.Build, bool) { return builds.Build{}, false })
	if !ok {
		return s, false, nil
	}
	s, ok = method.Summarize(open, r)
	return s, ok, nil
}
