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
	most = within(ctx, most)
	r := openCommits(p, Stops{History: stopAfter(ctx, most/historyShare), Texts: stopAfter(ctx, most)})
	if r == nil {
		return nil
	}
	defer r.close(p)
	return r.recipes(gitinfo.Head(p.GitDir, p.GitCommonDir), sessions)
}

// prepareRecipes reads a part of what the commits say for recipes, so that it is known when one is looked for: first all the
// commits, then what their files say. Once all of it was known it does nothing: what came in since is little.
func prepareRecipes(ctx context.Context, p *workspace.Workspace, most time.Duration) {
	if p.GitDir == "" || !p.IsSetUp() || readRecipeCache(p.CacheDir()).Whole {
		return
	}
	late := stopAfter(ctx, within(ctx, most))
	r := openCommits(p, Stops{History: late, Texts: late})
	defer r.close(p)
	r.whole = true
	_ = r.recipes(gitinfo.Head(p.GitDir, p.GitCommonDir), nil) // what it read is kept
}

// within bounds a time by the context's deadline.
func within(ctx context.Context, most time.Duration) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(most, time.Until(end))
	}
	return most
}

// stopAfter tells once some time from now is over.
func stopAfter(ctx context.Context, d time.Duration) func() bool {
	start := time.Now()
	return func() bool { return ctx.Err() != nil || time.Since(start) > d }
}

// openCommits opens the commits of a workspace, with what is known of them; nil without a repository.
func openCommits(p *workspace.Workspace, stops Stops) *commitReader {
	if p.GitDir == "" {
		return nil
	}
	r := newCommitReader(gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix()), stops)
	r.cache = readRecipeCache(p.CacheDir())
	return r
}

// close keeps what was read.
func (r *commitReader) close(p *workspace.Workspace) {
	if p.IsSetUp() {
		_ = r.cache.save(p.CacheDir(), r.listed, !r.late && !r.cut) // without it the next run reads the same again
	}
	_ = r.repo.Close() // it was only read
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
	return newCommitReader(repo, stops).recipes(head, sessions)
}

func (r *commitReader) recipes(head string, sessions []episode.Episode) []episode.Procedure {
	h := r.history(head)
	if r.cut && r.whole {
		return nil
	}
	found := recipe.Find(h, sessions)
	if r.late {
		return nil
	}
	return found
}

func newCommitReader(repo *gittree.Repo, stops Stops) *commitReader {
	return &commitReader{repo: repo, parents: map[string]string{}, trees: map[string]gittree.Tree{}, texts: map[string]string{}, stops: stops, listed: map[string]bool{}, cache: newRecipeCache()}
}

// Alongside returns recipes by a weaker rule, to compare with: files that the same commits touch go together, whatever is in
// them.
func Alongside(repo *gittree.Repo, head string) []episode.Procedure {
	h := newCommitReader(repo, NoStops()).history(head)
	h.Recall, h.Keep = nil, nil
	h.Before = func(*recipe.Commit, string) string { return "" }
	h.After = func(c *recipe.Commit, _ string) string { return "something " + strings.Join(c.Added, " ") }
	return recipe.Find(h, nil)
}

// Unruled leaves out the recipes that the rules say which agents are given.
func Unruled(list []episode.Procedure, rules []string) []episode.Procedure {
	return slices.DeleteFunc(list, func(p episode.Procedure) bool { return p.On != "" && ruled(p, rules) })
}

// commitReader reads commits for recipes.
type commitReader struct {
	repo    *gittree.Repo
	parents map[string]string       // the first one of each commit that has one
	trees   map[string]gittree.Tree // by commit
	texts   map[string]string       // by blob
	stops   Stops
	late    bool            // a file was not read any more
	cut     bool            // a commit was not read any more
	whole   bool            // recipes of a part of the commits are not wanted
	listed  map[string]bool // commits
	ahead   []gittree.Commit
	cache   *recipeCache
}

func (r *commitReader) history(head string) recipe.History {
	out := recipe.History{Before: r.reads(func(c *recipe.Commit) string { return r.parents[c.ID] }), After: r.reads(func(c *recipe.Commit) string { return c.ID }),
		Exists: func(string) bool { return false }, Recall: r.cache.recall}
	out.Keep = func(question string, answer bool) {
		if !r.late { // what was not read says nothing
			r.cache.keep(question, answer)
		}
	}
	if now, ok := r.tree(head); ok {
		out.Exists = func(p string) bool { return now.Blob(p) != "" }
	}
	for id := head; id != "" && len(r.listed) < maxRecipeCommits; {
		c, ok := r.commit(id)
		if !ok {
			break
		}
		r.listed[id] = true
		if !c.Program {
			out.Commits = append(out.Commits, c.Commit)
		}
		id = c.Parent
	}
	return out
}

// readAhead is how many commits are listed at once: the rest of the time is for what they changed.
const readAhead = 40

// commit returns a commit with its changes; ok is false if they can't be read, or not any more.
func (r *commitReader) commit(id string) (out cachedCommit, ok bool) {
	if out, ok = r.cache.commit(id); ok {
		r.parents[id] = out.Parent
		return out, true
	}
	if r.stops.History() {
		r.cut = true
		return out, false
	}
	if len(r.ahead) == 0 || r.ahead[0].ID != id {
		r.ahead = r.repo.Commits(id, func(string) bool { return false }, readAhead)
	}
	if len(r.ahead) == 1 && r.ahead[0].Parents > 0 {
		r.ahead = r.repo.Commits(id, func(string) bool { return false }, readAhead)
	}
	if len(r.ahead) == 0 {
		return out, false
	}
	c := r.ahead[0]
	if r.ahead = r.ahead[1:]; len(r.ahead) > 0 {
		out.Parent = r.ahead[0].ID
	} else if c.Parents > 0 {
		return out, false // its parent is not in this copy
	}
	r.parents[id] = out.Parent
	out.ID, out.Program = id, byProgram(c)
	if !out.Program && !r.changes(c, &out.Commit) {
		return out, false
	}
	r.cache.addCommit(out)
	return out, true
}

// changes fills in what a commit changed; it returns false if that can't be read.
func (r *commitReader) changes(c gittree.Commit, x *recipe.Commit) bool {
	was, ok := r.tree(r.parents[c.ID])
	if !ok {
		return false
	}
	now, ok := r.tree(c.ID)
	if !ok {
		return false
	}
	x.At, x.Subject = c.Time.UnixMilli(), subjectOf(c)
	for _, path := range was.Diff(now) {
		switch {
		case was.Blob(path) == "":
			x.Added = append(x.Added, path)
		case now.Blob(path) != "":
			x.Changed = append(x.Changed, path)
		}
	}
	return true
}

// tree returns the state of the workspace in a commit; without a commit it is empty.
func (r *commitReader) tree(commit string) (gittree.Tree, bool) {
	if t, ok := r.trees[commit]; ok || commit == "" {
		return t, true
	}
	t, ok := r.repo.Tree(commit)
	if ok {
		r.trees[commit] = t
	}
	return t, ok
}

// reads returns a function that reads a file in a state of each commit.
func (r *commitReader) reads(at func(*recipe.Commit) string) func(*recipe.Commit, string) string {
	return func(c *recipe.Commit, path string) string {
		if r.late = r.late || r.stops.Texts(); r.late {
			return ""
		}
		tree, _ := r.tree(at(c))
		id := tree.Blob(path)
		if id == "" {
			return ""
		}
		if text, ok := r.texts[id]; ok {
			return text
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
