package soak

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestFaults names each thing that is past its limit, and nothing else.
func TestFaults(t *testing.T) {
	good := Phase{Sample: Sample{RSS: 120, Goroutines: 33, Files: 20}, Percent: .1}
	for name, c := range map[string]struct {
		change func(*Report)
		want   string
	}{
		"all is well":          {func(*Report) {}, ""},
		"a little more":        {func(r *Report) { r.Roles[0].After.Goroutines += 8; r.Roles[0].After.Files += 8; r.After["graph"] += 60 }, ""},
		"at work while idle":   {func(r *Report) { r.Roles[0].After.Percent = 30 }, "30.00 % of a core after the work"},
		"at work from start":   {func(r *Report) { r.Roles[0].Before.Percent = .21 }, "when it had opened the tree"},
		"too large":            {func(r *Report) { r.Roles[0].After.RSS = 151 }, "151 MB"},
		"leaks goroutines":     {func(r *Report) { r.Roles[0].After.Goroutines += 9 }, "9 goroutines more"},
		"leaks descriptors":    {func(r *Report) { r.Roles[0].After.Files += 9 }, "9 descriptors more"},
		"a slow hover at work": {func(r *Report) { r.Hovers[1].P99 = 20 * time.Millisecond }, "while it indexes take up to 20.0 ms, which may be 9.0"},
		"a busy machine":       {func(r *Report) { r.Hovers[0].P99, r.Hovers[1].P99 = 9*time.Millisecond, 20*time.Millisecond }, ""},
		"a log that grows":     {func(r *Report) { r.After["graph-wal"] = 70 }, "graph-wal have grown by 70 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Report{Hovers: []Hovers{{When: "before it indexes", P99: 2 * time.Millisecond}, {When: whileIndexing, P99: 5 * time.Millisecond}}, Roles: []Role{{Name: "lsp", Before: good, After: good}}, Before: map[string]float64{"graph": 18}, After: map[string]float64{"graph": 19}}
			c.change(&r)
			got := strings.Join(r.faults(Aims()), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) || strings.Count(got, "\n") > 0 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestSample looks at this process.
func TestSample(t *testing.T) {
	w := &process{name: "this", pid: os.Getpid()}
	s, err := w.sample()
	if err != nil {
		t.Skip(err) // no /proc
	}
	if s.RSS < 1 || s.Own <= 0 || s.Own > s.RSS || s.Files < 3 || s.Threads < 1 {
		t.Errorf("%+v", s)
	}
}
