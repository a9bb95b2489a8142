package anchors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// errLineage means that a history does not determine its method.
var errLineage = errors.New("not told by the history")

// declaredAt is a declaration in a file.
type declaredAt struct {
	source *anchoring.Source
	symbol extract.Symbol
	stayed bool // a commit on the way left another declaration under the former name
}

// lineage walks from the end of a method's history to the commit that introduced it,
// along the changes of the dataset. Between two of them the method is the same, and each
// change says what it changed. The dataset itself therefore names the method before a
// change, by its file, name and parameters as far as they stayed. If several remain,
// git's renames and the kept lines decide; anchors are not consulted.
func (r *repository) lineage(ctx context.Context, m methodHistory, end target, after *anchoring.Source) (commit string, first declaredAt, err error) {
	h, err := r.history(ctx, m.Commit)
	if err != nil {
		return "", first, err
	}
	var commits []string
	for c := range m.Changes {
		if _, known := h.order[c]; !known {
			return "", first, fmt.Errorf("%s is not in the history: %w", c, errLineage)
		}
		commits = append(commits, c)
	}
	slices.SortFunc(commits, func(a, b string) int { return h.order[a] - h.order[b] })
	stayed := false
	is := declaredAt{source: after, symbol: *end.symbol}
	for _, c := range commits {
		change := m.Changes[c]
		at := r.unchanged(c, is)
		if at.source == nil {
			return "", first, fmt.Errorf("after %s (%s) there is no %s in %s: %w", c, change, is.symbol.Path, is.source.Path, errLineage)
		}
		if change == "Yintroduced" {
			at.stayed = stayed
			return c, at, nil
		}
		if len(h.Parents(c)) == 0 {
			return "", first, fmt.Errorf("%s (%s) has no parent: %w", c, change, errLineage)
		}
		if is, err = r.changed(ctx, h.Parents(c)[0], c, change, at); err != nil {
			return "", first, err
		}
		stayed = stayed || is.stayed
	}
	return "", first, fmt.Errorf("no commit brought it: %w", errLineage)
}

// unchanged finds, in an earlier commit, a method that nothing has changed since.
func (r *repository) unchanged(commit string, is declaredAt) declaredAt {
	n := r.source(commit, is.source.Path)
	if n == nil {
		return declaredAt{}
	}
	var all, others []declaredAt
	for _, s := range n.Symbols() {
		switch {
		case s.Name != is.symbol.Name || !kindFits("method", s.Kind):
		case s.Path == is.symbol.Path:
			all = append(all, declaredAt{source: n, symbol: s})
		default: // renaming the class is no change of the method in the dataset
			others = append(others, declaredAt{source: n, symbol: s})
		}
	}
	if len(all) == 0 {
		all = others
	}
	found, _ := mostSimilar(is, all)
	return found
}

// changed finds the method before a commit that changed it, given its place after it.
func (r *repository) changed(ctx context.Context, parent, commit, change string, is declaredAt) (declaredAt, error) {
	diffs, err := r.differences(ctx, parent, commit)
	if err != nil {
		return declaredAt{}, err
	}
	path := is.source.Path
	moved := strings.Contains(change, "Ymovefromfile") || strings.Contains(change, "Yfilerename")
	renamed, others := strings.Contains(change, "Yrename"), strings.Contains(change, "Yparameterchange")
	var files []*anchoring.Source
	if !moved {
		files = append(files, r.source(parent, path))
	} else if was, err := r.gitRenamed(ctx, parent, commit, path); err != nil {
		return declaredAt{}, err
	} else if was != "" && strings.Contains(change, "Yfilerename") {
		files = append(files, r.source(parent, was))
	} else {
		for _, d := range diffs {
			if d.path != path {
				files = append(files, r.blobAt(d.oldBlob, d.path))
			}
		}
	}
	var all, stayed []declaredAt
	for _, o := range files {
		if o == nil || o.Lang != is.source.Lang {
			continue
		}
		n := r.source(commit, o.Path)
		for _, s := range o.Symbols() {
			switch {
			case !kindFits("method", s.Kind), !renamed && s.Name != is.symbol.Name:
			case !moved && !renamed && s.Path != is.symbol.Path:
			case !others && !sameTypes(types(between(s), true), types(between(is.symbol), true)):
			case (moved || renamed || others) && declares(n, s):
				stayed = append(stayed, declaredAt{o, s, true})
			default:
				all = append(all, declaredAt{o, s, false})
			}
		}
	}
	if len(all) == 0 { // its code went to a new method, which it calls
		all = stayed
	}
	found, ok := mostSimilar(is, all)
	if !ok {
		return declaredAt{}, fmt.Errorf("before %s (%s) %d methods may be %s in %s: %w", commit, change, len(all), is.symbol.Path, path, errLineage)
	}
	return found, nil
}

// marginLines is the lead in shared lines that the best candidate needs over the second.
const marginLines = 0.1

// mostSimilar returns the method that shares the most lines with another one. ok is false if
// there is none or the lead is too small.
func mostSimilar(is declaredAt, all []declaredAt) (found declaredAt, ok bool) {
	if len(all) == 1 {
		return all[0], true
	}
	most, next := -1.0, -1.0
	for _, s := range all {
		like := s.like(is)
		if like > most {
			most, next, found = like, most, s
		} else {
			next = max(next, like)
		}
	}
	return found, most == 1 && next < 1 || most-next >= marginLines
}

// like is the share of lines that two methods have in common (Dice).
func (s declaredAt) like(t declaredAt) float64 {
	lines := make(map[string]int)
	for line := range strings.Lines(string(t.source.Text()[t.symbol.Start:t.symbol.End])) {
		lines[strings.TrimSpace(line)]++
	}
	same, all := 0, 0
	for _, n := range lines {
		all += n
	}
	for line := range strings.Lines(string(s.source.Text()[s.symbol.Start:s.symbol.End])) {
		line = strings.TrimSpace(line)
		all++
		if lines[line] > 0 {
			lines[line]--
			same++
		}
	}
	return 2 * float64(same) / float64(all)
}

// gitRenamed returns the old name of a file that git reports as renamed, or "".
func (r *repository) gitRenamed(ctx context.Context, parent, commit, path string) (string, error) {
	out, err := r.git(ctx, "diff-tree", "-r", "-M40%", "-l0", "--diff-filter=R", "--name-status", "-z", parent, commit)
	if err != nil {
		return "", err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+2] == path {
			return fields[i+1], nil
		}
	}
	return "", nil
}
