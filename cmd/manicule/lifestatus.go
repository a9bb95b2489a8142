package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/services"
	"manicule/memory/store"
)

// lifeJSON is what status says of the tiers and of the last sweep.
type lifeJSON struct {
	Kept   int          `json:"kept"`
	Active int          `json:"active"`
	Fading int          `json:"fading"`
	Sweep  *store.Sweep `json:"sweep"` // null before the first
	// Health is null without memories, and while all of them are new.
	Health *life.Health `json:"health"`
	// Coverage is null without a history.
	Coverage *coverageJSON `json:"coverage"`
}

func lifeOf(ctx context.Context, w *services.Workspace) (lifeJSON, error) {
	var l lifeJSON
	for _, h := range w.View().All() {
		switch h.Tier() {
		case life.Kept:
			l.Kept++
		case life.Fading:
			l.Fading++
		default:
			l.Active++
		}
	}
	if health, ok := life.HealthOf(members(w.View(), w.View().All())); ok {
		l.Health = &health
	}
	last, ok, err := services.LastSweep(ctx, w.Workspace)
	if err != nil {
		return l, err
	}
	if ok {
		l.Sweep = &last
	}
	l.Coverage, err = coverageOf(ctx, w, nil)
	return l, err
}

// text formats the tiers for a person.
func (l lifeJSON) text() string {
	return fmt.Sprintf("%d kept, %d active, %d fading", l.Kept, l.Active, l.Fading)
}

// sweepText formats a sweep for a person.
func sweepText(s *store.Sweep, now time.Time) string {
	text := fmt.Sprintf("%s: %d promoted, %d demoted, %d archived", humanize.RelTime(s.At, now, "ago", "from now"), s.Promoted, s.Demoted, s.Archived)
	if s.Waiting > 0 {
		text += fmt.Sprintf(", %d could be: `manicule sweep`", s.Waiting)
	}
	if s.Returned > 0 {
		text += fmt.Sprintf(", the code of %d is back: `manicule restore`", s.Returned)
	}
	return text
}

// tierText is the tier of a memory, "" for an active one.
func tierText(h memory.Hit) string {
	if t := h.Tier(); t != life.Active {
		return strings.TrimSpace(t.String())
	}
	return ""
}

// members are what the health of some memories of a view is made of.
func members(v *memory.View, hits []memory.Hit) []life.Member {
	contradicted := contradictions(hits, v.RelatedTo)
	out := make([]life.Member, len(hits))
	for i, h := range hits {
		out[i] = life.Member{Facts: h.Facts(), Unsettled: h.Freshness().Doubtful() || contradicted[h.Memory.UUID]}
	}
	return out
}

// contradictions are the memories that contradict another one of them, or that another one contradicts.
func contradictions(hits []memory.Hit, related func(*file.Memory) []memory.Related) map[string]bool {
	there := make(map[string]bool, len(hits))
	for _, h := range hits {
		there[h.Memory.UUID] = true
	}
	out := map[string]bool{}
	for _, h := range hits {
		if slices.ContainsFunc(related(h.Memory), func(r memory.Related) bool { return r.Type == "conflicts_with" && there[r.UUID] }) {
			out[h.Memory.UUID] = true
		}
	}
	return out
}

// coverageJSON is how much of what changes has memories.
type coverageJSON struct {
	// Share is the share of the changes of the last months that were in files with memories of
	// their own.
	Share float64 `json:"share"`
	// Score is the same, from 0 to 100.
	Score int `json:"score"`
	// Bare are the folders that changed most without one, at most bareShown.
	Bare []bareJSON `json:"bare"`
}

type bareJSON struct {
	Folder  string `json:"folder"`
	Changes int    `json:"changes"`
}

const bareShown = 3

func coverageOf(ctx context.Context, w *services.Workspace, counts func(memory.Hit) bool) (*coverageJSON, error) {
	r, ok, err := services.Coverage(ctx, w, services.CoverageOptions{Counts: counts})
	if err != nil || !ok {
		return nil, err
	}
	c := &coverageJSON{Share: math.Round(100*float64(r.Covered)/float64(r.Changes)) / 100, Score: r.Score(), Bare: []bareJSON{}}
	for _, f := range r.Bare(bareShown) {
		c.Bare = append(c.Bare, bareJSON{f.Folder, f.Bare()})
	}
	return c, nil
}

// healthText formats the health for a person.
func (l lifeJSON) healthText() string {
	h := l.Health
	return fmt.Sprintf("%d of 100: sure %.0f %%, used %.0f %%, settled %.0f %%", h.Score, 100*h.Sure, 100*h.Used, 100*h.Settled)
}

// text formats the coverage for a person.
func (c coverageJSON) text() string {
	text := fmt.Sprintf("%d of 100", c.Score)
	for i, b := range c.Bare {
		if i == 0 {
			text += ": most changes without a memory in"
		} else {
			text += ","
		}
		folder := plainPath(b.Folder)
		if folder == "." {
			folder = "files at the top"
		}
		text += fmt.Sprintf(" %s (%s)", folder, count(b.Changes, "change", "changes"))
	}
	return text + ": `manicule coverage`"
}
