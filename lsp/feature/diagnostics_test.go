package feature

import (
	"fmt"
	"testing"

	"manicule/lsp/page/pagetest"
	"manicule/lsp/settings"
	"manicule/memory/file"
)

// TestPageDiagnostics: gotchas and dead ends get a diagnostic at their code, lost ones
// on the first line, and other types none.
func TestPageDiagnostics(t *testing.T) {
	p := pagetest.Open(t, "a.go", source,
		pagetest.Memory{Type: file.Gotcha, What: "one", At: "a.go#Check"},
		pagetest.Memory{Type: file.DeadEnd, What: "two", At: "a.go#Other"},
		pagetest.Memory{Type: file.Decision, What: "three", At: "a.go#Check"},
		pagetest.Memory{Type: file.Decision, What: "four", At: "a.go#Gone"})
	tests := []struct {
		name   string
		change func(*settings.Settings)
		want   string
	}{
		{"by default", func(*settings.Settings) {}, "[0 orphaned 2 4 gotcha 4 6 dead_end 2]"},
		{"without states", func(s *settings.Settings) { s.StaleSeverity = settings.Off }, "[4 gotcha 4 6 dead_end 2]"},
		{"the most severe first", func(s *settings.Settings) { s.MaxPerFile, s.StaleSeverity = 1, settings.Off }, "[6 dead_end 2]"},
	}
	for _, tt := range tests {
		s := settings.Default()
		tt.change(s)
		var got []string
		for _, d := range PageDiagnostics(t.Context(), p, s) {
			got = append(got, fmt.Sprintf("%d %v %d", d.Range.Start.Line, d.Code, d.Severity))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
}
