package importer

import (
	"cmp"
	"errors"
	"flag"
	"math"
	"os"
	"testing"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/must"
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
	must.OK(t, err)
	const name = "testdata/scores.txt"
	if *update {
		must.Write(t, name, got)
		return
	}
	want := must.Read(t, name)
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference.\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// TestWeights: the importer has the weights that the judged memories give.
func TestWeights(t *testing.T) {
	all, err := examples()
	must.OK(t, err)
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
