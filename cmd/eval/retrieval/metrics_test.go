package retrieval

import (
	"math"
	"testing"
)

func TestMetrics(t *testing.T) {
	rel := map[string]float64{"a": 2, "b": 1}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %.6f, want %.6f", name, got, want)
		}
	}
	near("best order", ndcg([]string{"a", "b"}, rel), 1)
	near("other order", ndcg([]string{"b", "a"}, rel), (1+2/math.Log2(3))/(2+1/math.Log2(3)))
	near("nothing", ndcg(nil, rel), 0)
	near("recall", recallAt(2, []string{"x", "a", "b"}, rel), .5)
	near("first", firstAt(10, []string{"x", "a"}, rel), .5)
}
