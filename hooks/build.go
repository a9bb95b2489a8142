package hooks

import (
	"manicule/hooks/nudge"
	"manicule/memory/builds"
)

// build tells a new session of the build that is worked on.
func (j *job) build() (text string, doing builds.Summary) {
	if j.opt.Build == nil || j.degraded() {
		return "", doing
	}
	s, ok, err := j.opt.Build(j.opt.projectDir(j.ev))
	if err != nil {
		j.note("the build is left out", err)
	}
	if !ok || err != nil || !j.commit() {
		return "", doing
	}
	return nudge.Build(s), s
}
