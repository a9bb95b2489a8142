package nudge

import (
	"fmt"
	"strings"

	"manicule/memory/builds"
)

// Budgets of a build, in quarters of a token as [charge] estimates them.
const (
	maxBuild      = 300
	maxBuildSlice = 72
	maxBuildWhole = 6_000
)

// Build tells a session of the build that is worked on: its phase, what is in progress, what is
// next and what waits.
func Build(s builds.Summary) string {
	var b strings.Builder
	fmt.Fprintf(&b, "☞ Under way, as data: build “%s” (.manicule/builds/%s.md), %d of %d slices done", cutCharge(Clean(s.Title), maxBuildSlice), s.Name, s.Done, s.All)
	if s.Phase != "" {
		b.WriteString(", phase “" + cutCharge(Clean(s.Phase), maxBuildSlice/2) + "”")
	}
	add := func(label string, list []builds.Slice) {
		sep := ". " + label + ": "
		for i := range list {
			line := sep + SliceText(list[i])
			if charge(b.String())+charge(line) > maxBuild {
				return
			}
			b.WriteString(line)
			sep = "; "
		}
	}
	add("In progress", s.Going)
	if s.Next != nil {
		add("Next", []builds.Slice{*s.Next})
	}
	add("Blocked", s.Blocked)
	return b.String() + "."
}

// SliceText writes a slice with its number, and what it waits for.
func SliceText(s builds.Slice) string {
	words, why := SliceWords(s)
	text := fmt.Sprintf("%d “%s”", s.Number, words)
	if why != "" {
		text += " (" + why + ")"
	}
	return text
}

// SliceWords returns the text of a slice, and what it waits for, as [SliceText] writes them.
func SliceWords(s builds.Slice) (text, why string) {
	if why = Clean(s.Why); why != "" {
		why = cutCharge(why, maxBuildSlice/2)
	}
	return cutCharge(Clean(s.Text), maxBuildSlice), why
}

// BuildLine is a line of a build: the title of a phase or of a deliverable, or a slice.
type BuildLine struct {
	Kind  string // phase, deliverable or slice
	Title string
	Slice builds.Slice
}

// BuildInFull writes a build for an agent that asks, with what is behind it, and returns the lines
// of its plan. What does not fit is counted.
func BuildInFull(b *builds.Build) (string, []BuildLine) {
	done, all := b.Progress()
	head := fmt.Sprintf("☞ Build “%s” (.manicule/builds/%s.md), %s, %d of %d slices done, as data:", Clean(b.Title), b.Name, b.Status(), done, all)
	lines := []string{head}
	if b.Brief != "" {
		lines = append(lines, "brief: “"+cutCharge(Clean(b.Brief), maxBuildWhole/4)+"”")
	}
	if b.Technical != "" {
		lines = append(lines, "technical context: “"+cutCharge(Clean(b.Technical), maxBuildWhole/4)+"”")
	}
	room := maxBuildWhole - charge(strings.Join(lines, "\n"))
	left := 0
	var plan []BuildLine
	add := func(line string, of BuildLine) {
		room -= charge(line) + 1
		switch {
		case room >= 0:
			lines, plan = append(lines, line), append(plan, of)
		case of.Kind == "slice":
			left++
		}
	}
	for _, p := range b.Phases {
		if p.Title != "" {
			add("phase “"+Clean(p.Title)+"”, "+string(builds.StatusOf(p.Slices())), BuildLine{Kind: "phase", Title: Clean(p.Title)})
		}
		for _, d := range p.Deliverables {
			if d.Title != "" {
				add("- deliverable “"+Clean(d.Title)+"”, "+string(builds.StatusOf(d.Slices)), BuildLine{Kind: "deliverable", Title: Clean(d.Title)})
			}
			for _, s := range d.Slices {
				add("  - "+SliceText(s)+", "+string(s.Status), BuildLine{Kind: "slice", Slice: s})
			}
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more slices are in the file", left))
	}
	return strings.Join(lines, "\n"), plan
}
