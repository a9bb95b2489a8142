package detect

import (
	"path"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// globs are searches without results, or whose results nobody opens.
func globs(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, lane := range ses.ByAgent() {
		for i, s := range lane {
			if s.Class != event.Search || s.Query == "" || s.Found == nil || *s.Found > 0 || len(s.Query) > 80 || !s.OK {
				continue
			}
			empty := signal.EmptySearch{Pattern: s.Query}
			sig := signal.Signal{Key: s.Query, N: 1, Evidence: []int{s.N}, Tainted: s.Tainted}
			for _, t := range lane[i+1 : min(len(lane), i+4)] {
				if t.Class == event.Read && len(t.Paths) == 1 && t.OK && nameIn(s.Query, t.Paths[0]) {
					empty.Path, sig.Paths = t.Paths[0], []string{t.Paths[0]}
					sig.Evidence = append(sig.Evidence, t.N)
					break
				}
			}
			sig.Detail = empty
			out = append(out, sig)
		}
	}
	return out
}

// nameIn reports whether a path contains a name that a glob looks for.
func nameIn(glob, p string) bool {
	for _, part := range strings.FieldsFunc(strings.ToLower(path.Base(glob)), func(r rune) bool { return strings.ContainsRune("*/?{}[],.", r) }) {
		if len(part) > 4 && strings.Contains(strings.ToLower(path.Base(p)), part) {
			return true
		}
	}
	return false
}
