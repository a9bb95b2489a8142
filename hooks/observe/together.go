package observe

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/signal"
	"manicule/indexer/sorting"
)

// The shares of sessions from which two files belong together, and the sessions from which a file is
// one to read first.
const (
	oftenShare = 0.5
	pairShare  = 0.6 // after doubt
	minFileUse = 5
)

// pairSignals are the pairs of files that sessions agree on, and the files that most
// sessions open. Only pairs edited together get a sentence, because
// reading follows from editing.
func pairSignals(r Report, h History) []signal.Signal {
	var out []signal.Signal
	edited := map[string]bool{}
	for _, u := range r.Files {
		edited[u.Path] = u.Edits > 0
		p := h.Files[u.Path]
		if n := p.Sessions + 1; n >= minFileUse && float64(n) >= oftenShare*float64(h.Sessions+1) {
			out = append(out, signal.Signal{Detail: signal.Opened{Path: u.Path, Sessions: n, Of: h.Sessions + 1}, Key: u.Path, Paths: []string{u.Path}, N: u.Reads + u.Edits, Evidence: []int{u.N}, Agents: 1})
		}
	}
	return append(out, together(r, h)...)
}

// The minimum for two files to belong together: the sessions that edited both, their
// share, and how much more often that is than the other file is edited anyway.
const (
	minTogether = 4
	doubt       = 2.0 // sessions without the other file that are added, because three of three is no rule yet
	minLift     = 2.0
	maxPartners = 3
)

// together returns, for each edited file, those that most sessions with edits of it edit
// too.
func together(r Report, h History) []signal.Signal {
	type partner struct {
		path    string
		both, n int
		pair    Pair
	}
	by := map[string][]partner{}
	for _, p := range r.Pairs {
		if !p.Edits || detect.TestOf(p.A, p.B) || sameFamily(p.A, p.B) {
			continue
		}
		past := h.Pairs[pairKey(p.A, p.B)]
		both := past.Edited + 1
		if past.Proposed || both < minTogether {
			continue
		}
		for _, x := range [][2]string{{p.A, p.B}, {p.B, p.A}} {
			a, b := h.Files[x[0]].Edited+1, h.Files[x[1]].Edited+1
			share, base := float64(both)/(float64(a)+doubt), float64(b)/float64(h.Sessions+1)
			if testFile(x[0]) || testFile(x[1]) || strings.HasSuffix(strings.ToLower(x[0]), ".md") || share < pairShare || share < minLift*base {
				continue
			}
			by[x[0]] = append(by[x[0]], partner{x[1], both, a, p})
		}
	}
	var out []signal.Signal
	for _, u := range r.Files {
		list := by[u.Path]
		sorting.StableFunc(list, func(a, b partner) int { return cmp.Or(cmp.Compare(b.both, a.both), cmp.Compare(a.path, b.path)) })
		if len(list) == 0 {
			continue
		}
		s := signal.Signal{Key: u.Path, Paths: []string{u.Path}, N: 1, Agents: 1}
		with := signal.EditedTogether{Path: u.Path}
		for _, x := range list[:min(maxPartners, len(list))] {
			with.Partners = append(with.Partners, signal.Partner{Path: x.path, Both: x.both, Of: x.n})
			s.Evidence = append(s.Evidence, x.pair.N[:]...)
			s.Tainted = s.Tainted || x.pair.Taint
		}
		slices.Sort(s.Evidence)
		s.Evidence = slices.Compact(s.Evidence)
		s.Detail = with
		out = append(out, s)
	}
	return out
}

// testFile reports whether a path is a test, which changes with the code that it tests.
func testFile(p string) bool {
	low := strings.ToLower(path.Base(p))
	return strings.Contains(low, "_test.") || strings.Contains(low, ".test.") || strings.Contains(low, ".spec.") || strings.HasPrefix(low, "test_")
}

// sameFamily reports files that are expected to change together: a changelog, a lock file
// with its manifest, notes beside notes.
func sameFamily(a, b string) bool {
	if path.Ext(a) == ".md" && path.Ext(b) == ".md" {
		return true
	}
	for _, p := range []string{a, b} {
		low := strings.ToLower(path.Base(p))
		if strings.Contains(low, "changelog") || strings.Contains(low, "lock") || strings.HasSuffix(low, ".sum") {
			return true
		}
	}
	return false
}
