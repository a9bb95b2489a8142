package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

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

// figures is what one configuration costs. Times are in milliseconds, sizes in
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
	var b strings.Builder
	fmt.Fprintf(&b, "| model | backend | threads | start → first vector ms | short ms | medium ms | long ms | texts/s | resident MB | peak MB | load |\n%s\n",
		"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, c := range list {
		threads := []int{1, o.threads}
		if c.backend == local.Go || o.threads == 1 {
			threads = []int{o.threads} // it takes what Go gives it
		}
		for _, n := range threads {
			before := loadAverage()
			f, err := measure(ctx, o, c, n)
			if err != nil {
				return "", nil, err
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %s–%s |\n", c.model, c.backend, n,
				f.Load, f.Single[0], f.Single[1], f.Single[2], f.Batch, f.RSS, f.Peak, before, loadAverage())
		}
	}
	return b.String(), nil, nil
}

func measure(ctx context.Context, o options, c configuration, threads int) (f figures, err error) {
	self, err := os.Executable()
	if err != nil {
		return f, err
	}
	cmd := o.timed(ctx, self, "-child", c.String(), "-models", o.models, "-threads", fmt.Sprint(threads))
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

// startVariable tells a child when it was started, in nanoseconds.
const startVariable = "EVALRETRIEVAL_START"

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
	f.RSS, f.Peak = resident("VmRSS:"), resident("VmHWM:")
	return json.NewEncoder(os.Stdout).Encode(f)
}

// The bounds of one measurement.
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
	slices.Sort(ms)
	return ms[len(ms)/2], nil
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

// resident reads a size of this process in megabytes, 0 where there is no /proc.
func resident(field string) float64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }() // only read
	for s := bufio.NewScanner(f); s.Scan(); {
		var kb float64
		if rest, ok := strings.CutPrefix(s.Text(), field); ok {
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb * 1024 / 1e6
			}
		}
	}
	return 0
}

// loadAverage is the machine's over the last minute, "?" where it is not known.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}
