package learn

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"strconv"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
	"manicule/memory/recipe"
)

// recipeCacheName is the file of the worktree's cache that holds what commits say for recipes. Its number changes with what
// counts as a change of a commit, and with the rules that the answers come from.
const recipeCacheName = "recipes.v1.json"

// recipeCache is what commits say for recipes. It grows until all is known, over as many sessions as that takes: a commit does
// not change, so nothing in it is ever wrong.
type recipeCache struct {
	// Commits are by their id. Of one that touches too many files they are not kept.
	Commits map[string]cachedCommit `json:"commits"`
	// Answers are what the files said, by a hash of the question. A commit's id is a part of each.
	Answers map[string]bool `json:"answers"`
	// Whole is true once all commits of a time and all that was asked about them were read.
	Whole bool `json:"whole"`

	used map[string]bool // questions of this run
	grew bool
}

// cachedCommit is a commit with the first one before it.
type cachedCommit struct {
	recipe.Commit
	Parent  string `json:"parent,omitzero"`
	Program bool   `json:"program,omitzero"` // a program made it: its changes are not read
}

func newRecipeCache() *recipeCache {
	return &recipeCache{Commits: map[string]cachedCommit{}, Answers: map[string]bool{}, used: map[string]bool{}}
}

// readRecipeCache reads the cache; a file that is missing or damaged is an empty one.
func readRecipeCache(dir string) *recipeCache {
	c := newRecipeCache()
	if data, err := treefile.ReadMade(filepath.Join(dir, recipeCacheName)); err != nil || json.Unmarshal(data, c) != nil || c.Commits == nil || c.Answers == nil {
		return newRecipeCache()
	}
	return c
}

// commit returns a commit's changes; ok is false if they are not known yet.
func (c *recipeCache) commit(id string) (cachedCommit, bool) {
	x, ok := c.Commits[id]
	return x, ok
}

func (c *recipeCache) addCommit(x cachedCommit) {
	if recipe.Bulk(x.Commit) {
		x.Added, x.Changed, x.Large = nil, nil, true
	}
	c.Commits[x.ID], c.grew = x, true
}

// recall returns the answer to a question that an earlier run asked.
func (c *recipeCache) recall(question string) (answer, ok bool) {
	key := hashOf(question)
	c.used[key] = true
	answer, ok = c.Answers[key]
	return answer, ok
}

func (c *recipeCache) keep(question string, answer bool) {
	c.Answers[hashOf(question)], c.grew = answer, true
}

// save writes what was added. After a run that came to its end it forgets what the run had no use for: commits that are too old now,
// and what was asked about them.
func (c *recipeCache) save(dir string, listed map[string]bool, whole bool) error {
	if !c.grew && (c.Whole || !whole) {
		return nil
	}
	if whole {
		c.Whole = true
		maps.DeleteFunc(c.Commits, func(id string, _ cachedCommit) bool { return !listed[id] })
		maps.DeleteFunc(c.Answers, func(key string, _ bool) bool { return !c.used[key] })
	}
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("encode what commits say for recipes: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, recipeCacheName), data, 0o600); err != nil {
		return fmt.Errorf("keep what commits say for recipes: %w", err)
	}
	return nil
}

func hashOf(question string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(question)) // a hash takes all
	return strconv.FormatUint(h.Sum64(), 36)
}
