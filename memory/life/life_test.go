package life_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/life"
)

var written = time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)

func after(days int) time.Time { return written.AddDate(0, 0, days) }

func TestConfidence(t *testing.T) {
	half := 10.0
	orphan := []life.Anchor{{State: anchor.Orphaned, Reason: "gone"}}
	anchored := func(m *file.Memory) { m.Anchors = make([]anchor.Anchor, 1) }
	for name, tt := range map[string]struct {
		change  func(*file.Memory)
		use     life.Use
		anchors []life.Anchor
		days    int
		want    float64
		factors string
	}{
		"new":                      {nil, life.Use{}, nil, 0, .8, "stated"},
		"a half-life":              {nil, life.Use{}, nil, 60, .4, "stated age"},
		"three half-lives":         {nil, life.Use{}, nil, 180, .1, "stated age"},
		"used meanwhile":           {nil, life.Use{Last: after(60), Uses: 1}, nil, 60, .8, "stated"},
		"confirmed meanwhile":      {func(m *file.Memory) { at := file.At(after(60)); m.Trust.VerifiedBy, m.Trust.VerifiedAt = "a", &at }, life.Use{}, nil, 60, .8, "stated"},
		"pinned":                   {func(m *file.Memory) { m.Pinned = true }, life.Use{}, nil, 600, .8, "stated"},
		"decision":                 {func(m *file.Memory) { m.Type, m.HalfLifeDays = file.Decision, &half }, life.Use{}, nil, 600, .8, "stated"},
		"convention":               {func(m *file.Memory) { m.Type = file.Convention }, life.Use{}, nil, 600, .8, "stated"},
		"own half-life":            {func(m *file.Memory) { m.HalfLifeDays = &half }, life.Use{}, nil, 10, .4, "stated age"},
		"convention with one":      {func(m *file.Memory) { m.Type, m.HalfLifeDays = file.Convention, &half }, life.Use{}, nil, 10, .4, "stated age"},
		"anchored":                 {anchored, life.Use{}, nil, 600, .8, "stated"},
		"anchored and inferred":    {func(m *file.Memory) { anchored(m); m.Trust.Origin = file.ObserverInferred }, life.Use{}, nil, 60, .4, "stated age"},
		"orphaned":                 {anchored, life.Use{}, orphan, 600, .4, "stated anchors"},
		"disputed":                 {func(m *file.Memory) { m.Trust.DisputedBy = "a" }, life.Use{Uses: 50, Last: after(0)}, nil, 0, .64, "stated disputed"},
		"five uses":                {nil, life.Use{Uses: 5, Last: after(0)}, nil, 0, .85, "stated use"},
		"many uses":                {nil, life.Use{Uses: 500, Last: after(0)}, nil, 0, .95, "stated use"},
		"uses with a correction":   {nil, life.Use{Uses: 9, Followed: 1, Overridden: 1, Last: after(0)}, nil, 0, .8 * 5 / 6, "stated verdicts"},
		"it worked":                {nil, life.Use{Worked: 4}, nil, 0, .8 * 1.025, "stated outcomes"},
		"it always worked":         {nil, life.Use{Worked: 1 << 40}, nil, 0, .84, "stated outcomes"},
		"sure, and it worked":      {func(m *file.Memory) { m.Confidence = .94 }, life.Use{Worked: 1 << 40}, nil, 0, .95, "stated outcomes"},
		"it failed once":           {nil, life.Use{Failed: 1}, nil, 0, .8 * .96, "stated outcomes"},
		"it always failed":         {nil, life.Use{Failed: 1 << 40}, nil, 0, .64, "stated outcomes"},
		"as often as usual":        {nil, life.Use{Worked: 4, Failed: 1}, nil, 0, .8, "stated"},
		"surer than outcomes make": {func(m *file.Memory) { m.Confidence = .97 }, life.Use{Worked: 9}, nil, 0, .97, "stated"},
		"overridden":               {nil, life.Use{Overridden: 1}, nil, 0, .64, "stated verdicts"},
		"its files changed":        {nil, life.Use{Changed: .5}, nil, 0, .8 * .85, "stated files"},
		"unreviewed":               {func(m *file.Memory) { m.Trust.Unreviewed = true }, life.Use{}, nil, 0, .6, "stated unreviewed"},
		"unreviewed and disputed":  {func(m *file.Memory) { m.Trust.Unreviewed, m.Trust.DisputedBy = true, "a" }, life.Use{}, nil, 60, .8 * .75 * .8 / 2, "stated unreviewed disputed age"},
		"a clock that goes back":   {nil, life.Use{}, nil, -100, .8, "stated"},
		"a second orphan, one why": {func(m *file.Memory) { m.Anchors = make([]anchor.Anchor, 2) }, life.Use{}, append(orphan, orphan...), 0, .4, "stated anchors"},
	} {
		m := &file.Memory{Type: file.Gotcha, Confidence: .8, CreatedAt: file.At(written), UpdatedAt: file.At(written)}
		if tt.change != nil {
			tt.change(m)
		}
		f := life.Facts{Memory: m, Use: tt.use, Anchors: tt.anchors, Now: after(tt.days)}
		got, e := life.Confidence(f), life.Explain(f)
		if math.Abs(got-tt.want) > 1e-9 || math.Abs(e.Confidence-got) > 1e-9 {
			t.Errorf("%s: %v, explained as %v, want %v", name, got, e.Confidence, tt.want)
		}
		var factors []string
		product := 0.0
		for _, x := range e.Factors {
			factors = append(factors, x.Name)
			switch x.Kind {
			case life.Multiply:
				product *= x.Value
			default:
				product += x.Value
			}
			if x.Why == "" || math.Abs(product-x.After) > 1e-9 {
				t.Errorf("%s: factor %+v, after it %v", name, x, product)
			}
		}
		if s := strings.Join(factors, " "); s != tt.factors {
			t.Errorf("%s: factors %s, want %s", name, s, tt.factors)
		}
	}
}

func TestUseRoundTrip(t *testing.T) {
	for _, u := range []life.Use{{}, {Overridden: 1}, {Last: written, Uses: 12, Followed: 3, Overridden: 2, Changed: .25, Tier: life.Fading}} {
		got := life.DecodeUse(u.Encode())
		if got.Encode() != u.Encode() || got.Uses != u.Uses || got.Overridden != u.Overridden || got.Changed != u.Changed {
			t.Errorf("%+v becomes %+v", u, got)
		}
		if !u.Last.IsZero() && (u.Last.Before(got.Last) || u.Last.Sub(got.Last) > time.Hour) {
			t.Errorf("last %v becomes %v", u.Last, got.Last)
		}
	}
	for _, s := range []string{"x", "1", "1 2 3 4 5", "1 2 3 4 5 6 7", "1  2 3 4 5", "-1 2 3 4 5 6", "99999999999999999999999999 1 1 1 1 1"} {
		if u := life.DecodeUse(s); u != (life.Use{}) {
			t.Errorf("%q: %+v", s, u)
		}
	}
}

func TestNeedsReview(t *testing.T) {
	m := &file.Memory{Trust: file.Trust{NeedsReview: true}}
	for uses, want := range map[int]bool{0: true, 9: true, 10: false} {
		if got := life.NeedsReview(m, life.Use{Uses: uses}); got != want {
			t.Errorf("%d uses: %v", uses, got)
		}
	}
	m.Trust.Tainted = true
	if !life.NeedsReview(m, life.Use{Uses: 99}) {
		t.Error("uses release what may repeat strangers")
	}
}
