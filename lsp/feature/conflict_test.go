package feature

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp/settings"
	"manicule/memory/file"
)

func TestVersionLabels(t *testing.T) {
	long := "The export of a tenant's invoices to the ledger runs "
	for _, tt := range []struct {
		name     string
		versions []file.Version
		want     []string
	}{
		{"by their words", []file.Version{{What: "hourly"}, {What: "nightly"}}, []string{"hourly", "nightly"}},
		{"without a long common start", []file.Version{{What: long + "hourly"}, {What: long + "nightly"}}, []string{"… hourly", "… nightly"}},
		{"one goes on where the other ends", []file.Version{{What: long + "here"}, {What: long + "here and there"}}, []string{"… here", "… here and there"}},
		{"by the reason", []file.Version{{What: "x", Why: "a"}, {What: "x", Why: "b"}}, []string{"x Why: a", "x Why: b"}},
		{"by the type", []file.Version{{Type: file.Gotcha, What: "x"}, {Type: file.DeadEnd, What: "x"}}, []string{"gotcha: x", "dead end: x"}},
		{"by the scope", []file.Version{{What: "x", Scope: file.Scope{"a/**"}}, {What: "x", Scope: file.Scope{"b/**"}}}, []string{"a/**: x", "b/**: x"}},
		{"without invisible characters", []file.Version{{What: "a\u202e\nb"}, {What: "c"}}, []string{"a b", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := versionLabels(tt.versions); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestConflictSeverity: the diagnostic follows the settings, and repeats nothing that
// the versions say.
func TestConflictSeverity(t *testing.T) {
	m := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000001", Type: file.Gotcha, What: "hourly", Conflict: []file.Version{{Type: file.Gotcha, What: "nightly"}}}
	for _, tt := range []struct {
		name   string
		change func(*settings.Settings)
		want   protocol.DiagnosticSeverity // 0: none
	}{
		{"by default", func(*settings.Settings) {}, protocol.DiagnosticSeverityWarning},
		{"of another severity", func(s *settings.Settings) { s.StaleSeverity = "hint" }, protocol.DiagnosticSeverityHint},
		{"off", func(s *settings.Settings) { s.StaleSeverity = settings.Off }, 0},
		{"without diagnostics", func(s *settings.Settings) { s.Diagnostics = false }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settings.Default()
			tt.change(s)
			d, ok := conflictDiagnostic(m, strings.ToLower(m.Type.Label()), protocol.Range{}, s)
			if ok != (tt.want != 0) || d.Severity != tt.want {
				t.Errorf("got %v, severity %d", ok, d.Severity)
			}
			if text := fmt.Sprint(d.Message); strings.Contains(text, "hourly") || strings.Contains(text, "nightly") {
				t.Errorf("message: %s", text)
			}
		})
	}
	m.Conflict = nil
	if _, ok := conflictDiagnostic(m, strings.ToLower(m.Type.Label()), protocol.Range{}, settings.Default()); ok {
		t.Error("one version has a diagnostic")
	}
}
