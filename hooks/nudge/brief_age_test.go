package nudge

import (
	"strings"
	"testing"
	"time"

	"manicule/memory"
	"manicule/memory/file"
)

// TestBriefByAge: what nobody used for long comes after what is less sure and in use.
func TestBriefByAge(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	aged := func(id, what string, confidence float64, idle int) memory.Hit {
		h := hit(id, file.Gotcha, what, func(m *file.Memory) {
			m.Scope, m.Confidence, m.UpdatedAt = nil, confidence, file.At(now.AddDate(0, 0, -idle))
		})
		h.Now = now
		return h
	}
	list := ranked([]memory.Hit{aged("a", "old", 1, 120), aged("b", "used", .6, 1)})
	var got []string
	for _, h := range list {
		got = append(got, h.Memory.What)
	}
	if s := strings.Join(got, ", "); s != "used, old" {
		t.Error(s)
	}
}
