package learn

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// TestFigures: each kind of figure becomes a candidate of its type, with its origin and details, once.
func TestFigures(t *testing.T) {
	p := newPlace(t)
	ctx := context.Background()
	tests := []struct {
		finding episode.Finding
		typ     file.Type
		origin  file.Origin
		details file.Details
	}{
		{episode.Finding{Kind: episode.QA, Key: "qa make lint a/x.go", Module: "a", Check: "make lint", File: "a/x.go", Seen: 3, Of: 4}, file.ErrorPattern, file.QAAuto, file.Details{}},
		{episode.Finding{Kind: episode.FixCommit, Key: "fix a/x.go", Module: "a", File: "a/x.go", Seen: 3, Of: 4}, file.Gotcha, file.CommitAuto, file.Details{}},
		{episode.Finding{Kind: episode.MCP, Key: "mcp tracker", Tool: "mcp__tracker__get", Line: "no such issue", Seen: 3, Of: 5}, file.Gotcha, file.MCPAuto, file.Details{}},
		{episode.Finding{Kind: episode.Calibration, Key: "calibration  fix", Work: episode.Fix, Planned: 4, Calls: 41, Minutes: 12, Ratio: 10.3, Seen: 5, Of: 5}, file.TaskCalibration, file.ObserverInferred,
			file.Details{Task: "fix", Estimated: 4, Actual: 41, Unit: "calls", Sessions: 5}},
		{episode.Finding{Kind: episode.Prefetch, Key: "prefetch a", Module: "a", Always: []string{"a/x.go"}, Often: []string{"a/y.go"}, Seen: 10, Of: 10}, file.PrefetchPattern, file.ObserverInferred,
			file.Details{Always: []string{"a/x.go"}, Often: []string{"a/y.go"}, Sessions: 10}},
	}
	for _, tt := range tests {
		f, ok := Figure(tt.finding, true)
		if !ok {
			t.Errorf("%s: no candidate", tt.finding.Kind)
			continue
		}
		for i := range 2 {
			r, err := p.w.Observer().Suggest(ctx, []memory.Inferred{f})
			if err != nil || !r[0].Accepted || r[0].Deduped != (i == 1) {
				t.Fatalf("%s, time %d: %+v, %v", tt.finding.Kind, i+1, r, err)
			}
		}
	}
	list, err := p.w.Drafts().Candidates(ctx)
	if err != nil || len(list) != len(tests) {
		t.Fatalf("%d candidates, %v", len(list), err)
	}
	for _, tt := range tests {
		i := slices.IndexFunc(list, func(c memory.Candidate) bool { return c.Memory.Trust.Origin == tt.origin && c.Memory.Type == tt.typ })
		if i < 0 {
			t.Errorf("no %s has the origin %s", tt.typ, tt.origin)
			continue
		}
		m := list[i].Memory
		details, err := m.ReadDetails()
		if m.Type != tt.typ || !m.Trust.NeedsReview || !m.Trust.Tainted || err != nil || !reflect.DeepEqual(details, tt.details) {
			t.Errorf("%s: %s %+v details %+v %v", m.What, m.Type, m.Trust, details, err)
		}
	}
	if _, ok := Figure(episode.Finding{Kind: episode.Prefetch, Always: []string{"a/x.go"}}, false); ok {
		t.Error("a list of the whole project's files is none")
	}
}
