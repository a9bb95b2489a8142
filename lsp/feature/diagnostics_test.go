package feature

import (
	"fmt"
	"strings"
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
		for _, d := range pageDiagnostics(t.Context(), p, s) {
			got = append(got, fmt.Sprintf("%d %v %d", d.Range.Start.Line, d.Code, d.Severity))
		}
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
}

// TestBadExpression: an expression that can't be read is a problem at its line in the memory's file.
func TestBadExpression(t *testing.T) {
	for details, want := range map[string]string{
		`{"forbids": "("}`:              "3 what its files may not have",
		`{"requires": "["}`:             "3 what its files must have",
		`{"forbids": "a", "task": "x"}`: "",
	} {
		text := "{\n  \"type\": \"gotcha\",\n  \"details\": " + details + "\n}\n"
		pr, bad := badExpression(&file.Memory{Type: file.Gotcha, Details: []byte(details)}, []byte(text))
		if got := fmt.Sprint(pr.Line, " ", pr.Message); bad != (want != "") || bad && !strings.HasPrefix(got, want) {
			t.Errorf("%s: %v, %s", details, bad, got)
		}
	}
}

// TestViolations: what goes against a memory that says what its files may not have, or must have, is a diagnostic there, of
// the severity of what needs a person.
func TestViolations(t *testing.T) {
	p := pagetest.Open(t, "a.go", source,
		pagetest.Memory{Type: file.Convention, What: "no checks", In: "*.go", Details: file.Details{Forbids: `\bCheck\b`}},
		pagetest.Memory{Type: file.DeadEnd, What: "no others", In: "*.go", Details: file.Details{Forbids: `Other`, Instead: "one"}},
		pagetest.Memory{Type: file.Requirement, What: "a licence", Details: file.Details{Requires: `SPDX`}},
		pagetest.Memory{Type: file.Convention, What: "elsewhere", In: "*.ts", Details: file.Details{Forbids: `Check`}})
	s := settings.Default()
	var got []string
	for _, d := range pageDiagnostics(t.Context(), p, s) {
		got = append(got, fmt.Sprintf("%d:%d-%d %v %d %v", d.Range.Start.Line, d.Range.Start.Character, d.Range.End.Character, d.Code, d.Severity, d.Message))
	}
	want := []string{
		"0:0-9 violated 2 the file lacks what it must have, by the requirement: a licence",
		"4:5-10 violated 2 goes against the convention: no checks",
		"6:5-10 violated 2 goes against the dead end: no others\nInstead: one",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	s.StaleSeverity = settings.Off
	if left := pageDiagnostics(t.Context(), p, s); len(left) != 0 {
		t.Errorf("switched off: %v", left)
	}
}
