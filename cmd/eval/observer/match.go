package observer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/observe/wording"
)

// similarFrom is the similarity of words above which two texts count as being about the same.
// Such pairs are printed for inspection.
const similarFrom = 0.5

// matches counts the notes of others that the candidates contain too: rules that owners
// added later, and the friction notes of another program.
func (r *replayed) matches(dir string, all []proposed, show bool) error {
	ended := map[string]int64{}
	for _, x := range r.results {
		ended[x.s.id] = x.s.end
	}
	own := names(all)
	lines, before := r.ruleMatches(all, ended, own, show)
	fmt.Printf("rules that owners wrote down later: %d of %d lines resemble a candidate from before\n", before, lines)
	list, err := evalkit.ReadLines[learning](filepath.Join(dir, "learnings.jsonl"))
	if err != nil {
		return err
	}
	notes, found, frictions, known := 0, 0, 0, 0
	for _, l := range list {
		match := func(text string) bool {
			for _, c := range all {
				if c.Repo == l.Repo && ended[c.Session] <= l.Created.Add(14*24*time.Hour).UnixMilli() && related(text, c.C.What, own) {
					if show {
						fmt.Printf("   note: %.110s\n     candidate: %.110s\n", text, c.C.What)
					}
					return true
				}
			}
			return false
		}
		for _, text := range l.Summary.Friction {
			frictions++
			known += asInt(match(text))
		}
		for _, text := range append(l.Summary.Learnings.Repo, l.Summary.Learnings.Workflow...) {
			notes++
			found += asInt(match(text))
		}
	}
	fmt.Printf("another program's notes: %d of %d frictions and %d of %d learnings resemble a candidate of the same time\n", known, frictions, found, notes)
	return nil
}

// ruleMatches counts the lines of rules that owners added later, and those that a candidate of an earlier session resembles.
func (r *replayed) ruleMatches(all []proposed, ended map[string]int64, own map[string][]string, show bool) (lines, before int) {
	for repo, rules := range r.rules {
		first := int64(1) << 62
		for _, x := range r.results {
			if x.s.repo == repo {
				first = min(first, x.s.start)
			}
		}
		for _, rl := range rules {
			if rl.at < first {
				continue // present from the beginning
			}
			for _, line := range rl.text {
				if !contentLines(line) {
					continue
				}
				lines++
				i := slices.IndexFunc(all, func(c proposed) bool {
					return c.Repo == repo && ended[c.Session] < rl.at && related(line, c.C.What, own)
				})
				if i < 0 {
					continue
				}
				before++
				if show {
					fmt.Printf("   rule: %.110s\n     candidate: %.110s\n", line, all[i].C.What)
				}
			}
		}
	}
	return lines, before
}

// contentLines drops headings, fences and code without words.
func contentLines(line string) bool {
	line = strings.TrimSpace(line)
	return len(strings.Fields(line)) >= 4 && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "//")
}

// names returns what is specific to a candidate: quoted code that few others quote, and
// files without their folders.
func names(all []proposed) map[string][]string {
	count := map[string]int{}
	quoted := map[string][]string{}
	for _, c := range all {
		parts := strings.Split(c.C.What, "`")
		for i := 1; i < len(parts); i += 2 {
			name := parts[i]
			if !strings.Contains(name, " ") {
				name = name[strings.LastIndexByte(name, '/')+1:]
			}
			count[name]++
			quoted[c.C.What] = append(quoted[c.C.What], name)
		}
	}
	out := map[string][]string{}
	for what, list := range quoted {
		for _, n := range list {
			if count[n] <= 3 && len(n) > 3 {
				out[what] = append(out[what], n)
			}
		}
	}
	return out
}

// related reports whether a text has everything specific to a candidate, or nearly its
// words.
func related(text, what string, own map[string][]string) bool {
	if wording.Similarity(text, what) >= similarFrom {
		return true
	}
	for _, n := range own[what] {
		if !strings.Contains(text, n) {
			return false
		}
	}
	return len(own[what]) > 0
}
