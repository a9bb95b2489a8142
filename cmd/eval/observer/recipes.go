package observer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
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
	most   int
	decoys bool
}

// recipesCommand is `eval observer recipes`: what is proposed to a repository after all its recorded sessions.
func recipesCommand() *cobra.Command {
	var o recipeOptions
	cmd := &cobra.Command{
		Use: "recipes", Short: "Propose the recipes that repositories' commits and recorded sessions show", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := cmd.Flags()
	f.StringVar(&o.repos, "repos", "", "a file that names on each line a git directory and a folder of sessions (see convert), or OWNER/NAME where none are recorded: then commits that name an agent count as sessions")
	f.StringVar(&o.show, "show", "", "print the proposals to this file, for judging, a JSON line each")
	f.StringVar(&o.labels, "labels", filepath.Join("cmd", "eval", "observer", "testdata", "recipes.jsonl"), "the file of what readers say of proposals")
	f.BoolVar(&o.all, "all", false, "also those above one in ten sessions")
	f.IntVar(&o.most, "most", 0, "of a repository, 0 for no limit")
	f.BoolVar(&o.decoys, "decoys", false, "print to the file of --show, in a random order, also what only changes together")
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
		tree := gittree.Open(f[0], f[0], "")
		head := gitinfo.Head(f[0], f[0])
		repo, episodes, n := f[1], []episode.Episode(nil), byAgents(tree, head)
		if fileExists(filepath.Join(f[1], "sessions.jsonl")) {
			if repo, episodes, n, err = recorded(f[1]); err != nil {
				return err
			}
		}
		recipes := learn.Unruled(learn.Recipes(tree, head, episodes, learn.NoStops()), rulesOf(tree, head))
		list := slices.Concat(recipes, episode.Procedures(episodes))
		if err := tree.Close(); err != nil {
			return err
		}
		found := len(list)
		if !o.all {
			list = list[:min(len(list), n/10)]
		}
		if o.most > 0 {
			list = list[:min(len(list), o.most)]
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
		if o.decoys {
			for _, p := range alongside(f[0], list) {
				shown = append(shown, proposal{Repo: repo, Key: p.Key, Text: p.Text()})
			}
		}
	}
	if o.decoys {
		rand.New(rand.NewSource(1)).Shuffle(len(shown), func(i, j int) { shown[i], shown[j] = shown[j], shown[i] })
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

// alongside are recipes by a weaker rule, as many as there are others and none of them: files that the same commits touch,
// whether or not one names what is added to the other.
func alongside(gitDir string, others []episode.Procedure) (out []episode.Procedure) {
	tree := gittree.Open(gitDir, gitDir, "")
	defer func() { _ = tree.Close() }() // it was only read
	for _, p := range learn.Alongside(tree, gitinfo.Head(gitDir, gitDir)) {
		if len(out) < len(others) && !slices.ContainsFunc(others, func(o episode.Procedure) bool { return o.Key == p.Key }) {
			out = append(out, p)
		}
	}
	return out
}

// byAgents counts the latest commits that name an agent as their author or co-author.
func byAgents(repo *gittree.Repo, head string) (n int) {
	for _, c := range repo.Commits(head, func(string) bool { return false }, 600) {
		text := strings.ToLower(c.Body)
		for _, mark := range []string{"co-authored-by: claude", "generated with [claude", "co-authored-by: cursor", "co-authored-by: codex", "co-authored-by: copilot", "entire-checkpoint"} {
			if strings.Contains(text, mark) {
				n++
				break
			}
		}
	}
	return n
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
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
