package life_test

import (
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/life"
)

// TestHalfLives: each type has the half-life that docs/life.md names, and no other type has one.
func TestHalfLives(t *testing.T) {
	want := map[file.Type]float64{file.WorkState: 7, file.E2EObservation: 30, file.ErrorPattern: 60, file.Gotcha: 60, file.ModuleInsight: 90, file.DeadEnd: 90,
		file.CausalDependency: 120, file.WorkflowRecipe: 120, file.TaskCalibration: 180}
	for _, typ := range file.Types() {
		if got, why := life.HalfLife(&file.Memory{Type: typ}); got != want[typ] || why == "" {
			t.Errorf("%s: %v days (%s), want %v", typ, got, why, want[typ])
		}
	}
}

func TestJudge(t *testing.T) {
	gone := []life.Anchor{{State: anchor.Orphaned, Reason: "gone"}}
	day := 24 * time.Hour
	for name, tt := range map[string]struct {
		change  func(*file.Memory)
		use     life.Use
		anchors []life.Anchor
		tier    life.Tier
		faded   time.Duration // since when it is in its tier
		orphan  time.Duration // since when its code is gone
		days    int
		want    life.Tier
		reason  string
	}{
		"it fades, however old":            {tier: life.Active, faded: 999 * day, days: 999, want: life.Fading, reason: "not used for 999 days"},
		"a day before three half-lives":    {tier: life.Fading, faded: 9 * day, days: 179, want: life.Fading},
		"three half-lives":                 {tier: life.Fading, faded: 9 * day, days: 180, want: life.Archived, reason: "3 half-lives of 60 days"},
		"three, and fading for some hours": {tier: life.Fading, faded: 23 * time.Hour, days: 180, want: life.Fading},
		"three of its own half-lives":      {change: func(m *file.Memory) { ten := 10.0; m.HalfLifeDays = &ten }, tier: life.Fading, faded: day, days: 30, want: life.Archived, reason: "3 half-lives of 10 days"},
		"used again":                       {use: life.Use{Uses: 1, Last: after(180)}, tier: life.Fading, faded: 9 * day, days: 180, want: life.Active, reason: "0.80 again"},
		"a decision that is doubted": {change: func(m *file.Memory) { m.Type, m.Confidence = file.Decision, .1 }, tier: life.Fading, faded: 99 * day, orphan: 99 * day,
			days: 999, want: life.Fading},
		"pinned": {change: func(m *file.Memory) { m.Pinned = true }, tier: life.Fading, faded: 99 * day, days: 999, want: life.Kept, reason: "pinned"},
		"its code is gone for a month": {change: func(m *file.Memory) { m.Anchors = make([]anchor.Anchor, 1) }, anchors: gone, tier: life.Fading, faded: 9 * day,
			orphan: 30 * day, days: 40, want: life.Archived, reason: "its code is gone for 30 days"},
		"its code is gone for less": {change: func(m *file.Memory) { m.Anchors = make([]anchor.Anchor, 1) }, anchors: gone, tier: life.Fading, faded: 9 * day,
			orphan: 29 * day, days: 40, want: life.Fading},
		"ten uses": {change: func(m *file.Memory) { m.Confidence = .9 }, use: life.Use{Uses: 10, Last: after(0)}, want: life.Kept, reason: "10 uses"},
		"nine":     {change: func(m *file.Memory) { m.Confidence = .9 }, use: life.Use{Uses: 9, Last: after(0)}, want: life.Active},
		"no longer proven": {change: func(m *file.Memory) { m.Confidence = .9 }, use: life.Use{Uses: 10, Last: after(0)}, tier: life.Kept, days: 60, want: life.Active,
			reason: "not pinned"},
	} {
		m := &file.Memory{Type: file.Gotcha, Confidence: .8, CreatedAt: file.At(written), UpdatedAt: file.At(written)}
		if tt.change != nil {
			tt.change(m)
		}
		now := after(tt.days)
		was := life.Standing{Tier: tt.tier, Since: now.Add(-tt.faded)}
		if tt.orphan > 0 {
			was.Orphaned = now.Add(-tt.orphan)
		}
		to, reason := life.Judge(life.Facts{Memory: m, Use: tt.use, Anchors: tt.anchors, Now: now}, was)
		if to != tt.want || !strings.Contains(reason, tt.reason) || tt.reason == "" && reason != "" {
			t.Errorf("%s: %v, %q, want %v, %q", name, to, reason, tt.want, tt.reason)
		}
	}
}
