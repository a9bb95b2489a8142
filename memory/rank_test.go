package memory

import (
	"strings"
	"testing"
	"time"

	"manicule/memory/file"
)

// TestRankTraps holds that of memories that apply alike the one into whose trap somebody runs comes
// first, but not before one that is nearer, of a higher layer or more important.
func TestRankTraps(t *testing.T) {
	hit := func(what string, typ file.Type, specific int, importance file.Importance) Hit {
		m := &file.Memory{UUID: what, What: what, Type: typ, Layer: file.AreaContext, Importance: importance, Confidence: 1}
		m.UpdatedAt = file.At(time.Unix(0, 0))
		return Hit{Memory: m, Match: MatchScope, specific: specific}
	}
	hits := []Hit{
		hit("insight", file.ModuleInsight, 1, file.Medium),
		hit("gotcha", file.Gotcha, 1, file.Medium),
		hit("near", file.ModuleInsight, 2, file.Medium),
		hit("important", file.ModuleInsight, 1, file.High),
		hit("dead end", file.DeadEnd, 1, file.Medium),
	}
	Rank(hits)
	var got []string
	for _, h := range hits {
		got = append(got, h.Memory.What)
	}
	if got, want := strings.Join(got, ", "), "near, important, dead end, gotcha, insight"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRankByAge holds that of memories that apply alike what nobody used for long comes last.
func TestRankByAge(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	hit := func(what string, confidence float64, idle int) Hit {
		m := &file.Memory{UUID: what, What: what, Type: file.Gotcha, Layer: file.AreaContext, Confidence: confidence}
		m.UpdatedAt = file.At(now.AddDate(0, 0, -idle))
		return Hit{Memory: m, Match: MatchScope, Now: now}
	}
	hits := []Hit{hit("sure, and old", .9, 60), hit("used", .6, 1), hit("surer, and older", 1, 120)}
	Rank(hits)
	if got := hits[0].Memory.What + ", " + hits[1].Memory.What + ", " + hits[2].Memory.What; got != "used, sure, and old, surer, and older" {
		t.Error(got)
	}
}
