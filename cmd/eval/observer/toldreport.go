package observer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/words"
)

// loadedFiles are what Claude Code puts into the context by itself.
var loadedFiles = []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}

// readLoaded reads the files that the agent loads: AGENTS.md only without one of its own.
func (p *player) readLoaded() {
	p.lines = map[string]bool{}
	read := func(name string) bool {
		data, err := os.ReadFile(filepath.Join(p.tree, name))
		for line := range strings.SplitSeq(string(data), "\n") {
			if w := contentWords(line); len(w) >= 4 {
				p.lines[strings.Join(w, " ")] = true
			}
		}
		return err == nil
	}
	found := false
	for _, name := range loadedFiles {
		found = read(name) || found
	}
	if !found {
		read("AGENTS.md")
	}
}

// contentWords are the different words of a text, sorted.
func contentWords(s string) []string {
	w := words.Terms(s)
	slices.Sort(w)
	return slices.Compact(w)
}

// alike reports whether two texts have nearly the same words.
func alike(a, b []string) bool {
	shared := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			shared++
		}
	}
	return shared*5 >= 4*(len(a)+len(b)-shared)
}

// group is how the report counts an event.
func (t told) group() string {
	switch t.Event {
	case "SessionStart":
		return "start"
	case "UserPromptSubmit":
		return "prompt"
	case "PreToolUse":
		switch t.Tool {
		case "Read":
			return "read"
		case "Grep", "Glob":
			return "search"
		}
		return "change"
	}
	return "after calls"
}

func (p *player) report(part string) {
	bySession := map[string]map[string]int{}
	events, answered, quoted := map[string]int{}, map[string]int{}, map[string]int{}
	for id := range p.counted {
		bySession[id] = map[string]int{}
	}
	var slow []time.Duration
	for _, t := range p.answers {
		g := t.group()
		events[g]++
		slow = append(slow, t.Took)
		if t.Text == "" {
			continue
		}
		answered[g]++
		quoted[g] += len(t.Memories)
		bySession[t.Session][g] += tokens(t.Text)
		bySession[t.Session]["all"] += tokens(t.Text)
	}
	table := evalkit.NewTable("event", "events", "answered", "memories quoted", "tokens a session: median", "p90", "mean")
	for _, g := range []string{"start", "prompt", "read", "search", "change", "after calls", "all"} {
		var sums []int
		var mean []float64
		for _, s := range bySession {
			sums = append(sums, s[g])
			mean = append(mean, float64(s[g]))
		}
		table.Add(g, events[g], answered[g], quoted[g], evalkit.Percentile(sums, .5), evalkit.Percentile(sums, .9), fmt.Sprintf("%.0f", evalkit.Mean(mean)))
	}
	again, loaded, lines := p.repeated()
	fmt.Println(evalkit.Section{Title: "What hooks told, " + part + " sessions", Notes: []string{
		fmt.Sprintf("%d sessions, %d memories known at the end. Of %d lines told, %d repeat another of the session, %d stand in a file that the agent loads.", len(p.counted), len(p.known), lines, again, loaded),
		fmt.Sprintf("In process: median %s, p99 %s an event.", evalkit.Millis(evalkit.Percentile(slow, .5)), evalkit.Millis(evalkit.Percentile(slow, .99))),
	}, Table: table})
}

// repeated counts the quoted lines that were told before in the session, in nearly the same words, and those that stand in a
// loaded file.
func (p *player) repeated() (again, loaded, lines int) {
	before := map[string][][]string{}
	for _, t := range p.answers {
		for line := range strings.SplitSeq(t.Text, "\n") {
			start, end := strings.Index(line, "“"), strings.Index(line, "”")
			if !strings.HasPrefix(line, "- ") || start < 0 || end < start {
				continue
			}
			w := contentWords(line[start:end])
			lines++
			same := func(x []string) bool { return alike(w, x) }
			if slices.ContainsFunc(before[t.Session+t.Agent], same) {
				again++
			}
			before[t.Session+t.Agent] = append(before[t.Session+t.Agent], w)
			for l := range p.lines {
				if alike(w, strings.Fields(l)) {
					loaded++
					break
				}
			}
		}
	}
	return again, loaded, lines
}

// print writes each told memory with its moment, for judging.
func (p *player) print(name string) error {
	if name == "" {
		return nil
	}
	type row struct {
		N int `json:"n"`
		told
	}
	var rows []row
	for _, t := range p.answers {
		if t.Text != "" {
			rows = append(rows, row{0, t})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.group(), b.group()) })
	for i := range rows {
		rows[i].N = i
	}
	return evalkit.WriteLines(name, rows)
}
