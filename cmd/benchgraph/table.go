package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"manicule/cmd/try/sandbox"
)

// header writes the head of the table of results.
func header(out io.Writer) error {
	_, err := fmt.Fprint(out, "| tree | lines | files | symbols | edges | cold s | peak MB | graph.db MB | nothing changed ms | one touched ms | saved file p50 / p95 ms | 200 files switched ms | impact depth 3 p50 / p95 ms | load |\n",
		"|---|"+strings.Repeat("---:|", 13)+"\n")
	return err
}

// row writes one line of the table.
func (r *result) row(out io.Writer) error {
	_, err := fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %.1f | %d | %.0f | %s | %s | %s / %s | %s | %s / %s | %s |\n", r.tree, r.lines, r.state.Files, r.state.Symbols, r.state.Edges,
		r.cold.Seconds(), r.peak, float64(r.state.Bytes)/(1<<20), ms(r.still.at(.5)), ms(r.touched.at(.5)), ms(r.saved.at(.5)), ms(r.saved.at(.95)), ms(r.branch.at(.5)), ms(r.impact.at(.5)), ms(r.impact.at(.95)), load())
	return err
}

// load is the load average of the last minute, where the system tells.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "–"
	}
	one, _, _ := strings.Cut(string(data), " ")
	return one
}

// parseSizes reads numbers with commas between.
func parseSizes(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var sizes []int
	for part := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is no number of lines", part)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// grow measures the trees, as one, cut to each of the sizes.
func grow(ctx context.Context, box *sandbox.Sandbox, o options, trees []string, sizes []int, out io.Writer) error {
	if err := header(out); err != nil {
		return err
	}
	var all []*result
	for _, lines := range sizes {
		r, err := measure(ctx, box, o, trees, lines)
		if err != nil {
			return fmt.Errorf("%d lines: %w", lines, err)
		}
		if r.lines < lines*9/10 {
			return fmt.Errorf("the trees have %d lines, fewer than %d: name more of them", r.lines, lines)
		}
		if len(trees) > 1 {
			var names []string
			for _, t := range trees {
				names = append(names, filepath.Base(t))
			}
			r.tree = strings.Join(names, " + ")
		}
		if err := r.row(out); err != nil {
			return err
		}
		all = append(all, r)
	}
	if o.plot == "" {
		return nil
	}
	return drawGrowth(o.plot, all)
}
