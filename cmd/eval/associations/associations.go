// Package associations learns which words people use for what code does, from public repositories, and writes the model
// of package biencoder. It must not see the repositories whose code searches are measured on.
package associations

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"manicule/cmd/internal/evalkit"
)

// repositories lists what the model is learned from: OWNER/NAME and the commit. They have a licence file and at least a
// hundred functions with a comment; none of the sets of `eval retrieval` that ask for functions is about one of them.
//
//go:embed testdata/repositories.txt
var repositories string

// Command is `eval associations`.
func Command() *cobra.Command {
	var repos, to string
	cmd := &cobra.Command{
		Use:   "associations",
		Short: "Learn the vectors of words by which a search in code finds functions that share no word with the question",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := mine(cmd.Context(), repos)
			if err != nil {
				return err
			}
			data := learn(all, defaults())
			if err := os.WriteFile(to, []byte(data), 0o644); err != nil {
				return fmt.Errorf("write the model: %w", err)
			}
			evalkit.Progress("%d bytes", len(data))
			return nil
		},
	}
	cmd.Flags().StringVar(&repos, "repos", os.Getenv("EVAL_REPOS"), "the folder with clones, as OWNER/NAME or OWNER+NAME/repo")
	cmd.Flags().StringVar(&to, "to", "indexer/code/biencoder/model.bin", "the file that is written")
	return cmd
}

// mine collects the pairs of all repositories, in the order of the list.
func mine(ctx context.Context, repos string) ([]pair, error) {
	lines := strings.Split(strings.TrimSpace(repositories), "\n")
	each := make([][]pair, len(lines))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	for i, line := range lines {
		repo, commit, _ := strings.Cut(line, " ")
		group.Go(func() error {
			dir := clone(repos, repo)
			if dir == "" {
				return evalkit.Missing("no clone of %s in %q, see --repos", repo, repos)
			}
			var err error
			if each[i], err = pairsOf(ctx, dir, commit); err != nil {
				return fmt.Errorf("%s: %w", repo, err)
			}
			evalkit.Progress("%s: %d pairs", repo, len(each[i]))
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var all []pair
	for i, list := range each {
		for _, p := range list {
			p.repo = i
			all = append(all, p)
		}
	}
	return all, nil
}

// clone returns the folder of a repository, "" if there is none.
func clone(repos, repo string) string {
	for _, dir := range []string{filepath.Join(repos, filepath.FromSlash(repo)), filepath.Join(repos, strings.ReplaceAll(repo, "/", "+"), "repo")} {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}
