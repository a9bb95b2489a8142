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

// bench holds the setup and the results of a run.
type bench struct {
	box     *sandbox.Sandbox
	floor   string // the static program
	n       int
	models  string // a folder of models, "" for none
	tree    string // a large source tree, "" for none
	machine machine

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

func (b *bench) add(w *workspace, what string, times sample, target, from string) {
	b.addTimes(w, what, times, nil, target, from)
}

// addTimes is add with the times of the static program in the same run.
func (b *bench) addTimes(w *workspace, what string, times, floor sample, target, from string) {
	b.rows = append(b.rows, row{w.size, what, times, floor, target, from, evalkit.Load()})
	evalkit.Progress("  %-45s median %s ms, p99 %s ms", what, evalkit.Millis(times.median()), evalkit.Millis(times.p99()))
}

func byHits(files []*source) []*source {
	return slices.SortedStableFunc(slices.Values(files), func(a, b *source) int { return cmp.Compare(b.hits, a.hits) })
}

// markdown formats the measured block of the documentation.
func (b *bench) markdown(day string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Taken on %s with %s on %d cores of %s (%s). %d runs of each unless said.\nThe load is the average of the last minute before and after a figure was taken, for the larger size: the machine did other work too where it is well above 1.\n\n",
		day, runtime.Version(), b.machine.cores, b.machine.cpu, b.machine.system, b.n)
	fmt.Fprintf(&s, "%s\nThe hook's median is at most %.1f times that of the static program.\n", b.timesTable(), b.ratio)
	if b.silent > 0 {
		fmt.Fprintf(&s, "%d hooks ran out of their time and said nothing.\n", b.silent)
	}
	if len(b.cpu) > 0 {
		fmt.Fprintf(&s, "\nUser and system time of commands, in turns with the static program:\n\n%s", b.cpuTable())
	}
	if len(b.memory) > 0 {
		memory := evalkit.NewTable("memories", "measured", "resident MB", "of it its own MB", "target MB")
		for _, m := range b.memory {
			memory.Add(m.size, m.what, fmt.Sprintf("%.1f", m.resident), fmt.Sprintf("%.1f", m.own), cmp.Or(m.target, "–"))
		}
		fmt.Fprintf(&s, "\n%s", memory)
	}
	costs := evalkit.NewTable("package", "ms")
	for _, c := range b.costs[:min(10, len(b.costs))] {
		costs.Add(c.pkg, fmt.Sprintf("%.2f", c.millis))
	}
	fmt.Fprintf(&s, "\nThe stripped binary has %.1f MB. Package initialisation takes %.1f ms, %.1f times the static program (%.1f ms), most of it:\n\n%s",
		b.megabytes, b.initMillis, b.initMillis/max(b.floorMillis, .001), b.floorMillis, costs)
	return s.String()
}

// timesTable has a line for each figure, with the sizes beside each other. The same name may
// stand several times within a size, each time for what is listed above it.
func (b *bench) timesTable() *evalkit.Table {
	type key struct {
		what string
		nth  int
	}
	var sizes []int
	var order []key
	rows, seen := map[key]map[int]row{}, map[int]map[string]int{}
	for _, r := range b.rows {
		if seen[r.size] == nil {
			seen[r.size], sizes = map[string]int{}, append(sizes, r.size)
		}
		k := key{r.what, seen[r.size][r.what]}
		seen[r.size][r.what]++
		if rows[k] == nil {
			rows[k], order = map[int]row{}, append(order, k)
		}
		rows[k][r.size] = r
	}
	head := []string{"measured"}
	for _, size := range sizes {
		head = append(head, fmt.Sprintf("%d memories: median, p99 ms", size), "times static")
	}
	t := evalkit.NewTable(append(head, "target ms", "load")...)
	for _, k := range order {
		cells, target, load := []any{k.what}, "–", "–"
		if r := rows[k][sizes[len(sizes)-1]]; len(r.times) != b.n && len(r.times) > 0 {
			cells[0] = fmt.Sprintf("%s (%d runs)", k.what, len(r.times))
		}
		for _, size := range sizes {
			r, ok := rows[k][size]
			if !ok {
				cells = append(cells, "", "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%s, %s", evalkit.Millis(r.times.median()), evalkit.Millis(r.times.p99())), r.multiple())
			target, load = cmp.Or(r.target, "–"), r.loadFrom+"–"+r.loadTo
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
func (b *bench) withinBudget() error {
	var c budget
	if err := json.Unmarshal(ceilings, &c); err != nil {
		return fmt.Errorf("read the budget: %w", err)
	}
	var errs []error
	for _, x := range []struct {
		what          string
		have, ceiling float64
	}{
		{"package initialisation, times the static program", b.initMillis / max(b.floorMillis, .001), c.InitRatio},
		{"size of the stripped binary in MB", b.megabytes, c.Megabytes},
		{"median of the hook, times that of the static program", b.ratio, c.HookRatio},
	} {
		if x.have > x.ceiling {
			errs = append(errs, fmt.Errorf("%s: %.1f, the ceiling is %.1f", x.what, x.have, x.ceiling))
		}
	}
	return errors.Join(errs...)
}
