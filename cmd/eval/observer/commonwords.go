package observer

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/indexer/words"
)

// What is read of the history of each clone.
const (
	commitsOfClone    = 3000
	sentencesOfCommit = 3
	sentencesOfClone  = 150
)

// A word that stands in one of so many sentences has the weight 1, and one that weighs this much is not listed.
const (
	rarestCommon = 400
	leastCommon  = .85
)

// wordsCommand is `eval observer words`: it prints a table like that of hooks/commonwords.go.
func wordsCommand() *cobra.Command {
	var repos string
	var skip []string
	cmd := &cobra.Command{
		Use: "words", Short: "Count the words that sentences with a reason have in common, in the commits of clones", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clones, err := filepath.Glob(filepath.Join(repos, "*+*", "repo"))
			if err != nil || len(clones) == 0 {
				return evalkit.Missing("no clone in %q (--repos)", repos)
			}
			var all []string
			read := 0
			for _, dir := range clones {
				name := strings.Replace(filepath.Base(filepath.Dir(dir)), "+", "/", 1)
				if slices.Contains(skip, name) {
					continue
				}
				if found := reasonedSentences(cmd.Context(), dir); len(found) > 0 {
					all, read = append(all, found...), read+1
				}
			}
			evalkit.Progress("%d sentences of %d clones", len(all), read)
			for _, line := range commonWords(all) {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&repos, "repos", "repos", "the folder with clones OWNER+NAME/repo")
	cmd.Flags().StringSliceVar(&skip, "skip", nil, "clones OWNER/NAME that the table is to be tried on")
	return cmd
}

// reasonedSentences returns sentences with a reason from the messages of a clone's commits, from all over its history.
func reasonedSentences(ctx context.Context, dir string) []string {
	log, err := gitread.Output(ctx, dir, "log", "--no-merges", fmt.Sprint("-n", commitsOfClone), "--format=%x01%b", "HEAD")
	if err != nil {
		return nil // not there as a whole
	}
	var all []string
	for message := range strings.SplitSeq(string(log), "\x01") {
		text := strings.Join(strings.Fields(trailer.ReplaceAllString(message, "")), " ")
		n := 0
		for _, s := range sentence.FindAllString(text, -1) {
			if s = strings.TrimSpace(s); n < sentencesOfCommit && len(s) > 60 && len(s) < 300 && reason.MatchString(s) {
				all = append(all, s)
				n++
			}
		}
	}
	if len(all) <= sentencesOfClone {
		return all
	}
	out := make([]string, 0, sentencesOfClone)
	for i := range sentencesOfClone {
		out = append(out, all[i*len(all)/sentencesOfClone])
	}
	return out
}

// commonWords lists the stems of sentences by the tenth that they weigh.
func commonWords(sentences []string) []string {
	var stems words.Stemmer
	in := map[string]int{}
	for _, s := range sentences {
		seen := map[string]bool{}
		for _, w := range stems.Terms(s) {
			if !seen[w] {
				seen[w] = true
				in[w]++
			}
		}
	}
	byTenth := map[int][]string{}
	for w, n := range in {
		weight := math.Log(float64(len(sentences))/float64(n)) / math.Log(rarestCommon)
		if weight < leastCommon {
			byTenth[int(math.Round(10*weight))] = append(byTenth[int(math.Round(10*weight))], w)
		}
	}
	var out []string
	for tenth := range 10 {
		if list := byTenth[tenth]; len(list) > 0 {
			slices.Sort(list)
			out = append(out, fmt.Sprintf("%d: %s", tenth, strings.Join(list, " ")))
		}
	}
	return out
}
