package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"manicule/cmd/try/sandbox"
)

// floorSource is the static program that decodes an event and exits.
//
//go:embed testdata/floor/main.go
var floorSource string

// The generated part of the documentation lies between these lines.
const (
	blockBegin = "<!-- measured: begin (go run ./cmd/bench -write) -->"
	blockEnd   = "<!-- measured: end -->"
)

// bench is what is measured, and with what.
type bench struct {
	box     *sandbox.Sandbox
	floor   string // the static program
	n       int
	models  string // a folder of models, "" for none
	tree    string // a large source tree, "" for none
	machine machine

	rows       []row
	memory     []footprint
	silent     int // hooks that ran out of their time
	megabytes  float64
	initMillis float64
	costs      []cost
	ratio      float64 // of the hook's median to the static program's, the worst
}

// row is one line of the table of times.
type row struct {
	size             int
	what             string
	times            sample
	target           string // in milliseconds
	loadFrom, loadTo string
}

// footprint is one line of the table of memory, in megabytes.
type footprint struct {
	size          int
	what          string
	resident, own float64
	target        string // in megabytes
}

func (b *bench) add(w *workspace, what string, times sample, target, from string) {
	b.rows = append(b.rows, row{w.size, what, times, target, from, load()})
	progress("  %-45s median %s ms, p99 %s ms", what, millis(times.median()), millis(times.p99()))
}

func byHits(files []*source) []*source {
	return slices.SortedStableFunc(slices.Values(files), func(a, b *source) int { return cmp.Compare(b.hits, a.hits) })
}

// markdown is the measured block of the documentation.
func (b *bench) markdown(now time.Time) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Taken on %s with %s on %d cores of %s (%s). The load is the average of the\nlast minute before and after a figure was taken: the machine did other work too where it is well above 1.\n\n",
		now.UTC().Format("2006-01-02"), runtime.Version(), b.machine.cores, b.machine.cpu, b.machine.system)
	s.WriteString("| memories | measured | runs | median ms | p99 ms | target ms | load |\n|---:|---|---:|---:|---:|---|---|\n")
	for _, r := range b.rows {
		fmt.Fprintf(&s, "| %d | %s | %d | %s | %s | %s | %s–%s |\n", r.size, r.what, len(r.times),
			millis(r.times.median()), millis(r.times.p99()), cmp.Or(r.target, "–"), r.loadFrom, r.loadTo)
	}
	fmt.Fprintf(&s, "\nThe hook's median is at most %.1f times that of the static program.\n", b.ratio)
	if b.silent > 0 {
		fmt.Fprintf(&s, "%d hooks ran out of their time and said nothing.\n", b.silent)
	}
	if len(b.memory) > 0 {
		s.WriteString("\n| memories | measured | resident MB | of it its own MB | target MB |\n|---:|---|---:|---:|---:|\n")
		for _, m := range b.memory {
			fmt.Fprintf(&s, "| %d | %s | %.1f | %.1f | %s |\n", m.size, m.what, m.resident, m.own, cmp.Or(m.target, "–"))
		}
	}
	fmt.Fprintf(&s, "\nThe stripped binary has %.1f MB. Package initialisation takes %.1f ms, most of it:\n\n| package | ms |\n|---|---:|\n", b.megabytes, b.initMillis)
	for _, c := range b.costs[:min(10, len(b.costs))] {
		fmt.Fprintf(&s, "| %s | %.2f |\n", c.pkg, c.millis)
	}
	return s.String()
}

// writeBlock replaces the generated part of a document.
func writeBlock(path, text string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	head, rest, found := bytes.Cut(doc, []byte(blockBegin))
	_, tail, ended := bytes.Cut(rest, []byte(blockEnd))
	if !found || !ended {
		return fmt.Errorf("write the figures: %s has no lines %q and %q", path, blockBegin, blockEnd)
	}
	out := slices.Concat(head, []byte(blockBegin+"\n"+text+blockEnd), tail)
	if err := os.WriteFile(path, out, 0o644); err != nil {
		return fmt.Errorf("write the figures: %w", err)
	}
	return nil
}

// budget holds the ceilings that do not depend on how busy a machine is.
type budget struct {
	InitMillis float64 `json:"init_ms"`
	Megabytes  float64 `json:"stripped_mb"`
	HookRatio  float64 `json:"hook_times_static"`
}

// withinBudget reports every ceiling that was passed.
func (b *bench) withinBudget(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the budget: %w", err)
	}
	var c budget
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("read the budget: %w", err)
	}
	var errs []error
	for _, x := range []struct {
		what          string
		have, ceiling float64
	}{
		{"package initialisation in ms", b.initMillis, c.InitMillis},
		{"size of the stripped binary in MB", b.megabytes, c.Megabytes},
		{"median of the hook, times that of the static program", b.ratio, c.HookRatio},
	} {
		if x.have > x.ceiling {
			errs = append(errs, fmt.Errorf("%s: %.1f, the ceiling is %.1f", x.what, x.have, x.ceiling))
		}
	}
	return errors.Join(errs...)
}
