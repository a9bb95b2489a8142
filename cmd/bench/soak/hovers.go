package soak

import (
	"context"
	"fmt"
	"slices"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// Hovers are the times of hovers in one phase of a first index.
type Hovers struct {
	When   string        `json:"when"`
	Count  int           `json:"count"`
	Median time.Duration `json:"median"`
	P99    time.Duration `json:"p99"`
	Most   time.Duration `json:"most"`
	Took   time.Duration `json:"took"` // duration of the phase
	CPU    time.Duration `json:"cpu"`  // of the server in it
}

// whileIndexing names the phase in which the server indexes.
const whileIndexing = "while it indexes"

// Parameters of the hovers.
const (
	hoverEvery  = 5 * time.Millisecond
	hoverAround = time.Second // how long hovers are measured before and after the index
)

// hoverPlace is a line with memories in an open document.
type hoverPlace struct {
	path string
	at   wire.Position
}

// hoverWhileIndexing measures hovers before, while and after the server builds the code
// graph for the first time.
func (s *run) hoverWhileIndexing(ctx context.Context, w *process) error {
	places, err := s.hoverPlaces(ctx)
	if err != nil {
		return err
	}
	indexed := make(chan error, 1)
	phases := []struct {
		when string
		end  func(started time.Time) (bool, error)
	}{
		{"before it indexes", func(started time.Time) (bool, error) { return time.Since(started) >= hoverAround, nil }},
		{whileIndexing, func(time.Time) (bool, error) {
			select {
			case err := <-indexed:
				return true, err
			default:
				return false, nil
			}
		}},
		{"afterwards", func(started time.Time) (bool, error) { return time.Since(started) >= hoverAround, nil }},
	}
	for i, p := range phases {
		if i == 1 {
			go func() { indexed <- s.editor.indexed(ctx) }()
		}
		h, err := s.hovers(ctx, w, places, p.end)
		if err != nil {
			return fmt.Errorf("hover %s: %w", p.when, err)
		}
		h.When = p.when
		s.report.Hovers = append(s.report.Hovers, h)
		s.Say("  %d hovers %s: median %s ms, p99 %s ms, at most %s ms; %v, %v of processor", h.Count, h.When,
			evalkit.Millis(h.Median), evalkit.Millis(h.P99), evalkit.Millis(h.Most), h.Took.Round(time.Millisecond), h.CPU)
	}
	return nil
}

// hoverPlaces opens documents with memories and finds lines that show some.
func (s *run) hoverPlaces(ctx context.Context) ([]hoverPlace, error) {
	var out []hoverPlace
	for _, path := range slices.Compact(slices.Sorted(slices.Values(s.tree.about)))[:openAtOnce] {
		if _, err := s.editor.openDocument(path); err != nil {
			return nil, err
		}
		p := hoverPlace{path: s.editor.abs(path)} // the first line shows the memories of the file
		lenses, err := s.editor.c.Lenses(ctx, p.path)
		if err != nil {
			return nil, err
		}
		if len(lenses) > 0 {
			p.at.Line = lenses[0].Range.Start.Line
		}
		if h, err := s.editor.c.Hover(ctx, p.path, p.at); err != nil || h == nil {
			return nil, fmt.Errorf("hover on %s: it shows nothing: %w", path, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// hovers asks every hoverEvery until a phase ends.
func (s *run) hovers(ctx context.Context, w *process, places []hoverPlace, end func(started time.Time) (bool, error)) (h Hovers, err error) {
	from, err := w.quiet()
	if err != nil {
		return h, err
	}
	tick := time.NewTicker(hoverEvery)
	defer tick.Stop()
	var times []time.Duration
	started := time.Now()
	for i := 0; ; i++ {
		over, err := end(started)
		if err != nil {
			return h, err
		}
		if over && len(times) > 0 {
			break
		}
		p := places[i%len(places)]
		asked := time.Now()
		if _, err := s.editor.c.Hover(ctx, p.path, p.at); err != nil {
			return h, err
		}
		times = append(times, time.Since(asked))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return h, ctx.Err()
		}
	}
	h = Hovers{Count: len(times), Median: evalkit.Percentile(times, .5), P99: evalkit.Percentile(times, .99), Most: slices.Max(times), Took: time.Since(started)}
	to, err := w.quiet()
	h.CPU = to.CPU - from.CPU
	return h, err
}
