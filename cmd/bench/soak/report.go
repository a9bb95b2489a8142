package soak

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"manicule/cmd/internal/evalkit"
)

// Limits are the ceilings for servers at rest.
type Limits struct {
	Percent  float64 // of one core
	RSS      float64 // megabytes
	Grown    int     // more goroutines, or descriptors, than before the work
	Database float64 // growth of one kind of file in megabytes

	// Hover is how long 99 of 100 hovers may take while the server indexes, beyond
	// twice what they take in the same run when it does not: other work on the machine
	// delays those too.
	Hover time.Duration
}

// Aims are the limits that the project has set itself.
func Aims() Limits {
	return Limits{Percent: .2, RSS: 150, Grown: 8, Database: 64, Hover: 5 * time.Millisecond}
}

// faults lists the exceeded limits.
func (r Report) faults(l Limits) []string {
	var out []string
	for _, role := range r.Roles {
		for _, p := range []struct {
			when string
			Phase
		}{{"when it had opened the tree", role.Before}, {"after the work", role.After}} {
			if p.Percent > l.Percent {
				out = append(out, fmt.Sprintf("%s takes %.2f %% of a core %s while nobody asks, which may be %.2f", role.Name, p.Percent, p.when, l.Percent))
			}
			if p.RSS > l.RSS {
				out = append(out, fmt.Sprintf("%s has %.0f MB resident %s, which may be %.0f", role.Name, p.RSS, p.when, l.RSS))
			}
		}
		if n := role.After.Goroutines - role.Before.Goroutines; n > l.Grown {
			out = append(out, fmt.Sprintf("%s has %d goroutines more than before the work, which may be %d", role.Name, n, l.Grown))
		}
		if n := role.After.Files - role.Before.Files; n > l.Grown {
			out = append(out, fmt.Sprintf("%s has %d descriptors more than before the work, which may be %d", role.Name, n, l.Grown))
		}
	}
	var quiet time.Duration
	for _, h := range r.Hovers {
		if h.When != whileIndexing {
			quiet = max(quiet, h.P99)
		}
	}
	for _, h := range r.Hovers {
		if most := 2*quiet + l.Hover; h.P99 > most {
			out = append(out, fmt.Sprintf("99 of 100 hovers %s take up to %s ms, which may be %s", h.When, evalkit.Millis(h.P99), evalkit.Millis(most)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.After)) {
		if n := r.After[name] - r.Before[name]; n > l.Database {
			out = append(out, fmt.Sprintf("the files %s have grown by %.0f MB, which may be %.0f", name, n, l.Database))
		}
	}
	return out
}

// Markdown formats the report as tables.
func (r Report) Markdown() string {
	costs := evalkit.NewTable("process", "when", "% of a core", "wake-ups a second", "resident MB", "its own MB", "Go's heap alive MB", "goroutines", "descriptors")
	add := func(name, when, percent, woken string, s Sample) {
		costs.Add(name, when, percent, woken, fmt.Sprintf("%.0f", s.RSS), fmt.Sprintf("%.0f", s.Own), fmt.Sprintf("%.0f", s.Live), s.Goroutines, s.Files)
	}
	for _, role := range r.Roles {
		for _, p := range []struct {
			when string
			Phase
		}{{"opened, rested", role.Before}, {"worked, rested", role.After}} {
			add(role.Name, p.when, fmt.Sprintf("%.2f", p.Percent), fmt.Sprintf("%.1f", p.Woken), p.Sample)
		}
		most := Sample{}
		for _, s := range role.Samples {
			if s.RSS > most.RSS {
				most = s
			}
		}
		if most.RSS > 0 {
			add(role.Name, "at work, the most", "–", "–", most)
		}
	}
	sizes := evalkit.NewTable("files", "before MB", "after MB")
	for _, name := range slices.Sorted(maps.Keys(r.After)) {
		sizes.Add(name, fmt.Sprintf("%.1f", r.Before[name]), fmt.Sprintf("%.1f", r.After[name]))
	}
	hovers := evalkit.NewTable("hovers", "number", "median ms", "p99 ms", "most ms", "s", "processor s")
	for _, h := range r.Hovers {
		hovers.Add(h.When, h.Count, evalkit.Millis(h.Median), evalkit.Millis(h.P99), evalkit.Millis(h.Most), fmt.Sprintf("%.1f", h.Took.Seconds()), fmt.Sprintf("%.1f", h.CPU.Seconds()))
	}
	return fmt.Sprintf("%s, %d files of source, %d memories, %d edits in %v.\n\n%s\n%s\n%s", r.Tree, r.Files, r.Memories, r.Edits, r.Took.Round(time.Second), hovers, costs, sizes)
}
