package learn

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory/episode"
	"manicule/memory/recipe"
)

// Limits of reading a repository's commits for recipes.
const (
	maxRecipeCommits = 600       // the latest, of the first parents
	maxRecipeText    = 256 << 10 // bytes of a file whose content is compared
	recipeTime       = 400 * time.Millisecond
	// BackgroundRecipeTime is enough for the commits of most repositories, where nobody waits.
	BackgroundRecipeTime = 5 * time.Second
	historyShare         = 2 // of the time, the half is for the list of commits, the other for what the files say
)

// recipesOf returns the recipes that the latest commits of a workspace show, as many as can be read in half of the time.
func recipesOf(ctx context.Context, p *workspace.Workspace, sessions []episode.Episode, most time.Duration) []episode.Procedure {
	if p.GitDir == "" {
		return nil
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // it was only read
	start := time.Now()
	if end, ok := ctx.Deadline(); ok {
		most = min(most, end.Sub(start))
	}
	within := func(d time.Duration) func() bool {
		return func() bool { return ctx.Err() != nil || time.Since(start) > d }
	}
	return Recipes(repo, gitinfo.Head(p.GitDir, p.GitCommonDir), sessions, Stops{History: within(most / historyShare), Texts: within(most)})
}

// Stops end the reading of a repository. After History, the commits that were read are all there are. After Texts there are no
// recipes: a file that was not read would count as one that says nothing.
type Stops struct{ History, Texts func() bool }

// NoStops reads all.
func NoStops() Stops {
	never := func() bool { return false }
	return Stops{History: never, Texts: never}
}

// Recipes returns the recipes that the first parents of a commit show.
func Recipes(repo *gittree.Repo, head string, sessions []episode.Episode, stops Stops) []episode.Procedure {
	r := newReader(repo, stops)
	found := recipe.Find(r.history(head), sessions)
	if r.late {
		return nil
	}
	return found
}

func newReader(repo *gittree.Repo, stops Stops) *reader {
	return &reader{repo: repo, before: map[string]gittree.Tree{}, after: map[string]gittree.Tree{}, texts: map[string]string{}, stops: stops}
}

// Alongside returns recipes by a weaker rule, to compare with: files that the same commits touch go together, whatever is in
// them.
func Alongside(repo *gittree.Repo, head string) []episode.Procedure {
	h := newReader(repo, NoStops()).history(head)
	h.Before = func(*recipe.Commit, string) string { return "" }
	h.After = func(c *recipe.Commit, _ string) string { return "something " + strings.Join(c.Added, " ") }
	return recipe.Find(h, nil)
}

// Unruled leaves out the recipes that the rules say which agents are given.
func Unruled(list []episode.Procedure, rules []string) []episode.Procedure {
	return slices.DeleteFunc(list, func(p episode.Procedure) bool { return p.On != "" && ruled(p, rules) })
}

// reader reads commits for recipes.
type reader struct {
	repo          *gittree.Repo
	before, after map[string]gittree.Tree // by commit
	texts         map[string]string       // by blob
	stops         Stops
	late          bool // a file was not read any more
}

func (r *reader) history(head string) recipe.History {
	out := recipe.History{Before: r.reads(r.before), After: r.reads(r.after), Exists: func(string) bool { return false }}
	list := r.repo.Commits(head, func(string) bool { return false }, maxRecipeCommits+1)
	for i, c := range list {
		now, ok := r.repo.Tree(c.ID)
		if !ok {
			break
		}
		if i == 0 {
			out.Exists = func(p string) bool { return now.Blob(p) != "" }
		}
		if r.stops.History() {
			break
		}
		if byProgram(c) {
			continue
		}
		var was gittree.Tree
		if i+1 < len(list) {
			if was, ok = r.repo.Tree(list[i+1].ID); !ok {
				break
			}
		} else if c.Parents > 0 {
			break // its parent is not among those that were read
		}
		x := recipe.Commit{ID: c.ID, At: c.Time.UnixMilli(), Subject: subjectOf(c)}
		for _, path := range was.Diff(now) {
			switch {
			case was.Blob(path) == "":
				x.Added = append(x.Added, path)
			case now.Blob(path) != "":
				x.Changed = append(x.Changed, path)
			}
		}
		r.before[c.ID], r.after[c.ID] = was, now
		out.Commits = append(out.Commits, x)
	}
	return out
}

// reads returns a function that reads a file in a state of each commit.
func (r *reader) reads(at map[string]gittree.Tree) func(*recipe.Commit, string) string {
	return func(c *recipe.Commit, path string) string {
		id := at[c.ID].Blob(path)
		if id == "" {
			return ""
		}
		if text, ok := r.texts[id]; ok {
			return text
		}
		if r.late = r.late || r.stops.Texts(); r.late {
			return ""
		}
		data, err := r.repo.Blob(id)
		if err != nil || len(data) > maxRecipeText {
			data = nil
		}
		r.texts[id] = string(data)
		return r.texts[id]
	}
}

// byProgram reports whether a program made a commit, as those do that update what a project needs.
func byProgram(c gittree.Commit) bool {
	who := strings.ToLower(c.Author + " " + c.Email)
	for _, mark := range []string{"[bot]", "dependabot", "renovate", "github-actions", "semantic-release"} {
		if strings.Contains(who, mark) {
			return true
		}
	}
	return false
}

// subjectOf is what a commit is about: of a merged request, its title.
func subjectOf(c gittree.Commit) string {
	if strings.HasPrefix(c.Subject, "Merge pull request ") {
		if title, _, _ := strings.Cut(strings.TrimSpace(c.Body), "\n"); title != "" {
			return title
		}
	}
	return c.Subject
}

// ruled reports whether a rule that agents are given says a recipe already: it names all the places that are written by hand.
func ruled(p episode.Procedure, rules []string) bool {
	var names []string
	for _, s := range p.Steps {
		if s.Act == episode.Edit && !s.Made {
			names = append(names, path.Base(s.What))
		}
	}
	if folder := path.Base(path.Dir(p.On)); strings.Contains(p.On, "*") && folder != "." {
		names = append(names, folder)
	}
	return len(names) > 1 && slices.ContainsFunc(rules, func(rule string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(rule, n) })
	})
}
