package feature

import (
	"slices"
	"testing"

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
