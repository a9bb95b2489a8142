package observer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
)

// next measures how many of a session's later files are among ten that are named after
// its first three.
func (r *replayed) next() error {
	fmt.Println("== next files: R@10 after the first three")
	for _, repo := range r.repos() {
		scores := map[string][]float64{}
		for _, x := range r.results {
			if x.unscored || x.s.repo != repo || len(x.s.files) <= 3 {
				continue
			}
			rest := x.s.files[3:]
			for _, method := range methods() {
				if method == "co-change" && !x.commits {
					continue
				}
				n := 0
				for _, p := range x.next[method] {
					n += asInt(slices.Contains(rest, p))
				}
				scores[method] = append(scores[method], float64(n)/float64(len(rest)))
			}
		}
		for _, method := range methods() {
			if len(scores[method]) == 0 {
				continue // the data has no commits for it
			}
			low, high := evalkit.Interval(scores[method])
			line := fmt.Sprintf("%-28s %-12s %.3f [%.3f, %.3f] over %d sessions", repo, method, evalkit.Mean(scores[method]), low, high, len(scores[method]))
			if method == "manicule" {
				line += "; better than co-access by " + evalkit.Difference(scores[method], scores["co-access"])
				if other := scores["co-change"]; len(other) > 0 {
					line += ", than co-change by " + evalkit.Difference(scores[method], other)
				}
			}
			fmt.Println(line)
		}
	}
	return nil
}

func methods() []string { return []string{"popularity", "co-change", "co-access", "manicule"} }

// commit is a commit of the co-change set.
type commit struct {
	Date  time.Time `json:"date"`
	Files []string  `json:"files"`
}

// readCommits reads the commits of a repository, oldest first, or none if the set lacks
// it.
func readCommits(dir, repo string) ([]commit, error) {
	path := filepath.Join(dir, "..", "..", "cochange", "dev", strings.ReplaceAll(repo, "/", "+")+".jsonl")
	if _, err := os.Stat(path); err != nil {
		return nil, nil
	}
	list, err := evalkit.ReadLines[commit](path)
	slices.SortStableFunc(list, func(a, b commit) int { return a.Date.Compare(b.Date) })
	return list, err
}

// mostChanged is the number of files above which a commit says nothing about files that
// belong together, as in the set's own measurement.
const mostChanged = 20

// changedBefore counts the pairs that commits before a time changed together.
func (b *replica) changedBefore(ms int64) map[[2]string]int {
	if b.changed == nil {
		b.changed = map[[2]string]int{}
	}
	for len(b.commits) > 0 && b.commits[0].Date.UnixMilli() < ms {
		c := b.commits[0]
		b.commits = b.commits[1:]
		if len(c.Files) > mostChanged {
			continue
		}
		for i, x := range c.Files {
			for _, y := range c.Files[i+1:] {
				b.changed[[2]string{min(x, y), max(x, y)}]++
			}
		}
	}
	return b.changed
}

func (r *replayed) repos() []string {
	var out []string
	for _, x := range r.results {
		if !slices.Contains(out, x.s.repo) {
			out = append(out, x.s.repo)
		}
	}
	return out
}
