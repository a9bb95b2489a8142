package anchors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/grammars"
)

// minedSource is a repository from which cases are mined.
type minedSource struct{ name, url, lang, commit string }

// minedSources are the repositories of testdata/mined.jsonl.
var minedSources = []minedSource{
	{"terraform", "https://github.com/hashicorp/terraform", "go", "883c7221ee2e0bc2fad6912fd4b3cc4b53a598a7"},
	{"fzf", "https://github.com/junegunn/fzf", "go", "956562daaa82ddf55ea8f7aeab56883377b742c6"},
	{"typescript-eslint", "https://github.com/typescript-eslint/typescript-eslint", "typescript", "56c9ed90d0aee0b5a71cfc39fc76b715b82e3ea8"},
	{"redux-toolkit", "https://github.com/reduxjs/redux-toolkit", "typescript", "74200d87c27ca2b1c0915b2fbb4c44dd7494c2aa"},
	{"flask", "https://github.com/pallets/flask", "python", "2ac89889f4cc330eabd50f295dcef02828522c69"},
	{"requests", "https://github.com/psf/requests", "python", "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e"},
	{"httpie", "https://github.com/httpie/cli", "python", "5b604c37c6c67e18e7c3e9aee6c88a8c22b98345"},
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
	commitsMined  = 90  // of one repository, spread over its history, unless --commits says otherwise
	maxCases      = 30  // of one kind of change in one repository
	maxPerCommit  = 3   // of one kind in one commit
	maxFilesMined = 25  // changed files of a commit
	maxFarApart   = 10  // cases of one kind between two commits that are far apart
	maxTracedFar  = 40  // declarations that are traced between them
	maxTracedOnly = 400 // the same, if one kind of change is wanted
	minLinesMined = 5   // lines of a declaration
	minLinesShort = 3   // the same, in a language without a grammar: a table, a message or a target is short
	minRun        = 3   // lines that were extracted together, as many of them with words
	minTraced     = 0.6
)

// files returns the pathspecs of a language's files. Headers of C++ have the ending of C's.
func files(lang string) (specs []string) {
	l, _ := grammars.ByID(lang)
	for _, e := range l.Extensions {
		specs = append(specs, "*"+e)
	}
	for _, f := range l.Filenames {
		specs = append(specs, f, "*/"+f)
	}
	if lang == "cpp" {
		specs = append(specs, "*.h")
	}
	return specs
}

// isSource reports whether a file is in a language, by its path.
func isSource(path, lang string) bool {
	is := language(path)
	return is == lang || lang == "cpp" && is == "c"
}

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
		_, known := grammars.ByID(lang)
		switch {
		case other && known:
			out = append(out, minedSource{name: name, lang: lang, commit: "HEAD"})
		case other:
			return nil, fmt.Errorf("mine %s: %q is none of the languages of docs/languages.md, such as go or csharp", name, lang)
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
		found, err := r.mine(ctx, src, e.commits, e.apart, e.change)
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
// the one that is so many earlier. If change is not empty, only changes that begin like it are added.
func (r *repository) mine(ctx context.Context, src minedSource, commits, apart int, change string) ([]mined, error) {
	out, err := r.git(ctx, append([]string{"log", "--no-merges", "--format=%H %P", src.commit, "--"}, files(src.lang)...)...)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	step := max(1, len(lines)/max(1, commits)) // spread over the history
	m := miner{repository: r, src: src, far: apart > 1, change: change, count: make(map[string]int)}
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
	far    bool   // the two commits are no neighbours
	change string // what the wanted changes begin with
	traced int    // declarations between the two commits
	cases  []mined
	count  map[string]int // by kind, and by kind and commit
}

// maxTraced is how many new declarations are traced between two commits that are far apart.
func (m *miner) maxTraced() int {
	if m.change != "" {
		return maxTracedOnly
	}
	return maxTracedFar
}

func (m *miner) add(c mined) {
	if !strings.HasPrefix(c.Change, m.change) {
		return
	}
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
	diffs = slices.DeleteFunc(slices.Clone(diffs), func(d diff) bool { return !isSource(d.path, m.src.lang) })
	if len(diffs) > maxFilesMined && !m.far {
		return nil
	}
	for _, d := range diffs {
		n, o := m.blobAt(d.newBlob, d.path), m.blobAt(d.oldBlob, d.path)
		if n == nil {
			continue
		}
		if o != nil && (strings.HasPrefix("unrelated edit", m.change) || strings.HasPrefix("edit", m.change)) {
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
