package junk

import (
	"encoding/json"
	"slices"
	"strings"
)

func isLog(lines []string) bool {
	f := compiled()
	if f.mailed.MatchString(lines[0]) {
		return true
	}
	if entries := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.Trim(l, "|/\\_ ") == "" }); len(entries) > 0 { // without what only draws the graph
		lines = entries
	}
	switch {
	case share(lines, f.oneCommit.MatchString) == 1,
		has(lines[:min(4, len(lines))], f.logHeads.MatchString, 3):
		return true
	case has(lines, f.logHeads.MatchString, 2):
		return share(lines, f.logHeads.MatchString) >= .3
	case has(lines, f.logLine.MatchString, 3):
		return share(lines, f.logLine.MatchString) >= .6
	}
	if has(lines, f.merges.MatchString, 1) && has(lines, f.starred.MatchString, 3) && share(lines, f.starred.MatchString) == 1 {
		return true
	}
	if f.shortlog.MatchString(lines[0]) && has(lines, func(l string) bool { return strings.HasPrefix(l, "      ") }, 1) {
		return share(lines, func(l string) bool { return f.shortlog.MatchString(l) || strings.HasPrefix(l, "      ") }) >= .9
	}
	return has(lines, f.counts.MatchString, 2) && share(lines, f.counts.MatchString) >= .8
}

func isPathList(lines []string) bool {
	f := compiled()
	if has(lines, f.tree.MatchString, 2) {
		return true
	}
	of := func(l string) bool {
		return isPath(l) || f.treeEntry.MatchString(l) || f.counted.MatchString(l) || f.inTree.MatchString(l)
	}
	if has(lines, of, 2) && share(lines, of) >= .6 && !has(lines, isProse, 1) {
		return true
	}
	// Names without an ending, such as bin/run and LICENSE, count where nothing else is there.
	name := func(l string) bool { return compiled().name.MatchString(l) }
	slashed := func(l string) bool { return strings.Contains(l, "/") || isPath(l) }
	return len(lines) > 2 && share(lines, name) == 1 && share(lines, slashed) >= .6
}

// has reports whether at least n lines match.
func has(lines []string, match func(string) bool, n int) bool {
	if len(lines) < n { // an expression that never runs is never compiled
		return false
	}
	for _, l := range lines {
		if match(l) {
			if n--; n == 0 {
				return true
			}
		}
	}
	return false
}

// share is how many of the lines match, in 0 to 1.
func share(lines []string, match func(string) bool) float64 {
	n := 0
	for _, l := range lines {
		if match(l) {
			n++
		}
	}
	return float64(n) / float64(len(lines))
}

func isDiff(lines []string) bool {
	f := compiled()
	if numbers := share(lines, f.numstat.MatchString); numbers == 1 || numbers >= .6 && len(lines) > 2 {
		return true
	}
	changed := func(l string) bool { return f.codeDiff.MatchString(l) }
	around := func(l string) bool { return strings.ContainsAny(l[:1], "+- \t\\@") }
	both := has(lines, func(l string) bool { return l[0] == '+' && changed(l) }, 1) && has(lines, func(l string) bool { return l[0] == '-' && changed(l) }, 1)
	if share(lines, around) == 1 && (both || has(lines, changed, 3) && share(lines, changed) >= .5) && !has(lines, func(l string) bool { return strings.HasPrefix(l, "- ") && isProse(l) }, 1) {
		return true
	}
	if has(lines, compiled().diffStat.MatchString, 2) && share(lines, compiled().diffStat.MatchString) >= .5 {
		return true
	}
	if !has(lines, compiled().diffHeads.MatchString, 1) {
		return false
	}
	if has(lines, compiled().diffHeads.MatchString, 2) {
		return true
	}
	of := func(l string) bool { return compiled().diffHeads.MatchString(l) || compiled().diffLine.MatchString(l) }
	return has(lines, of, 3) && share(lines, of) >= .3 || has(lines, func(l string) bool { return strings.HasPrefix(l, "@@ -") }, 1) && has(lines, of, 2)
}

func isTrace(lines []string) bool {
	f := compiled()
	if has(lines, f.frames.MatchString, 2) && share(lines, f.frames.MatchString) >= .5 {
		return true
	}
	// A short trace is a frame, what was thrown, and the source between them.
	python := strings.Contains(lines[0], "Traceback (most recent call last)")
	of := func(l string) bool {
		return f.frames.MatchString(l) || f.thrown.MatchString(l) || python && strings.HasPrefix(l, "  ")
	}
	if has(lines, f.frames.MatchString, 1) && has(lines, of, 2) && share(lines, of) >= .75 {
		return true
	}
	at := func(l string) bool { return f.placed.MatchString(l) || of(l) }
	if has(lines, f.placed.MatchString, 1) && has(lines, at, 2) && share(lines, at) >= .5 {
		return true
	}
	if has(lines, f.inTree.MatchString, 1) { // git's grep
		return false
	}
	return len(lines) > 1 && has(lines, f.placed.MatchString, 1) && !has(lines, func(l string) bool { return isProse(l) && !of(l) && !f.printed.MatchString(l) }, 1)
}

// isOutput reports whether a text is what a program printed: a JSON document, or what
// follows a prompt or an exit code.
func isOutput(text string, lines []string) bool {
	if t := strings.TrimSpace(text); len(lines) > 1 && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return true
	}
	f := compiled()
	if len(lines) > 1 && f.ranWith.MatchString(strings.TrimSpace(lines[0])) && share(lines, func(l string) bool { return f.ran.MatchString(strings.TrimSpace(l)) }) < 1 {
		return true
	}
	if len(lines) > 2 && f.usage.MatchString(lines[0]) || has(lines, f.section.MatchString, 2) {
		return true
	}
	if isProse(lines[0]) && !f.printed.MatchString(lines[0]) {
		return false
	}
	of := func(l string) bool { return f.printed.MatchString(l) || strings.HasPrefix(l, strings.Repeat(" ", 16)) }
	return has(lines, f.printed.MatchString, 2) && share(lines, of) >= .6
}

// isPath reports whether a line is a path and nothing else.
func isPath(line string) bool {
	line = strings.TrimSpace(line)
	return strings.ContainsAny(line, "/.") && !strings.HasSuffix(line, ".") && compiled().path.MatchString(line)
}
