package retrieval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
)

// The texts of the table, of about 9, 60 and 230 tokens.
const (
	short  = "where do we handle expired auth tokens"
	medium = "// Load reads the settings at path, applies what the environment overrides, checks every field and returns the whole. " +
		"Callers must not change the result: it is kept for the life of the process and shared between request handlers. " +
		"It returns ErrNotFound when there is no file."
)

// figures is the cost of one configuration. Times are in milliseconds, sizes in
// megabytes.
type figures struct {
	Load   float64   `json:"load"` // from the start of the process to the first vector
	Single []float64 `json:"single"`
	Batch  float64   `json:"batch"` // texts a second, 64 medium ones
	RSS    float64   `json:"rss"`
	Peak   float64   `json:"peak"`
}

// speed measures each configuration in a process of its own.
func speed(ctx context.Context, o options) (string, []string, error) {
	list, err := configurations(o)
	if err != nil {
		return "", nil, err
	}
	t := costs("backend")
	for _, c := range list {
		threads := []int{1, o.threads}
		if c.backend == local.Go || o.threads == 1 {
			threads = []int{o.threads} // it uses all memory that Go allows
		}
		for _, n := range threads {
			before := evalkit.Load()
			f, err := measure(ctx, o, c, n)
			if err != nil {
				return "", nil, err
			}
			f.row(t, c, string(c.backend), n, before)
		}
	}
	return t.String(), nil, nil
}

// costs starts the table of configurations. by is the runtime.
func costs(by string) *evalkit.Table {
	return evalkit.NewTable("model", by, "threads", "start → first vector ms", "short ms", "medium ms", "long ms", "texts/s", "resident MB", "peak MB", "load")
}

// row adds the figures of a configuration. before is the load before the measurement.
func (f figures) row(t *evalkit.Table, c configuration, by string, threads int, before string) {
	row := []any{c.model, by, threads, fmt.Sprintf("%.0f", f.Load)}
	for _, x := range append(slices.Clone(f.Single), f.Batch) {
		row = append(row, fmt.Sprintf("%.1f", x))
	}
	t.Add(append(row, fmt.Sprintf("%.0f", f.RSS), fmt.Sprintf("%.0f", f.Peak), before+"–"+evalkit.Load())...)
}

func measure(ctx context.Context, o options, c configuration, threads int) (f figures, err error) {
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	cmd := o.timed(ctx, self, "retrieval", "--child", c.String(), "--models", o.models, "--threads", fmt.Sprint(threads))
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", startVariable, time.Now().UnixNano()))
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("measure %s: %w", c, err)
	}
	if err := json.Unmarshal(out, &f); err != nil {
		return f, fmt.Errorf("measure %s: %w", c, err)
	}
	return f, nil
}

// startVariable passes a child its start time in nanoseconds.
const startVariable = "EVAL_RETRIEVAL_START"

// child measures one configuration and prints the figures.
func child(ctx context.Context, o options) (err error) {
	model, backend, _ := strings.Cut(o.child, "/")
	var started int64
	if _, err := fmt.Sscan(os.Getenv(startVariable), &started); err != nil {
		return fmt.Errorf("read %s: %w", startVariable, err)
	}
	e, err := o.open(ctx, configuration{model, local.Backend(backend)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var f figures
	if _, err := e.Embed(ctx, []string{short}); err != nil {
		return err
	}
	f.Load = float64(time.Now().UnixNano()-started) / 1e6
	for _, text := range []string{short, medium, strings.Repeat(medium+" ", 4)} {
		ms, err := median(ctx, e, text)
		if err != nil {
			return err
		}
		f.Single = append(f.Single, ms)
	}
	if f.Batch, err = throughput(ctx, e); err != nil {
		return err
	}
	f.RSS, f.Peak = ownMemory()
	return json.NewEncoder(os.Stdout).Encode(f)
}

// Limits of one measurement.
const (
	leastRuns = 5
	mostRuns  = 60
	longest   = 4 * time.Second
)

func median(ctx context.Context, e embed.Embedder, text string) (float64, error) {
	var ms []float64
	for begin := time.Now(); len(ms) < leastRuns || (len(ms) < mostRuns && time.Since(begin) < longest); {
		t := time.Now()
		if _, err := e.Embed(ctx, []string{text}); err != nil {
			return 0, err
		}
		ms = append(ms, float64(time.Since(t).Microseconds())/1000)
	}
	return evalkit.Percentile(ms, .5), nil
}

func throughput(ctx context.Context, e embed.Embedder) (float64, error) {
	texts := make([]string, 64)
	for i := range texts {
		texts[i] = fmt.Sprintf("%d %s", i, medium)
	}
	t := time.Now()
	if _, err := e.Embed(ctx, texts); err != nil {
		return 0, err
	}
	return float64(len(texts)) / time.Since(t).Seconds(), nil
}

// ownMemory returns the current and peak memory of this process in megabytes of 10⁶
// bytes, or 0 without /proc.
func ownMemory() (resident, peak float64) {
	const status, mega = "/proc/self/status", float64(1<<20) / 1e6
	return evalkit.Megabytes(status, "VmRSS") * mega, evalkit.Megabytes(status, "VmHWM") * mega
}
