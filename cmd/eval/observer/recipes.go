package observer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/learn"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/memory/episode"
)

// recipeOptions are the inputs of `eval observer recipes`.
type recipeOptions struct {
	repos  string // a file of lines "GITDIR FOLDER-OF-SESSIONS"
	show   string
	labels string
	all    bool
}

// recipesCommand is `eval observer recipes`: what is proposed to a repository after all its recorded sessions.
func recipesCommand() *cobra.Command {
	var o recipeOptions
	cmd := &cobra.Command{
		Use: "recipes", Short: "Propose the recipes that repositories' commits and recorded sessions show", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := cmd.Flags()
	f.StringVar(&o.repos, "repos", "", "a file that names a git directory and a folder of sessions (see convert) on each line")
	f.StringVar(&o.show, "show", "", "print the proposals to this file, for judging, a JSON line each")
	f.StringVar(&o.labels, "labels", filepath.Join("cmd", "eval", "observer", "testdata", "recipes.jsonl"), "the file of what readers say of proposals")
	f.BoolVar(&o.all, "all", false, "also those above one in ten sessions")
	return cmd
}

// proposal is a recipe for a repository. Useful is a reader's judgement: would the maintainer accept it?
type proposal struct {
	Set    string `json:"set,omitzero"`
	Repo   string `json:"repo"`
	Key    string `json:"key"`
	Text   string `json:"text,omitzero"`
	Useful *bool  `json:"useful,omitempty"`
	Why    string `json:"why,omitzero"`
}

func (o recipeOptions) run() error {
	data, err := os.ReadFile(o.repos)
	if err != nil {
		return err
	}
	labels, err := evalkit.ReadLines[proposal](o.labels)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var shown []proposal
	sessions, useful, judged, repos := 0, 0, 0, 0
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		repo, episodes, n, err := recorded(f[1])
		if err != nil {
			return err
		}
		tree := gittree.Open(f[0], f[0], "")
		head := gitinfo.Head(f[0], f[0])
		recipes := learn.Unruled(learn.Recipes(tree, head, episodes, func() bool { return false }), rulesOf(tree, head))
		list := slices.Concat(recipes, episode.Procedures(episodes))
		if err := tree.Close(); err != nil {
			return err
		}
		found := len(list)
		if !o.all {
			list = list[:min(len(list), n/10)]
		}
		sessions += n
		repos++
		fmt.Printf("%s: %d sessions, %d recipes, %d proposed\n", repo, n, found, len(list))
		for _, p := range list {
			x := proposal{Repo: repo, Key: p.Key, Text: p.Text()}
			verdict := "?"
			if i := slices.IndexFunc(labels, func(l proposal) bool { return l.Repo == repo && l.Key == p.Key && l.Useful != nil }); i >= 0 {
				judged++
				useful += asInt(*labels[i].Useful)
				verdict = map[bool]string{true: "useful", false: "not useful: " + labels[i].Why}[*labels[i].Useful]
			}
			fmt.Printf("  %.2f  %d commits, %d sessions  %s  (%s)\n", p.Score, p.Commits, len(p.Sessions), x.Text, verdict)
			shown = append(shown, x)
		}
	}
	fmt.Printf("%d repositories, %d sessions, %d proposals; %d of %d judged ones useful (%.2f)\n", repos, sessions, len(shown), useful, judged, evalkit.Share(useful, judged))
	if o.show == "" {
		return nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, x := range shown {
		if err := enc.Encode(x); err != nil {
			return err
		}
	}
	return os.WriteFile(o.show, []byte(b.String()), 0o644)
}

// rulesOf are the rules that a repository gives to agents.
func rulesOf(repo *gittree.Repo, head string) []string {
	tree, ok := repo.Tree(head)
	if !ok {
		return nil
	}
	var out []string
	for _, name := range learn.RuleNames() {
		if data, err := repo.Blob(tree.Blob(name)); err == nil {
			out = append(out, learn.RuleLines(string(data))...)
		}
	}
	return out
}

// recorded returns the episodes of a folder's sessions, and how many there are.
func recorded(dir string) (repo string, episodes []episode.Episode, n int, err error) {
	sessions, err := readSessions(dir, new(clock))
	if err != nil {
		return "", nil, 0, err
	}
	for _, s := range sessions {
		repo = s.repo
		if j := episodeOf(s); j.Episode.Requests > 0 || len(j.Episode.Tools) > 0 {
			episodes = append(episodes, j.Episode)
		}
	}
	return repo, episodes, len(episodes), nil
}
