package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// backtracks are edits that were undone: by the opposite edit, or by git.
func backtracks(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	edits := map[string][]fold.Step{}
	undone := func(path, by string, edit, step fold.Step) {
		out = append(out, signal.Signal{Detail: signal.UndoneEdit{Path: path, By: by}, Key: path, Paths: []string{path}, N: 1, Evidence: []int{edit.N, step.N}, Tainted: step.Tainted, Rejected: true})
	}
	for _, s := range ses.Steps {
		switch s.Class {
		case event.Edit:
			if len(s.Paths) != 1 || s.Done && !s.OK {
				continue
			}
			p := s.Paths[0]
			for _, e := range edits[p] {
				if e.Before != "" && e.Before == s.After && e.After == s.Before {
					undone(p, "edit", e, s)
				}
			}
			edits[p] = append(edits[p], s)
		case event.Shell:
			for _, path := range restored(s) {
				rel, ok := ses.Root.Under(path, "")
				if list := edits[rel]; ok && len(list) > 0 {
					undone(rel, "git", list[len(list)-1], s)
					delete(edits, rel)
				}
			}
		}
	}
	return out
}

// restored lists what a step's commands of git put back, with their flags.
func restored(s fold.Step) (paths []string) {
	for _, args := range s.Simple {
		if len(args) > 2 && args[0] == "git" && (args[1] == "checkout" || args[1] == "restore") {
			paths = append(paths, args[2:]...)
		}
	}
	return paths
}
