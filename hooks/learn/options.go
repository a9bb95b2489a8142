package learn

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"manicule/indexer/treefile"
	"manicule/memory"
	"manicule/memory/episode"
)

// Options say how sessions are learned from. Workspace is required.
type Options struct {
	Workspace *memory.Workspace
	Now       func() time.Time
	// Rules are texts that need no candidate because agents know them: the project's rule
	// files. What the files of [RuleNames] say when nil.
	Rules func() []string
	// Exists reports whether a path below the root exists; on disk when nil.
	Exists func(path string) bool
	// Declares reports whether a file below the root may declare a name; on disk when nil.
	Declares func(path, name string) bool
	// Commits counts the commits that changed a file below the root, and those that also
	// changed another one; git's when nil.
	Commits func(a, b string) (both, n int)
	// Recipes returns what the repository's commits show to go together; git's when nil.
	Recipes func(ctx context.Context, sessions []episode.Episode) []episode.Procedure
	// RecipeTime bounds how long commits are read for recipes; what suits the end of a session when 0.
	RecipeTime time.Duration
	// Slowness is how many times longer than usual reading transcripts and commits may take; 0 is 1.
	Slowness float64
	// Home is the person's home folder, in which some agents keep transcripts that their
	// hooks don't name; "" disables that.
	Home string
	// Methodology tells the phases of work in which memories were shown; the usual one for "".
	Methodology string
	// Dry stores nothing.
	Dry bool
}

// learner learns by options that are complete.
type learner struct {
	Options
	prepare func(context.Context)                   // reads what Recipes needs ahead; nil for nothing
	midway  bool                                    // the session goes on: what it leaves, and what came of it, is not known
	several bool                                    // others follow, and weights are learned after the last
	texts   func(context.Context) ([]string, error) // of all memories
}

// newLearner fills in what the options leave open.
func newLearner(options Options) learner {
	o := learner{Options: options}
	o.texts = o.Workspace.Observer().Texts
	if o.Now == nil {
		o.Now = o.Workspace.Now
	}
	root := o.Workspace.Root()
	if o.Rules == nil {
		o.Rules = func() []string { return ruleFiles(root) }
	}
	if o.Exists == nil {
		o.Exists = func(p string) bool {
			_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(p)))
			return !errors.Is(err, fs.ErrNotExist)
		}
	}
	if o.Declares == nil {
		o.Declares = func(p, name string) bool { return declares(root, p, name) }
	}
	if o.Recipes == nil {
		most := cmp.Or(o.RecipeTime, o.part(recipeTime))
		o.Recipes = func(ctx context.Context, sessions []episode.Episode) []episode.Procedure {
			return recipesOf(ctx, o.Workspace.Place(), sessions, most)
		}
		o.prepare = func(ctx context.Context) { prepareRecipes(ctx, o.Workspace.Place(), most) }
	}
	if o.Commits == nil {
		o.Commits = func(a, b string) (both, n int) { return commitsOf(o.Workspace.Place(), o.part(historyTime), a, b) }
	}
	return o
}

// part returns the time for a part of the work that usually has so much.
func (o *Options) part(usual time.Duration) time.Duration {
	return time.Duration(float64(usual) * max(1, o.Slowness))
}

// declares reports whether a file has a name right after a declaring word, which is good
// enough to tell a declaration from a use in any language.
func declares(root, path, name string) bool {
	data, err := treefile.ReadWithin(root, path, maxRules*4)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		words := strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		at := slices.Index(words, name)
		for i := range max(0, at) {
			switch words[i] {
			case "func", "type", "class", "def", "interface", "struct", "function", "enum", "trait", "fn", "const", "var", "let", "impl":
				return true
			}
		}
	}
	return false
}

// maxRules bounds the size of a rule file in bytes.
const maxRules = 256 << 10

// ruleFiles reads the rules at a workspace root that agents load by themselves, one line
// each.
func ruleFiles(root string) []string {
	var out []string
	for _, name := range RuleNames() {
		data, err := treefile.ReadWithin(root, name, maxRules)
		if err != nil {
			continue
		}
		out = append(out, RuleLines(string(data))...)
	}
	return out
}

// RuleNames are the files below a root in which agents find rules.
func RuleNames() []string {
	return []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md", "CONTRIBUTING.md"}
}

// RuleLines splits a rule file into texts to compare candidates with: its lines, and each
// three consecutive lines, because a list spreads a rule over several.
func RuleLines(text string) []string {
	var lines, out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) > 8 {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		out = append(out, line)
		if i+2 < len(lines) {
			out = append(out, line+" "+lines[i+1]+" "+lines[i+2])
		}
	}
	return out
}
