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
