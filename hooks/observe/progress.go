package observe

import (
	"slices"

	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/wording"
)

// Progress is what a session is in the middle of.
type Progress struct {
	Task   string   // the latest request that says something
	Edited []string // files since the last commit, latest first
	Fails  []Broken // checks whose last run failed, with nothing edited since
	Open   []string // items of the agent's list
}

// Progress returns what the session is in the middle of. After untrusted text the agent's words and
// the programs' are left out.
func (f *folded) Progress() Progress {
	var p Progress
	for _, t := range slices.Backward(f.turns) {
		if p.Task = asking.Task(t.text); p.Task != "" {
			p.Task = wording.OneLine(p.Task, maxOpenItem)
			break
		}
	}
	for _, s := range slices.Backward(f.steps) {
		if s.succeeded() && s.commits() {
			break
		}
		if s.edits() && s.succeeded() {
			for _, path := range s.paths {
				if !slices.Contains(p.Edited, path) {
					p.Edited = append(p.Edited, path)
				}
			}
		}
	}
	if !f.taint && !f.blind {
		p.Fails, p.Open = broken(f), f.todo.open()
	}
	return p
}
