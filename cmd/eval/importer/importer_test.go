package importer

import (
	"cmp"
	"errors"
	"flag"
	"math"
	"os"
	"testing"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/importer"
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

// TestWeights: the importer has the weights that the judged memories give.
func TestWeights(t *testing.T) {
	all, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(all)
	w, bias := m.raw(m.weights(all, ""))
	const rounding = 0.001
	if math.Abs(bias-importer.Bias()) > rounding {
		t.Errorf("bias %.3f, want %.3f", importer.Bias(), bias)
	}
	for i, trait := range importer.Traits() {
		if math.Abs(trait.Weight-w[i]) > rounding {
			t.Errorf("%s weighs %.3f, want %.3f", trait.Name, trait.Weight, w[i])
		}
	}
}
