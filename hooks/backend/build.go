package backend

import (
	"manicule/indexer/gitinfo"
	"manicule/memory/builds"
)

// build sums up the build that is worked on in a folder's workspace; ok is false if there is none, or
// if briefs are off.
func (b *Backend) build(dir string) (s builds.Summary, ok bool, err error) {
	p, c, err := b.at(dir)
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
