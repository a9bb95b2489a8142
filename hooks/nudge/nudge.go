// Package nudge writes the text that reaches a model: one line about the memories of
// a file, quotes, and the brief at the start of a session. The text states facts,
// fences memories' words as data and keeps to a budget. The package is pure. It must
// not know agents, files on disk or databases.
package nudge

import (
	"fmt"
	"slices"
	"strings"

	"manicule/memory"
	"manicule/memory/file"
)

// Budgets, in UTF-16 units.
const (
	maxText  = 1_450 // of a nudge over several files
	maxPlace = 120   // of a path
	maxLead  = 40    // of the one quoted memory of the project
	maxTypes = 4     // counted by name
	// HardLimit is below the limit of the strictest agent.
	HardLimit = 9_500
)

// Place is a file or folder with its memories.
type Place struct {
	Path string // as the recall command takes it
	Root string // the workspace to run that command in, "" for that of the shell's folder
	Hits []memory.Hit
}

// Places writes the nudge: one line of about 20 tokens for each place, which counts its memories, and
// project, if there are any, as a last line for the memories about the whole project, with the first
// words of one of those that sure reports true for. how adds the recall command to the first line, for a
// conversation that was not told it yet. shown are the quoted memories.
func Places(places []Place, project []memory.Hit, sure func(memory.Hit) bool, how bool) (text string, shown []Quoted) {
	var lines []string
	left := 0
	for _, p := range places {
		if len(p.Hits) == 0 {
			continue
		}
		line := p.line()
		if how && len(lines) == 0 {
			line += fmt.Sprintf(" `manicule recall %s%s` shows %s.", inRoot(p.Root), shellWord(Cut(Clean(p.Path), maxPlace)), them(len(p.Hits)))
		}
		if len(lines) > 0 && Units(strings.Join(lines, "\n"))+Units(line) > maxText-300 {
			left += len(p.Hits)
			continue
		}
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("☞ %s more for other files of this call; `manicule recall PATH` shows them.", count(left, "memory")))
	}
	if len(project) > 0 {
		types, quoted := countByType(project, slices.DeleteFunc(slices.Clone(project), func(h memory.Hit) bool { return !sure(h) }))
		line := fmt.Sprintf("☞ %s for the whole project: %s.", count(len(project), "memory"), types)
		if how && len(lines) == 0 {
			line += fmt.Sprintf(" `manicule recall .` shows %s.", them(len(project)))
		}
		lines = append(lines, line)
		if quoted != nil {
			shown = append(shown, Quoted{quoted.Memory.UUID, "", Cut(Clean(quoted.Memory.What), maxLead)})
		}
	}
	return Cap(strings.Join(lines, "\n"), maxText), shown
}

// Quoted is a memory that an answer quotes.
type Quoted struct {
	UUID string
	Path string // path that it is quoted for, as in the answer; "" for the project
	Text string // its text in the answer
}

// fewestWide is from how many memories on those of a kind of files are counted apart. They are as true of the next file, of which
// nothing more is then said.
const fewestWide = 4

// line counts the memories of a place: those about it, and those about all files of its kind.
func (p Place) line() string {
	name := named(Cut(Clean(p.Path), maxPlace))
	var own []memory.Hit
	for _, h := range p.Hits {
		if !ofKind(h.Memory) {
			own = append(own, h)
		}
	}
	wide, end := len(p.Hits)-len(own), ""
	switch {
	case wide < fewestWide:
		own = p.Hits
	case len(own) == 0:
		own, name = p.Hits, "files like "+name
	default:
		end = fmt.Sprintf("; %d for files like it", wide)
	}
	types, _ := countByType(own, nil)
	return fmt.Sprintf("☞ %s for %s: %s%s.", count(len(own), "memory"), name, types, end)
}

// ofKind reports whether a memory is about all files of a kind, wherever they are: its scope names no folder.
func ofKind(m *file.Memory) bool {
	return len(m.Anchors) == 0 && len(m.Scope) > 0 && !slices.ContainsFunc(m.Scope, func(glob string) bool {
		return !strings.HasPrefix(glob, "*") && !strings.HasPrefix(glob, "!")
	})
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// inRoot is the flag of a command about another root than the one of the shell's folder.
func inRoot(root string) string {
	if root == "" {
		return ""
	}
	return "--root " + shellWord(Clean(root)) + " "
}

// shellWord quotes a path for a shell.
func shellWord(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@,:", r) || r > 0x7f
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 && !strings.HasPrefix(path, "-") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Cap cuts a text at a number of UTF-16 units. The texts of memories are cut before, so
// this is only the last guard.
func Cap(text string, limit int) string {
	if Units(text) <= limit {
		return text
	}
	return Cut(text, limit)
}

// countByType counts the memories by type, the most pressing first. It quotes the first of the most
// pressing type of those that may be quoted.
func countByType(hits, quotable []memory.Hit) (text string, quoted *memory.Hit) {
	groups := groupByType(hits)
	var first []*memory.Hit
	if len(quotable) > 0 {
		first = groupByType(quotable)[0]
	}
	var parts []string
	rest := 0
	for i, g := range groups {
		switch label := g[0].Memory.Type.Label(); {
		case len(first) > 0 && first[0].Memory.Type == g[0].Memory.Type && i < maxTypes-1:
			h := lead(first)
			parts = append(parts, count(len(g), label)+firstQuote(h))
			if !h.Unjudged {
				quoted = h
			}
		case i >= maxTypes || i == maxTypes-1 && len(groups) > maxTypes:
			rest += len(g)
		default:
			parts = append(parts, count(len(g), label))
		}
	}
	if rest > 0 {
		parts = append(parts, count(rest, "other"))
	}
	return strings.Join(parts, ", "), quoted
}

// firstQuote quotes the first memory, unless it is unreviewed.
func firstQuote(h *memory.Hit) string {
	if h.Unjudged {
		return ""
	}
	return " “" + Cut(Clean(h.Memory.What), maxLead) + "”" + staleMark(*h)
}

// staleMark marks a memory whose code has changed.
func staleMark(h memory.Hit) string {
	switch {
	case h.Freshness().Doubtful():
		return " (may be stale)"
	case h.Memory.Trust.Unreviewed:
		return " (" + file.NotReviewed + ")"
	}
	return ""
}

// groupByType groups memories by type, the most pressing type first, in stable order.
func groupByType(hits []memory.Hit) [][]*memory.Hit {
	by := map[file.Type][]*memory.Hit{}
	for i := range hits {
		t := hits[i].Memory.Type
		by[t] = append(by[t], &hits[i])
	}
	var out [][]*memory.Hit
	for _, t := range typesByUrgency() {
		if len(by[t]) > 0 {
			out = append(out, by[t])
			delete(by, t)
		}
	}
	for _, h := range hits { // types of a newer version
		if g := by[h.Memory.Type]; len(g) > 0 {
			out = append(out, g)
			delete(by, h.Memory.Type)
		}
	}
	return out
}

// typesByUrgency lists the types by the cost of not knowing them when about to touch code,
// following the weights of the implement phase.
func typesByUrgency() []file.Type {
	return []file.Type{
		file.Gotcha, file.ErrorPattern, file.DeadEnd, file.CausalDependency, file.Requirement, file.Decision,
		file.Pattern, file.Convention, file.Preference, file.WorkflowRecipe, file.PrefetchPattern, file.E2EObservation,
		file.ModuleInsight, file.WorkState, file.WorkUnitOutcome, file.TaskCalibration, file.ContextCost, file.Episode,
	}
}

// lead returns the memory of a group to quote: one about the file itself before one about
// its folder, then the first of the highest importance. Disputed, possibly stale and
// outside memories come last.
func lead(g []*memory.Hit) *memory.Hit {
	rank := func(h *memory.Hit) int {
		if h.Match == memory.MatchAnchor {
			return weight(*h) + 5 // outweighs importance
		}
		return weight(*h)
	}
	return slices.MaxFunc(g, func(a, b *memory.Hit) int { return rank(a) - rank(b) }) // the first of equals
}

func weight(h memory.Hit) int {
	w := 2 * slices.Index(file.Importances(), h.Memory.Importance)
	if h.Memory.Trust.Disputed() {
		w -= 10
	}
	if h.Freshness().Doubtful() {
		w -= 10
	}
	if h.Memory.Trust.Tainted && h.Memory.Trust.VerifiedBy == "" {
		w -= 20
	}
	if h.Memory.Trust.Unreviewed {
		w -= 3 // more than one step of importance
	}
	if h.Unjudged {
		w -= 40
	}
	return w
}

// count formats a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if s, ok := strings.CutSuffix(noun, "y"); ok {
		noun = s + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
