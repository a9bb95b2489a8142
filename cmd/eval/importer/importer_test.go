package importer

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"testing"

	"manicule/cmd/internal/evalkit"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestLabels pins the figures on the labelled rule files.
func TestLabels(t *testing.T) {
	e := evaluation{data: evalkit.Data(cmp.Or(os.Getenv("EVAL_DATA"), "../../../../shared/data"))}
	got, err := e.labels(t.Context())
	if errors.Is(err, evalkit.ErrMissing) {
		t.Skip("the evaluation data is not beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	const name = "testdata/scores.txt"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference.\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}
