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
	text := fmt.Sprintf("%d “%s”", s.Number, cutCharge(Clean(s.Text), maxBuildSlice))
	if why := Clean(s.Why); why != "" {
		text += " (" + cutCharge(why, maxBuildSlice/2) + ")"
	}
	return text
}

// BuildInFull writes a build for an agent that asks, with what is behind it. What does not fit is
// counted.
func BuildInFull(b *builds.Build) string {
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
	add := func(line string, slice bool) {
		room -= charge(line) + 1
		switch {
		case room >= 0:
			lines = append(lines, line)
		case slice:
			left++
		}
	}
	for _, p := range b.Phases {
		if p.Title != "" {
			add("phase “"+Clean(p.Title)+"”, "+string(builds.StatusOf(p.Slices())), false)
		}
		for _, d := range p.Deliverables {
			if d.Title != "" {
				add("- deliverable “"+Clean(d.Title)+"”, "+string(builds.StatusOf(d.Slices)), false)
			}
			for _, s := range d.Slices {
				add("  - "+SliceText(s)+", "+string(s.Status), true)
			}
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("%d more slices are in the file", left))
	}
	return strings.Join(lines, "\n")
}
