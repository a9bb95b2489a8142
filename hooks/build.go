package hooks

import (
	"manicule/hooks/nudge"
	"manicule/memory/builds"
)

// build tells a new session of the build that is worked on.
func (e earlierWork) build() (text string, doing builds.Summary) {
	if e.opt.Build == nil || e.degraded() {
		return "", doing
	}
	s, ok, err := e.opt.Build(e.dir())
	if err != nil {
		e.note("the build is left out", err)
	}
	if !ok || err != nil || !e.commit() {
		return "", doing
	}
	return nudge.Build(s), s
}
