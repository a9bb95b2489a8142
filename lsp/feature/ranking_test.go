package feature

import (
	"testing"
	"time"

	"manicule/lsp/folder"
	"manicule/memory"
	"manicule/memory/file"
)

// TestRankHitsByAge: what nobody used for long has no room before what is less sure and in use.
func TestRankHitsByAge(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	hit := func(what string, confidence float64, idle int) memory.Hit {
		m := &file.Memory{UUID: what, What: what, Type: file.Gotcha, Confidence: confidence, UpdatedAt: file.At(now.AddDate(0, 0, -idle))}
		return memory.Hit{Memory: m, Now: now}
	}
	list := rankHits(&folder.Folder{}, []memory.Hit{hit("old", 1, 120), hit("used", .6, 1)}, "lens")
	if list[0].Memory.What != "used" {
		t.Errorf("%s comes first", list[0].Memory.What)
	}
}
