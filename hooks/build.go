package hooks

import "manicule/hooks/nudge"

// build tells a new session of the build that is worked on.
func (j *job) build() string {
	if j.opt.Build == nil || j.degraded() {
		return ""
	}
	s, ok, err := j.opt.Build(j.opt.projectDir(j.ev))
	if err != nil {
		j.note("the build is left out", err)
	}
	if !ok || err != nil || !j.commit() {
		return ""
	}
	return nudge.Build(s)
}
