package anchors

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// change is one pair with its two commits, from any set.
type change struct {
	pair
	from, to      target
	before, after *anchoring.Source
	fromCommit    string
	toCommit      string
	fromElement   element
	toElement     element
	label         string
}

// baselines runs simpler methods on the same pairs.
func (r *repository) baselines(ctx context.Context, c change) (map[string]outcome, error) {
	all := map[string]outcome{
		"line number": outcomeAt(c, c.fromElement.File, c.from.line, true),
	}
	mapped, err := r.mapped(ctx, c)
	if err != nil {
		return nil, err
	}
	all["diff-mapped lines"] = mapped
	if all["exact tree hash"], err = r.exact(ctx, c); err != nil {
		return nil, err
	}
	return all, nil
}

func outcomeAt(c change, path string, line int, placed bool) outcome {
	o := outcome{kind: c.Kind, change: c.label, state: anchor.Orphaned}
	if placed {
		o.state = anchor.Fresh
		o.right = path == c.toElement.File && line == c.to.line
	}
	return o
}

// mapped maps the line through git's diff, in the file that git reports as its successor.
func (r *repository) mapped(ctx context.Context, c change) (outcome, error) {
	path := c.fromElement.File
	n := r.source(c.toCommit, path)
	if n == nil {
		renames, err := r.renames(ctx, c.fromCommit, c.toCommit)
		if err != nil {
			return outcome{}, err
		}
		if path = renames[path]; path != "" {
			n = r.source(c.toCommit, path)
		}
	}
	if n == nil {
		return outcomeAt(c, "", 0, false), nil
	}
	line, ok, err := r.mapLine(ctx, c.before.Blob, n.Blob, c.from.line)
	if err != nil {
		return outcome{}, err
	}
	return outcomeAt(c, path, line, ok), nil
}

// renames lists the files that git reports as renamed.
func (r *repository) renames(ctx context.Context, from, to string) (map[string]string, error) {
	key := from + to
	if m, ok := r.renamed[key]; ok {
		return m, nil
	}
	out, err := r.git(ctx, "diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", from, to)
	if err != nil {
		return nil, err
	}
	m := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
			m[f[1]] = f[2]
		}
	}
	r.renamed[key] = m
	return m, nil
}

var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// mapLine maps a line from one blob to another. A line in a changed hunk keeps its place
// while the hunk keeps its number of lines.
func (r *repository) mapLine(ctx context.Context, from, to string, line int) (int, bool, error) {
	if from == to {
		return line, true, nil
	}
	out, err := r.git(ctx, "diff", "-U0", "--diff-algorithm=histogram", from, to)
	if err != nil {
		return 0, false, err
	}
	shift := 0
	for text := range strings.Lines(string(out)) {
		m := hunk.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		a, b, c, d := number(m[1], 0), number(m[2], 1), number(m[3], 0), number(m[4], 1)
		if b == 0 {
			a++ // git names the line before an addition
		}
		if d == 0 {
			c++
		}
		switch {
		case line < a:
			return line + shift, true, nil
		case line < a+b:
			if b == d {
				return c + line - a, true, nil
			}
			return 0, false, nil
		}
		shift = c + d - a - b
	}
	return line + shift, true, nil
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}

// exact follows only exact equality. A declaration is found by its path, else by the hash
// of its tree without the name, where that is unique in the changed files. Lines are
// found by their text in the same way.
func (r *repository) exact(ctx context.Context, c change) (outcome, error) {
	diffs, err := r.differences(ctx, c.fromCommit, c.toCommit)
	if err != nil {
		return outcome{}, err
	}
	same := r.source(c.toCommit, c.fromElement.File)
	if same != nil {
		if path, line, n := exactIn(c, same, true); n == 1 {
			return outcomeAt(c, path, line, true), nil
		}
	}
	found, path, line := 0, "", 0
	for _, d := range diffs {
		s := r.blobAt(d.newBlob, d.path)
		if s == nil || s.Lang != c.before.Lang {
			continue
		}
		if at, l, n := exactIn(c, s, false); n > 0 {
			found, path, line = found+n, at, l
		}
	}
	return outcomeAt(c, path, line, found == 1), nil
}

func exactIn(c change, s *anchoring.Source, samePath bool) (path string, line, count int) {
	if c.from.symbol == nil {
		want := trimmedLines(c.before.Text(), c.from.lines)
		lines := strings.Split(string(s.Text()), "\n")
		for i := range lines {
			if i+len(want) <= len(lines) && sameLines(want, lines[i:i+len(want)]) {
				line, count = i+1, count+1
			}
		}
		return s.Path, line, count
	}
	if samePath {
		for _, t := range s.Symbols() {
			if t.Path == c.from.symbol.Path && t.Ordinal == c.from.symbol.Ordinal {
				return s.Path, s.Line(t.Start), 1
			}
		}
	}
	for i, t := range c.before.Symbols() {
		if t.Path != c.from.symbol.Path || t.Ordinal != c.from.symbol.Ordinal {
			continue
		}
		for j, u := range s.Symbols() {
			if u.Kind == t.Kind && s.Print(j).Tree == c.before.Print(i).Tree {
				line, count = s.Line(u.Start), count+1
			}
		}
	}
	return s.Path, line, count
}

func trimmedLines(text []byte, r anchor.LineRange) []string {
	lines := strings.Split(string(text), "\n")
	lines = lines[min(len(lines), r.Start-1):min(len(lines), r.End)]
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

func sameLines(want, have []string) bool {
	for i := range want {
		if want[i] != strings.TrimSpace(have[i]) {
			return false
		}
	}
	return true
}

// logL runs git log -L from the end to find where its lines were at the start, since git
// only searches backwards. The result is right when that is the old place.
func (r *repository) logL(ctx context.Context, c change) (outcome, error) {
	lines := fmt.Sprintf("-L%d,%d:%s", c.to.lines.Start, max(c.to.lines.Start, c.to.lines.End), c.toElement.File)
	cmd := exec.CommandContext(ctx, "git", "-C", r.dir, "log", "--format=commit %H", lines, c.fromCommit+".."+c.toCommit)
	out, err := cmd.Output()
	o := outcome{kind: c.Kind, change: c.label, state: anchor.Orphaned}
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	if err != nil {
		return o, nil // git found no history
	}
	commit, path, line := "", c.toElement.File, c.to.lines.Start
	for text := range strings.Lines(string(out)) {
		if id, ok := strings.CutPrefix(text, "commit "); ok {
			commit = strings.TrimSpace(id)
		} else if p, ok := strings.CutPrefix(text, "--- a/"); ok {
			path = strings.TrimSpace(p)
		} else if m := hunk.FindStringSubmatch(text); m != nil {
			line = number(m[1], 0)
		}
	}
	at := c.toCommit
	if commit != "" {
		at = commit + "^"
	}
	n := r.source(at, path)
	if n == nil || path != c.fromElement.File {
		return o, nil
	}
	want, ok, err := r.mapLine(ctx, c.before.Blob, n.Blob, c.from.line)
	if err != nil {
		return o, err
	}
	o.state, o.right = anchor.Fresh, ok && want == line
	return o, nil
}
