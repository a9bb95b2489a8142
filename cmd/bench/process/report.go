package process

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

// floorSource is a static program that decodes an event and exits.
//
//go:embed testdata/floor/main.go
var floorSource string

// bench holds the setup of a run, and takes its results.
type bench struct {
	report
	box    *sandbox.Sandbox
	floor  string // the static program
	models string // a folder of models, "" for none
	tree   string // a large source tree, "" for none
}

// report holds the results of a run.
type report struct {
	machine machine
	n       int // runs of each

	rows        []row
	cpu         []cpuRow
	memory      []footprint
	silent      int // hooks that exceeded their budget
	megabytes   float64
	initMillis  float64
	floorMillis float64 // the shortest run of the static program beside it
	costs       []cost
	ratio       float64 // the worst ratio of the hook's median to that of the static program
}

// row is one line of the table of times.
type row struct {
	size             int
	what             string
	times            sample
	floor            sample // of the static program in the same run, if any
	target           string // in milliseconds
	loadFrom, loadTo string
}

// multiple is the median as a multiple of the static program's.
func (r row) multiple() string {
	if len(r.floor) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", r.times.times(r.floor))
}

// footprint is one line of the table of memory, in megabytes.
type footprint struct {
	size          int
	what          string
	resident, own float64
	target        string // in megabytes
}

func (r *report) add(w *workspace, what string, times sample, target, from string) {
	r.addTimes(w, what, times, nil, target, from)
}

// addTimes is add with the times of the static program in the same run.
func (r *report) addTimes(w *workspace, what string, times, floor sample, target, from string) {
	r.rows = append(r.rows, row{w.size, what, times, floor, target, from, evalkit.Load()})
	evalkit.Progress("  %-45s median %s ms, p99 %s ms", what, evalkit.Millis(times.median()), evalkit.Millis(times.p99()))
}

func byHits(files []*source) []*source {
	return slices.SortedStableFunc(slices.Values(files), func(a, b *source) int { return cmp.Compare(b.hits, a.hits) })
}

// markdown formats the measured block of the documentation.
func (r *report) markdown(day string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Taken on %s with %s on %d cores of %s (%s). %d runs of each unless said.\nThe load is the average of the last minute before and after a figure was taken, for the larger size: the machine did other work too where it is well above 1.\n\n",
		day, runtime.Version(), r.machine.cores, r.machine.cpu, r.machine.system, r.n)
	fmt.Fprintf(&s, "%s\nThe hook's median is at most %.1f times that of the static program.\n", r.timesTable(), r.ratio)
	if r.silent > 0 {
		fmt.Fprintf(&s, "%d hooks ran out of their time and said nothing.\n", r.silent)
	}
	if len(r.cpu) > 0 {
		fmt.Fprintf(&s, "\nUser and system time of commands, in turns with the static program:\n\n%s", r.cpuTable())
	}
	if len(r.memory) > 0 {
		memory := evalkit.NewTable("memories", "measured", "resident MB", "of it its own MB", "target MB")
		for _, m := range r.memory {
			memory.Add(m.size, m.what, fmt.Sprintf("%.1f", m.resident), fmt.Sprintf("%.1f", m.own), cmp.Or(m.target, "–"))
		}
		fmt.Fprintf(&s, "\n%s", memory)
	}
	costs := evalkit.NewTable("package", "ms")
	for _, c := range r.costs[:min(10, len(r.costs))] {
		costs.Add(c.pkg, fmt.Sprintf("%.2f", c.millis))
	}
	fmt.Fprintf(&s, "\nThe stripped binary has %.1f MB. Package initialisation takes %.1f ms, %.1f times the static program (%.1f ms), most of it:\n\n%s",
		r.megabytes, r.initMillis, r.initMillis/max(r.floorMillis, .001), r.floorMillis, costs)
	return s.String()
}

// timesTable has a line for each figure, with the sizes beside each other. The same name may
// stand several times within a size, each time for what is listed above it.
func (r *report) timesTable() *evalkit.Table {
	type key struct {
		what string
		nth  int
	}
	var sizes []int
	var order []key
	rows, seen := map[key]map[int]row{}, map[int]map[string]int{}
	for _, x := range r.rows {
		if seen[x.size] == nil {
			seen[x.size], sizes = map[string]int{}, append(sizes, x.size)
		}
		k := key{x.what, seen[x.size][x.what]}
		seen[x.size][x.what]++
		if rows[k] == nil {
			rows[k], order = map[int]row{}, append(order, k)
		}
		rows[k][x.size] = x
	}
	head := []string{"measured"}
	for _, size := range sizes {
		head = append(head, fmt.Sprintf("%d memories: median, p99 ms", size), "times static")
	}
	t := evalkit.NewTable(append(head, "target ms", "load")...)
	for _, k := range order {
		cells, target, load := []any{k.what}, "–", "–"
		if x := rows[k][sizes[len(sizes)-1]]; len(x.times) != r.n && len(x.times) > 0 {
			cells[0] = fmt.Sprintf("%s (%d runs)", k.what, len(x.times))
		}
		for _, size := range sizes {
			x, ok := rows[k][size]
			if !ok {
				cells = append(cells, "", "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%s, %s", evalkit.Millis(x.times.median()), evalkit.Millis(x.times.p99())), x.multiple())
			target, load = cmp.Or(x.target, "–"), x.loadFrom+"–"+x.loadTo
		}
		t.Add(append(cells, target, load)...)
	}
	return t
}

// budget holds the ceilings that do not depend on the load of the machine.
type budget struct {
	InitRatio float64 `json:"init_times_static"`
	Megabytes float64 `json:"stripped_mb"`
	HookRatio float64 `json:"hook_times_static"`
}

//go:embed budget.json
var ceilings []byte

// withinBudget reports every ceiling that was exceeded.
func (r *report) withinBudget() error {
	var c budget
	if err := json.Unmarshal(ceilings, &c); err != nil {
		return fmt.Errorf("read the budget: %w", err)
	}
	var errs []error
	for _, x := range []struct {
		what          string
		have, ceiling float64
	}{
		{"package initialisation, times the static program", r.initMillis / max(r.floorMillis, .001), c.InitRatio},
		{"size of the stripped binary in MB", r.megabytes, c.Megabytes},
		{"median of the hook, times that of the static program", r.ratio, c.HookRatio},
	} {
		if x.have > x.ceiling {
			errs = append(errs, fmt.Errorf("%s: %.1f, the ceiling is %.1f", x.what, x.have, x.ceiling))
		}
	}
	return errors.Join(errs...)
}
