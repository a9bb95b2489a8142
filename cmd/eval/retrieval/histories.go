package retrieval

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/indexer/graph"
	"manicule/memory/embed"
	"manicule/memory/file"
)

// Two sets are derived from the histories of public repositories, which are named here
// and found in --repos. Their labels follow from structure alone: nobody judged a text. A
// repository belongs to one part as a whole.
//
// changelogs: a note is an entry of a changelog that names a change by its number. A
// question is the message of the commit that names the same number.
//
// lessons: a note is the body of a commit that explains a change of one or two source
// files. A question is the subject of a later commit, and its answers are the earlier
// notes about the files that it changed.
type derived struct {
	repo, changelog, split string
}

func changelogs() []derived {
	return []derived{
		{"psf/black", "CHANGES.md", "dev"}, {"sharkdp/bat", "CHANGELOG.md", "dev"},
		{"pallets/jinja", "CHANGES.rst", "check"}, {"sinatra/sinatra", "CHANGELOG.md", "check"}, {"marshmallow-code/marshmallow", "CHANGELOG.rst", "check"}, {"httpie/cli", "CHANGELOG.md", "check"},
		{"encode/httpx", "CHANGELOG.md", "fresh"}, {"python-attrs/attrs", "CHANGELOG.md", "fresh"}, {"mobxjs/mobx", "packages/mobx/CHANGELOG.md", "fresh"}, {"simonw/datasette", "docs/changelog.rst", "fresh"},
		{"pallets/flask", "CHANGES.rst", "heldout"}, {"pallets/click", "CHANGES.md", "heldout"}, {"junegunn/fzf", "CHANGELOG.md", "heldout"}, {"sharkdp/fd", "CHANGELOG.md", "heldout"},
	}
}

func lessons() []derived {
	return []derived{
		{"redis/redis", "", "dev"}, {"BurntSushi/ripgrep", "", "heldout"},
		// Each of these is asked by itself, with --repo: they chose what confidence multiplies.
		{"junegunn/fzf", "", "more"}, {"etcd-io/bbolt", "", "more"}, {"hyperium/hyper", "", "more"}, {"rayon-rs/rayon", "", "more"},
		{"caddyserver/caddy", "", "more"}, {"pytest-dev/pytest", "", "more"}, {"clap-rs/clap", "", "more"}, {"paramiko/paramiko", "", "more"},
		// What was chosen on the others stays if it pays on the first of these; the second are asked last.
		{"celery/kombu", "", "check"}, {"tokio-rs/tracing", "", "check"}, {"rust-lang/regex", "", "check"}, {"cli/cli", "", "check"},
		{"scrapy/scrapy", "", "check"}, {"aio-libs/aiohttp", "", "check"}, {"apache/commons-lang", "", "check"},
		{"jqlang/jq", "", "fresh"}, {"hashicorp/terraform", "", "fresh"}, {"nats-io/nats.go", "", "fresh"}, {"kakoune-lsp/kakoune-lsp", "", "fresh"},
		{"gitbutlerapp/gitbutler", "", "fresh"}, {"pallets/werkzeug", "", "fresh"}, {"graphql/graphql-js", "", "fresh"}, {"prometheus/client_golang", "", "fresh"},
	}
}

// Limits for one repository.
const (
	maxNotes     = 400
	maxQuestions = 60
	leastLesson  = 120 // characters of a body
	mostLesson   = 1200
)

// questionSet is the notes of one workspace with the questions about them.
type questionSet struct {
	name      string
	entries   []entry
	questions []question
}

// derive makes a set from each available repository of a split.
func (o options) derive(ctx context.Context, list []derived, make func(context.Context, string, derived) (questionSet, error)) ([]questionSet, error) {
	var out []questionSet
	for _, d := range list {
		dir := o.history(ctx, d.repo)
		if dir == "" || d.split != o.split || !o.wanted(d.repo) {
			continue
		}
		s, err := make(ctx, dir, d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.repo, err)
		}
		evalkit.Progress("%s: %d notes, %d questions", s.name, len(s.entries), len(s.questions))
		if len(s.questions) > 0 {
			out = append(out, s)
		}
	}
	if len(out) == 0 && !slices.ContainsFunc(list, func(d derived) bool { return d.split == o.split && o.wanted(d.repo) }) {
		return nil, nil // the set has no such part, or none of it is asked for
	}
	if len(out) == 0 {
		return nil, evalkit.Missing("none of the repositories of the set, name their folder with --repos")
	}
	return out, nil
}

// wanted reports whether --repo names a repository.
func (o options) wanted(repo string) bool {
	return slices.ContainsFunc(o.repo, func(name string) bool { return strings.Contains(repo, name) })
}

// history returns the git directory of a repository, or "" if it is not available.
func (o options) history(ctx context.Context, repo string) string {
	if o.repos == "" {
		return ""
	}
	for _, dir := range []string{filepath.Join(o.repos, filepath.FromSlash(repo)), filepath.Join(o.repos, strings.ReplaceAll(repo, "/", "+"), "repo")} {
		if gitread.Command(ctx, dir, "cat-file", "-e", "HEAD^{commit}").Run() == nil {
			return dir
		}
	}
	return ""
}

// number matches the number of a change in a changelog or a message: #123, :pr:`123`.
func number() *regexp.Regexp { return regexp.MustCompile("#(\\d{2,})|[:{](?:pr|issue)[:}]`(\\d{2,})`") }

// noise matches the parts that are removed from a note or a question: numbers, links and
// authors.
func noise() *regexp.Regexp {
	return regexp.MustCompile("\\(?\\[?(#\\d+|[:{](?:pr|issue|ghsa)[:}]`[^`]*`)\\]?(\\([^)]*\\))?,?\\)?|https?://\\S+|(?i:see|closes|fixes) *$|\\(@[^)]*\\)|(?m:^Co-authored-by:.*$|^Signed-off-by:.*$)")
}

func clean(text string) string {
	return strings.Join(strings.Fields(noise().ReplaceAllString(text, " ")), " ")
}

func numbers(text string) []string {
	var out []string
	for _, m := range number().FindAllStringSubmatch(text, -1) {
		if n := m[1] + m[2]; !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// bullets returns the items of a Markdown or reStructuredText list with their
// continuation lines.
func bullets(text string) []string {
	var out []string
	open := false
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* "):
			out, open = append(out, strings.TrimSpace(t[2:])), true
		case t == "" || !strings.HasPrefix(line, " "):
			open = false
		case open:
			out[len(out)-1] += " " + t
		}
	}
	return out
}

func changelogSet(ctx context.Context, dir string, d derived) (questionSet, error) {
	set := questionSet{name: "changelogs " + d.repo}
	text, err := gitread.Output(ctx, dir, "show", "HEAD:"+d.changelog)
	if err != nil {
		return set, err
	}
	of := map[string][]string{} // notes by number
	for _, b := range bullets(string(text)) {
		what := clean(b)
		if len(what) < 20 || len(set.entries) == maxNotes {
			continue
		}
		id := fmt.Sprintf("n%04d", len(set.entries))
		set.entries = append(set.entries, entry{id: id, kind: file.ModuleInsight, what: what, created: time.Unix(0, 0).UTC()})
		for _, n := range numbers(b) {
			of[n] = append(of[n], id)
		}
	}
	commits, err := log(ctx, dir)
	if err != nil {
		return set, err
	}
	seen := map[string]bool{}
	for _, c := range commits {
		rel := map[string]float64{}
		for _, n := range numbers(c.subject + "\n" + c.body) {
			for _, id := range of[n] {
				rel[id] = 1
			}
		}
		ask := clean(c.subject)
		if len(rel) == 0 || len(rel) > 3 || strings.HasPrefix(c.subject, "Merge") || len(strings.Fields(ask)) < 3 || seen[ask] || len(set.questions) == maxQuestions {
			continue
		}
		seen[ask] = true
		set.questions = append(set.questions, question{Repo: d.repo, Text: ask, Rel: rel})
	}
	return set, nil
}

func lessonSet(ctx context.Context, dir string, d derived) (questionSet, error) {
	set := questionSet{name: "lessons " + d.repo}
	commits, err := log(ctx, dir)
	if err != nil {
		return set, err
	}
	slices.Reverse(commits) // oldest first
	at := map[string][]string{}
	var later []question
	for _, c := range commits {
		files := slices.DeleteFunc(slices.Clone(c.files), func(f string) bool { return graph.IsTest(f) || !isSource(f) })
		body := clean(c.body)
		if len(files) == 0 || len(files) > 2 {
			continue
		}
		rel := map[string]float64{}
		for _, f := range files {
			for _, id := range at[f] {
				rel[id] = 1
			}
		}
		// A file that most notes are about does not tell them apart.
		if ask := clean(c.subject); len(set.entries) > maxNotes/4 && len(rel) > 0 && len(rel) <= 12 && len(strings.Fields(ask)) >= 4 {
			later = append(later, question{Repo: d.repo, Text: ask, AsOf: c.at, Rel: rel})
		}
		if len(body) < leastLesson || len(body) > mostLesson || len(set.entries) == maxNotes {
			continue
		}
		id := fmt.Sprintf("n%04d", len(set.entries))
		set.entries = append(set.entries, entry{id: id, kind: file.Gotcha, what: body, path: files[0], created: c.at})
		for _, f := range files {
			at[f] = append(at[f], id)
		}
	}
	// Spread over the whole time.
	for i := 0; i < len(later); i += max(1, len(later)/maxQuestions) {
		set.questions = append(set.questions, later[i])
	}
	return set, nil
}

func isSource(p string) bool {
	return slices.Contains([]string{".c", ".h", ".go", ".rs", ".py", ".ts", ".js", ".java"}, path.Ext(p))
}

// message is a commit with the files that it changed.
type message struct {
	subject, body string
	at            time.Time
	files         []string
}

// log lists the non-merge commits of a repository, newest first.
func log(ctx context.Context, dir string) ([]message, error) {
	text, err := gitread.Output(ctx, dir, "log", "--no-merges", "--no-renames", "-n", "6000", "--name-only", "--date-order", "--format=%x1e%aI%x1f%s%x1f%b%x1f")
	if err != nil {
		return nil, err
	}
	var out []message
	for part := range strings.SplitSeq(string(text), "\x1e") {
		f := strings.Split(part, "\x1f")
		if len(f) != 4 {
			continue
		}
		at, err := time.Parse(time.RFC3339, f[0])
		if err != nil {
			return nil, fmt.Errorf("read the date of a commit: %w", err)
		}
		out = append(out, message{f[1], f[2], at, strings.Fields(f[3])})
	}
	return out, nil
}

// askedSpaces opens a workspace for each set.
func (o options) askedSpaces(ctx context.Context, sets []questionSet, model *embed.Service) (spaces map[string]*space, notes map[string]note, questions []question, err error) {
	spaces, notes = map[string]*space{}, map[string]note{}
	for _, s := range sets {
		repo := s.questions[0].Repo
		for i := range s.entries {
			e := &s.entries[i]
			e.id = repo + "#" + e.id
			notes[e.id] = note{ID: e.id, Repo: repo, Type: "code", Text: e.what, Path: e.path, Created: e.created}
		}
		for _, q := range s.questions {
			rel := map[string]float64{}
			for id, g := range q.Rel {
				rel[repo+"#"+id] = g
			}
			q.Rel = rel
			questions = append(questions, q)
		}
		if spaces[repo], err = newSpace(ctx, s.entries, nil, model, o.cache); err != nil {
			return spaces, nil, nil, err
		}
	}
	return spaces, notes, questions, nil
}

// histories finds the notes that are derived from histories.
func histories(ctx context.Context, o options) (_ string, bad []string, err error) {
	text := ""
	for _, set := range []struct {
		name string
		list []derived
		make func(context.Context, string, derived) (questionSet, error)
	}{{"changelogs", changelogs(), changelogSet}, {"lessons", lessons(), lessonSet}} {
		sets, err := o.derive(ctx, set.list, set.make)
		if err != nil {
			return "", nil, err
		}
		if len(sets) == 0 {
			continue
		}
		t, worse, err := o.derivedTable(ctx, set.name, sets)
		if err != nil {
			return "", nil, err
		}
		text += t
		bad = append(bad, worse...)
	}
	return text, bad, nil
}

func (o options) derivedTable(ctx context.Context, name string, sets []questionSet) (_ string, _ []string, err error) {
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	spaces, notes, questions, err := o.askedSpaces(ctx, sets, model)
	defer func() {
		for _, s := range spaces {
			err = errors.Join(err, s.close())
		}
	}()
	if err != nil {
		return "", nil, err
	}
	return noteSet(ctx, o, name, questions, spaces, notes)
}
