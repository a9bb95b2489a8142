package life_test

import (
	"testing"

	"manicule/memory/file"
	"manicule/memory/life"
)

func TestHealth(t *testing.T) {
	member := func(days int, change func(*life.Member)) life.Member {
		m := life.Member{Facts: life.Facts{Memory: &file.Memory{Type: file.Gotcha, Confidence: .8, CreatedAt: file.At(written), UpdatedAt: file.At(written)}, Now: after(days)}}
		if change != nil {
			change(&m)
		}
		return m
	}
	for name, tt := range map[string]struct {
		list []life.Member
		want int
	}{
		"a week old":       {[]life.Member{member(7, nil)}, 97},
		"a half-life":      {[]life.Member{member(60, nil)}, 60},
		"stale":            {[]life.Member{member(0, func(m *life.Member) { m.Unsettled = true })}, 60},
		"disputed":         {[]life.Member{member(0, func(m *life.Member) { m.Memory.Trust.DisputedBy = "a" })}, 52},
		"in conflict":      {[]life.Member{member(0, func(m *life.Member) { m.Memory.Conflict = make([]file.Version, 1) })}, 60},
		"an old decision":  {[]life.Member{member(900, func(m *life.Member) { m.Memory.Type = file.Decision })}, 100},
		"one new, one old": {[]life.Member{member(0, nil), member(60, nil)}, 80},
	} {
		h, ok := life.HealthOf(tt.list)
		if !ok || h.Score != tt.want {
			t.Errorf("%s: %+v, want %d", name, h, tt.want)
		}
	}
	if _, ok := life.HealthOf(nil); ok {
		t.Error("nothing has a health")
	}
	if h, ok := life.HealthOf([]life.Member{member(0, nil), member(6, nil)}); ok {
		t.Errorf("new memories have no health yet: %+v", h)
	}
}
