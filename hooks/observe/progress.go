package observe

import (
	"slices"

	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/unfinished"
	"manicule/hooks/observe/wording"
)

// Progress is what a session is in the middle of.
type Progress struct {
	Task   string              // the latest request that says something
	Edited []string            // files since the last commit, latest first
	Fails  []unfinished.Broken // checks whose last run failed, with nothing edited since
	Open   []string            // items of the agent's list
}

// progress returns what the session is in the middle of. After untrusted text the agent's words and
// the programs' are left out.
func progress(ses *fold.Session) Progress {
	var p Progress
	for _, t := range slices.Backward(ses.Turns) {
		if p.Task = asking.Task(t.Text); p.Task != "" {
			p.Task = wording.OneLine(p.Task, fold.MaxOpenItem)
			break
		}
	}
	for _, s := range slices.Backward(ses.Steps) {
		if s.Succeeded() && s.Commits() {
			break
		}
		if s.Edits() && s.Succeeded() {
			for _, path := range s.Paths {
				if !slices.Contains(p.Edited, path) {
					p.Edited = append(p.Edited, path)
				}
			}
		}
	}
	if !ses.Tainted && !ses.Blind {
		p.Fails, p.Open = unfinished.BrokenChecks(ses), ses.Todo.Open()
	}
	return p
}
