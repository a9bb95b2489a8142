package anchors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// minedSource is a repository from which cases are mined.
type minedSource struct{ name, url, lang, glob, commit string }

// minedSources are the repositories of testdata/mined.jsonl.
var minedSources = []minedSource{
	{"terraform", "https://github.com/hashicorp/terraform", "go", "*.go", "883c7221ee2e0bc2fad6912fd4b3cc4b53a598a7"},
	{"fzf", "https://github.com/junegunn/fzf", "go", "*.go", "956562daaa82ddf55ea8f7aeab56883377b742c6"},
	{"typescript-eslint", "https://github.com/typescript-eslint/typescript-eslint", "typescript", "*.ts", "56c9ed90d0aee0b5a71cfc39fc76b715b82e3ea8"},
	{"redux-toolkit", "https://github.com/reduxjs/redux-toolkit", "typescript", "*.ts", "74200d87c27ca2b1c0915b2fbb4c44dd7494c2aa"},
	{"flask", "https://github.com/pallets/flask", "python", "*.py", "2ac89889f4cc330eabd50f295dcef02828522c69"},
	{"requests", "https://github.com/psf/requests", "python", "*.py", "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e"},
	{"httpie", "https://github.com/httpie/cli", "python", "*.py", "5b604c37c6c67e18e7c3e9aee6c88a8c22b98345"},
}

// spot is a place in a mined case.
type spot struct {
	Path    string `json:"path"`
	Symbol  string `json:"symbol"`
	Ordinal int    `json:"ordinal,omitempty"`
	Lines   []int  `json:"lines,omitempty"` // set for cited lines
}

// mined is one case: the code at From before a commit is at To after it, according to git
// blame and diff.
type mined struct {
	Repo   string `json:"repo"`
	Lang   string `json:"lang"`
	Change string `json:"change"`
	Parent string `json:"parent"`
	Commit string `json:"commit"`
	From   spot   `json:"from"`
	To     spot   `json:"to"`
	Share  string `json:"share,omitempty"` // of its lines, the share that git traces there
}

// Limits that keep one repository, commit or kind from dominating.
const (
	commitsMined  = 90 // of one repository, spread over its history, unless --commits says otherwise
	maxCases      = 30 // of one kind of change in one repository
	maxPerCommit  = 3  // of one kind in one commit
	maxFilesMined = 25 // changed files of a commit
	maxFarApart   = 10 // cases of one kind between two commits that are far apart
	maxTracedFar  = 40 // declarations that are traced between them
	minLinesMined = 5  // lines of a declaration
	minRun        = 3  // lines that were extracted together, as many of them with words
	minTraced     = 0.6
)

// globs are the sources of a language, by its name.
var globs = map[string]string{"go": "*.go", "typescript": "*.ts", "python": "*.py", "rust": "*.rs"}

// sourcesOf returns the repositories of names: those of testdata/mined.jsonl, or NAME=LANGUAGE for
// others, as far as their HEAD. Without names it returns all of mined.jsonl.
func sourcesOf(names []string) ([]minedSource, error) {
	if len(names) == 0 {
		return minedSources, nil
	}
	var out []minedSource
	for _, arg := range names {
		name, lang, other := strings.Cut(arg, "=")
		i := slices.IndexFunc(minedSources, func(s minedSource) bool { return s.name == name })
		switch {
		case other && globs[lang] != "":
			out = append(out, minedSource{name: name, lang: lang, glob: globs[lang], commit: "HEAD"})
		case other:
			return nil, fmt.Errorf("mine %s: %q is none of go, python, rust and typescript", name, lang)
		case i < 0:
			return nil, fmt.Errorf("mine %s: say its language, as in %s=go", name, name)
		default:
			out = append(out, minedSources[i])
		}
	}
	return out, nil
}

// mine finds cases in the named repositories, or in all, and writes them sorted.
func (e *evaluation) mine(ctx context.Context, file string, names []string) error {
	sources, err := sourcesOf(names)
	if err != nil {
		return err
	}
	var all []mined
	for _, src := range sources {
		r, err := e.open(src.name)
		if err != nil {
			return err
		}
		found, err := r.mine(ctx, src, e.commits, e.apart)
		if err != nil {
			return fmt.Errorf("mine %s: %w", src.name, err)
		}
		evalkit.Progress("%s: %d cases", src.name, len(found))
		all = append(all, found...)
		r.forget()
	}
	return evalkit.WriteLines(file, all)
}

// mine finds cases between commits and their parents, or, if apart is more than 1, between a commit and
// the one that is so many earlier.
func (r *repository) mine(ctx context.Context, src minedSource, commits, apart int) ([]mined, error) {
	out, err := r.git(ctx, "log", "--no-merges", "--format=%H %P", src.commit, "--", src.glob)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	step := max(1, len(lines)/max(1, commits)) // spread over the history
	m := miner{repository: r, src: src, far: apart > 1, count: make(map[string]int)}
	for i := 0; i < len(lines) && i+apart-1 < len(lines); i += step {
		ids := strings.Fields(lines[i])
		if len(ids) != 2 {
			continue
		}
		parent := ids[1]
		if m.far {
			parent, _, _ = strings.Cut(lines[i+apart-1], " ")
			if _, err := r.git(ctx, "merge-base", "--is-ancestor", parent, ids[0]); err != nil {
				continue // on another branch
			}
		}
		m.traced = 0
		if err := m.commit(ctx, parent, ids[0]); err != nil {
			return nil, err
		}
		if i%50 == 0 || m.far {
			r.forget()
			clear(r.diffs)
		}
	}
	m.cases = withoutTwins(m.cases)
	slices.SortStableFunc(m.cases, func(a, b mined) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), cmp.Compare(a.Commit, b.Commit))
	})
	return m.cases, nil
}

// withoutTwins leaves out code that went to two new places: neither is the only right one.
func withoutTwins(cases []mined) []mined {
	stays := func(c mined) bool { return c.Change == "edit" || c.Change == "unrelated edit" }
	key := func(c mined) string {
		return fmt.Sprint(c.Commit, c.From.Path, c.From.Symbol, c.From.Ordinal, c.From.Lines)
	}
	count := make(map[string]int)
	for _, c := range cases {
		if !stays(c) {
			count[key(c)]++
		}
	}
	return slices.DeleteFunc(cases, func(c mined) bool { return !stays(c) && count[key(c)] > 1 })
}

type miner struct {
	*repository
	src    minedSource
	far    bool // the two commits are no neighbours
	traced int  // declarations between the two commits
	cases  []mined
	count  map[string]int // by kind, and by kind and commit
}

func (m *miner) add(c mined) {
	most := maxPerCommit
	if m.far {
		most = maxFarApart
	}
	if m.count[c.Change] >= maxCases || m.count[c.Change+c.Commit] >= most {
		return
	}
	m.count[c.Change]++
	m.count[c.Change+c.Commit]++
	m.cases = append(m.cases, c)
}

func (m *miner) commit(ctx context.Context, parent, commit string) error {
	diffs, err := m.differences(ctx, parent, commit)
	if err != nil {
		return err
	}
	diffs = slices.DeleteFunc(slices.Clone(diffs), func(d diff) bool { return language(d.path) != m.src.lang })
	if len(diffs) > maxFilesMined && !m.far {
		return nil
	}
	for _, d := range diffs {
		n, o := m.blobAt(d.newBlob, d.path), m.blobAt(d.oldBlob, d.path)
		if n == nil {
			continue
		}
		if o != nil {
			if err := m.edits(ctx, parent, commit, o, n); err != nil {
				return err
			}
		}
		for _, s := range n.Symbols() {
			if !minable(n, s) || o != nil && has(o, s) {
				continue
			}
			if err := m.appeared(ctx, parent, commit, n, s); err != nil {
				return err
			}
		}
	}
	return nil
}

func minable(f *anchor.Source, s extract.Symbol) bool {
	switch s.Kind {
	case "function", "method", "class", "struct", "interface", "type":
		return f.Line(s.End-1)-f.Line(s.Start)+1 >= minLinesMined
	}
	return false
}

func has(f *anchor.Source, s extract.Symbol) bool {
	return slices.ContainsFunc(f.Symbols(), func(t extract.Symbol) bool { return t.Path == s.Path && t.Ordinal == s.Ordinal })
}

// hasCopies reports whether a file has the text of a declaration several times.
func hasCopies(f *anchor.Source, s extract.Symbol) bool {
	count := 0
	for _, t := range f.Symbols() {
		if t.Name == s.Name && bareText(string(f.Text()[t.Start:t.End])) == bareText(string(f.Text()[s.Start:s.End])) {
			count++
		}
	}
	return count > 1
}

// hasRival reports whether another declaration that is new in a file has nearly as many of the lines of
// an old one as the one that git names.
func hasRival(o *anchor.Source, was extract.Symbol, n *anchor.Source, s extract.Symbol) bool {
	lines := func(f *anchor.Source, t extract.Symbol) []string {
		return wordLines(f, anchor.LineRange{Start: f.Line(t.Start), End: f.Line(t.End - 1)})
	}
	want := lines(o, was)
	kept := common(want, lines(n, s))
	for _, t := range n.Symbols() {
		if (t.Path != s.Path || t.Ordinal != s.Ordinal) && family(t.Kind) == family(s.Kind) && minable(n, t) && !has(o, t) &&
			(t.End <= s.Start || s.End <= t.Start) && 10*common(want, lines(n, t)) >= 8*kept {
			return true
		}
	}
	return false
}

// traced is the origin of a line according to git blame.
type traced struct {
	path string
	line int // 0 for a new one
}

// blame maps lines of a file to their origin in the parent, across all of its files.
func (r *repository) blame(ctx context.Context, parent, commit, path string, from, to int) ([]traced, error) {
	out, err := r.git(ctx, "blame", "-w", "-M", "-C", "-C", "--line-porcelain", fmt.Sprintf("-L%d,%d", from, to), parent+".."+commit, "--", path)
	if err != nil {
		return nil, err
	}
	var all []traced
	var at traced
	for text := range strings.Lines(string(out)) {
		f := strings.Fields(text)
		switch {
		case strings.HasPrefix(text, "\t"):
			if strings.TrimSpace(text) != "" {
				all = append(all, at)
			} else {
				all = append(all, traced{line: -1})
			}
		case len(f) >= 3 && len(f[0]) == 40:
			at = traced{line: number(f[1], 0)}
			if f[0] == commit {
				at.line = 0
			}
		case len(f) == 2 && f[0] == "filename":
			at.path = f[1]
		}
	}
	return all, nil
}

// appeared finds the origin of a declaration that did not exist in the parent.
func (m *miner) appeared(ctx context.Context, parent, commit string, n *anchor.Source, s extract.Symbol) error {
	if m.traced++; m.far && m.traced > maxTracedFar {
		return nil
	}
	first, last := n.Line(s.Start), n.Line(s.End-1)
	lines, err := m.blame(ctx, parent, commit, n.Path, first, last)
	if err != nil {
		return err
	}
	type origin struct {
		path   string
		symbol int
	}
	votes := make(map[origin]int)
	all := 0
	for k, l := range lines {
		if l.line < 0 {
			continue
		}
		// The lines of a declaration inside this one say where that came from.
		if inner := enclosing(n, first+k); inner >= 0 && n.Symbols()[inner].Path != s.Path {
			continue
		}
		all++
		if l.line == 0 {
			continue
		}
		if o := m.source(parent, l.path); o != nil {
			if i := enclosing(o, l.line); i >= 0 {
				votes[origin{l.path, i}]++
			}
		}
	}
	var best origin
	most := 0
	for v, c := range votes {
		if c > most || c == most && (v.path < best.path || v.path == best.path && v.symbol < best.symbol) {
			best, most = v, c
		}
	}
	if most < 3 {
		return nil
	}
	o := m.source(parent, best.path)
	was := o.Symbols()[best.symbol]
	size := o.Line(was.End-1) - o.Line(was.Start) + 1
	now := m.source(commit, best.path)
	c := mined{Repo: m.name, Lang: m.src.lang, Parent: parent, Commit: commit, Share: share(most, all),
		From: spot{Path: best.path, Symbol: was.Path, Ordinal: was.Ordinal}, To: spot{Path: n.Path, Symbol: s.Path, Ordinal: s.Ordinal}}
	if now != nil && has(now, was) {
		if !family(was.Kind) || !family(s.Kind) {
			return nil
		}
		return m.extracted(ctx, c, o, now, n, was, s, lines, first)
	}
	if float64(most) < minTraced*float64(all) || float64(most) < 0.5*float64(size) || family(was.Kind) != family(s.Kind) {
		return nil
	}
	if hasCopies(n, s) {
		return nil // git takes any of them
	}
	if hasRival(o, was, n, s) {
		return nil // it was split in two
	}
	edited := most < all-1 || size != last-first+1
	switch {
	case best.path == n.Path:
		c.Change = "rename"
	case was.Path == s.Path:
		c.Change = "move"
	default:
		c.Change = "move, rename"
	}
	if edited {
		c.Change += ", edit"
	}
	m.add(c)
	return nil
}

// family groups kinds that can turn into each other.
func family(kind string) bool { return kind == "function" || kind == "method" }

// enclosing returns the innermost function or type that holds a line, or -1.
func enclosing(f *anchor.Source, line int) int {
	best := -1
	for i, s := range f.Symbols() {
		if minable(f, s) && f.Line(s.Start) <= line && line <= f.Line(s.End-1) && (best < 0 || s.End-s.Start < f.Symbols()[best].End-f.Symbols()[best].Start) {
			best = i
		}
	}
	return best
}

// extracted adds lines that moved to a new function from one that still exists.
func (m *miner) extracted(ctx context.Context, c mined, o, now, n *anchor.Source, was, s extract.Symbol, lines []traced, first int) error {
	from, to := o.Line(was.Start), o.Line(was.End-1)
	for i := 0; i < len(lines); {
		j := i
		for j < len(lines) && lines[j].path == o.Path && lines[j].line == lines[i].line+j-i && from < lines[j].line && lines[j].line < to {
			j++
		}
		if j-i < minRun {
			i = max(j, i+1)
			continue
		}
		cited := anchor.LineRange{Start: lines[i].line, End: lines[i].line + j - i - 1}
		if len(wordLines(o, cited)) < minRun {
			i = j
			continue
		}
		if !onlyOnce(o, cited) || !onlyOnce(n, anchor.LineRange{Start: first + i, End: first + j - 1}) {
			return nil // git takes any of them
		}
		want := trimmedLines(o.Text(), cited)
		kept := func(f *anchor.Source, within extract.Symbol) bool {
			return strings.Contains(bareText(string(f.Text()[within.Start:within.End])), bareText(strings.Join(want, "")))
		}
		c.Change = "extract"
		c.From.Lines, c.To.Lines = []int{cited.Start, cited.End}, []int{first + i, first + j - 1}
		copied, err := m.copied(ctx, o, now, c)
		if err != nil || copied {
			return err
		}
		for _, t := range now.Symbols() {
			if t.Path == was.Path && t.Ordinal == was.Ordinal && !kept(now, t) && !nameReused(o, was, now, t, n, s) && !keepsMost(o, cited, now, t) {
				if m.far {
					if ok, err := m.atOnce(ctx, c); err != nil || !ok {
						return err
					}
				}
				m.add(c)
			}
		}
		return nil
	}
	return nil
}

// atOnce reports whether the commit that brought the new function of an extraction took lines from the old one, which
// still stands after it. Over many commits git finds the lines of an old function in any that is like it.
func (r *repository) atOnce(ctx context.Context, c mined) (bool, error) {
	out, err := r.git(ctx, "log", "--reverse", "--topo-order", "--no-merges", "--format=%H", c.Parent+".."+c.Commit, "--", c.To.Path)
	if err != nil {
		return false, err
	}
	for commit := range strings.Lines(string(out)) {
		commit = strings.TrimSpace(commit)
		n := r.source(commit, c.To.Path)
		i := named(n, c.To.Symbol)
		if i < 0 {
			continue
		}
		s := n.Symbols()[i]
		lines, err := r.blame(ctx, commit+"^", commit, c.To.Path, n.Line(s.Start), n.Line(s.End-1))
		if err != nil {
			return false, err
		}
		taken := 0
		for _, l := range lines {
			o := r.source(commit+"^", l.path)
			if l.line <= 0 || o == nil || named(r.source(commit, l.path), c.From.Symbol) < 0 {
				continue
			}
			if was := enclosing(o, l.line); was >= 0 && o.Symbols()[was].Path == c.From.Symbol {
				taken++
			}
		}
		return taken >= minRun, nil
	}
	return false, nil
}

// named returns the first declaration of a path in a file, or -1.
func named(f *anchor.Source, path string) int {
	if f == nil {
		return -1
	}
	return slices.IndexFunc(f.Symbols(), func(s extract.Symbol) bool { return s.Path == path })
}

// nameReused reports whether a whole function has another name now, and its old one is that of another
// function, which does not call it: nothing was extracted.
func nameReused(o *anchor.Source, was extract.Symbol, now *anchor.Source, same extract.Symbol, n *anchor.Source, s extract.Symbol) bool {
	body := wordLines(o, anchor.LineRange{Start: o.Line(was.NameEnd) + 1, End: o.Line(was.End - 1)})
	have := wordLines(n, anchor.LineRange{Start: n.Line(s.Start), End: n.Line(s.End - 1)})
	return 10*common(body, have) >= 9*len(body) && !strings.Contains(string(now.Text()[same.Start:same.End]), s.Name)
}

// wordLines returns the cited lines that have a word outside of comments: braces and comments stand
// everywhere.
func wordLines(f *anchor.Source, cited anchor.LineRange) []string {
	var out []string
	for line := cited.Start; line <= cited.End; line++ {
		text := target{lines: anchor.LineRange{Start: line, End: line}}.bare(f)
		if strings.ContainsFunc(text, unicode.IsLetter) {
			out = append(out, text)
		}
	}
	return out
}

// keepsMost reports whether three quarters of cited lines stand in a declaration in their order: then
// they were copied out of it.
func keepsMost(o *anchor.Source, cited anchor.LineRange, now *anchor.Source, t extract.Symbol) bool {
	want := wordLines(o, cited)
	have := wordLines(now, anchor.LineRange{Start: now.Line(t.Start), End: now.Line(t.End - 1)})
	return 4*common(want, have) >= 3*len(want)
}

// common is the length of the longest common subsequence of lines.
func common(want, have []string) int {
	row := make([]int, len(have)+1)
	for _, w := range want {
		before := 0 // of the row above, one column to the left
		for j, h := range have {
			above := row[j+1]
			if w == h {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(have)]
}

// onlyOnce reports whether lines stand only once in their file, but for white space.
func onlyOnce(f *anchor.Source, lines anchor.LineRange) bool {
	return strings.Count(bareText(string(f.Text())), bareText(strings.Join(trimmedLines(f.Text(), lines), ""))) == 1
}

// copied reports whether three quarters of the lines of a case still stand where they
// were, by git's diff of their file: then they were copied, and which of the two is the
// same code is not known. A few, such as the lines that return an error, match by chance.
func (m *miner) copied(ctx context.Context, o, now *anchor.Source, c mined) (bool, error) {
	words, stay := 0, 0
	for line := c.From.Lines[0]; line <= c.From.Lines[1]; line++ {
		text := trimmedLines(o.Text(), anchor.LineRange{Start: line, End: line})
		if len(text) == 0 || !strings.ContainsFunc(text[0], unicode.IsLetter) {
			continue // a brace stands everywhere
		}
		words++
		at, ok, err := m.mapLine(ctx, o.Blob, now.Blob, line)
		if err != nil {
			return false, err
		}
		moved := c.From.Path == c.To.Path && c.To.Lines[0] <= at && at <= c.To.Lines[1]
		same := ok && slices.Equal(text, trimmedLines(now.Text(), anchor.LineRange{Start: at, End: at}))
		if same && !moved {
			stay++
		}
	}
	return 4*stay >= 3*words, nil
}

func bareText(s string) string { return blanks.ReplaceAllString(s, "") }

// variants counts the declarations of one path in a file.
func variants(f *anchor.Source, path string) (n int) {
	for _, s := range f.Symbols() {
		if s.Path == path {
			n++
		}
	}
	return n
}

// edits adds declarations that were edited in place, and unedited lines in them.
func (m *miner) edits(ctx context.Context, parent, commit string, o, n *anchor.Source) error {
	for _, s := range o.Symbols() {
		if !minable(o, s) || s.Kind != "function" && s.Kind != "method" {
			continue
		}
		if m.count["edit"] >= maxCases && m.count["unrelated edit"] >= maxCases {
			return nil
		}
		if variants(o, s.Path) != variants(n, s.Path) { // which one is which is not known
			continue
		}
		for _, t := range n.Symbols() {
			if t.Path != s.Path || t.Ordinal != s.Ordinal || string(o.Text()[s.Start:s.End]) == string(n.Text()[t.Start:t.End]) {
				continue
			}
			c := mined{Repo: m.name, Lang: m.src.lang, Change: "edit", Parent: parent, Commit: commit,
				From: spot{Path: o.Path, Symbol: s.Path, Ordinal: s.Ordinal}, To: spot{Path: n.Path, Symbol: t.Path, Ordinal: t.Ordinal}}
			m.add(c)
			from, to := o.Line(s.Start)+1, o.Line(s.End-1)-1
			line := from + (to-from)/2
			at, ok, err := m.mapLine(ctx, o.Blob, n.Blob, line)
			if err != nil {
				return err
			}
			if !ok || at <= n.Line(t.Start) || n.Line(t.End-1) <= at {
				continue // a diff may find it in another function
			}
			was, is := trimmedLines(o.Text(), anchor.LineRange{Start: line, End: line}), trimmedLines(n.Text(), anchor.LineRange{Start: at, End: at})
			if len(was) != 1 || len(is) != 1 || was[0] != is[0] || len(was[0]) < 12 || strings.HasPrefix(was[0], "//") || strings.HasPrefix(was[0], "#") || strings.HasPrefix(was[0], "*") {
				continue
			}
			c.Change = "unrelated edit"
			c.From.Lines, c.To.Lines = []int{line, line}, []int{at, at}
			m.add(c)
		}
	}
	return nil
}
