package observer

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/reviews"
	"manicule/indexer/clip"
)

// reviewed is a suggestion beside what it was made from, for judging.
type reviewed struct {
	File   string `json:"file"`
	What   string `json:"what"`
	Rule   bool   `json:"rule"`
	Body   string `json:"body"`
	Path   string `json:"path,omitzero"`
	Author string `json:"author"`
	Member bool   `json:"member"`
	Done   bool   `json:"settled"`
	URL    string `json:"url,omitzero"`
}

// reviewsCommand is `eval observer reviews`: it reads a folder of a repository's pull requests, a file of JSON
// each, and prints what capture would suggest.
func reviewsCommand() *cobra.Command {
	var show string
	var limit int
	cmd := &cobra.Command{
		Use: "reviews FOLDER", Short: "Make suggestions of recorded reviews, a file of JSON for each pull request", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return suggestAll(args[0], show, limit) },
	}
	cmd.Flags().StringVar(&show, "show", "", "print the suggestions to this file, for judging, a JSON line each")
	cmd.Flags().IntVar(&limit, "limit", 10, "the most suggestions of a pull request")
	return cmd
}

func suggestAll(folder, show string, limit int) error {
	var names []string
	err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".json") {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list the pull requests: %w", err)
	}
	slices.Sort(names)
	var out []reviewed
	comments, read, left := 0, 0, map[reviews.Reason]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a pull request: %w", err)
		}
		list, err := reviews.Parse(data)
		if err != nil {
			continue // without a comment, or torn
		}
		found := reviews.Suggest(list, reviews.Bots())
		read++
		comments += found.Comments
		for why, n := range found.Left {
			left[why] += n
		}
		for _, s := range found.Suggestions[:min(limit, len(found.Suggestions))] {
			c := s.Comment
			out = append(out, reviewed{File: filepath.Base(name), What: s.What, Rule: s.Rule, Body: clip.MarkedChars(c.Body, 600), Path: c.Path, Author: c.Author, Member: c.Member, Done: c.Settled, URL: c.URL})
		}
	}
	fmt.Printf("%d pull requests with comments, %d comments, %d suggestions; left out: %v\n", read, comments, len(out), left)
	if show == "" {
		return nil
	}
	return evalkit.WriteLines(show, out)
}
