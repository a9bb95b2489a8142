package retrieval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed/local"
)

// leastCosine is the required mean cosine with the reference.
func leastCosine(model string) float64 {
	if strings.HasSuffix(model, "-int8") {
		return 0.98
	}
	return 0.999
}

// vectors compares each configuration with the vectors of an independent engine.
func vectors(ctx context.Context, o options) (string, []string, error) {
	var texts []string
	var want [][]float32
	for name, into := range map[string]any{"texts.json": &texts, "ref_vecs.json": &want} {
		path, err := o.data.Path("minilm-reference", name)
		if err != nil {
			return "", nil, err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			return "", nil, fmt.Errorf("read the reference: %w", err)
		}
	}
	list, err := configurations(o)
	if err != nil {
		return "", nil, err
	}
	var bad []string
	t := evalkit.NewTable("model", "backend", fmt.Sprintf("cosine with %d reference vectors: mean", len(want)), "least")
	for _, c := range list {
		got, err := embedAll(ctx, o, c, texts[:len(want)])
		if err != nil {
			return "", nil, err
		}
		mean, least := 0.0, 2.0
		for i := range want {
			x := cosine(got[i], want[i])
			mean, least = mean+x/float64(len(want)), min(least, x)
		}
		t.Add(c.model, c.backend, fmt.Sprintf("%.4f", mean), fmt.Sprintf("%.4f", least))
		if mean < leastCosine(c.model) {
			bad = append(bad, fmt.Sprintf("%s: mean cosine %.4f, want %.3f", c, mean, leastCosine(c.model)))
		}
	}
	return t.String(), bad, nil
}

func embedAll(ctx context.Context, o options, c configuration, texts []string) (_ [][]float32, err error) {
	e, err := o.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return e.Embed(ctx, texts)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// published is the Spearman correlation of all-MiniLM-L6-v2 on each part of STS-B, as
// measured by the authors of MTEB (Muennighoff et al., "MTEB: Massive Text Embedding
// Benchmark", EACL 2023; results/all-MiniLM-L6-v2/STSBenchmark.json of
// embeddings-benchmark/mtebpaper: validation .86716, test .82032).
func published(part string) float64 {
	switch part {
	case "dev":
		return 0.8672
	case "heldout":
		return 0.8203
	}
	return 0
}

// tolerance is the accepted distance to it.
const tolerance = 0.005

// similarity correlates cosines with people's judgements on STS-B.
func similarity(ctx context.Context, o options) (string, []string, error) {
	list, err := configurations(o)
	if err != nil {
		return "", nil, err
	}
	var bad []string
	t := evalkit.NewTable("STS-B split", "pairs", "model", "Spearman", "published")
	found := false
	for _, name := range []string{"dev", "heldout"} {
		path, err := o.data.Path("stsb", name, "pairs.jsonl")
		if err != nil {
			continue
		}
		found = true
		set, err := readPairs(path)
		if err != nil {
			return "", nil, err
		}
		for _, c := range list {
			if c.backend == local.Go {
				continue // the same vectors, and a quarter of an hour
			}
			rho, err := set.correlate(ctx, o, c)
			if err != nil {
				return "", nil, err
			}
			want := published(name)
			if math.Abs(rho-want) > tolerance && !strings.HasSuffix(c.model, "-int8") {
				bad = append(bad, fmt.Sprintf("%s: Spearman %.4f on STS-B %s, published %.4f", c, rho, name, want))
			}
			t.Add(name, len(set.score), c.model, fmt.Sprintf("%.4f", rho), fmt.Sprintf("%.4f", want))
		}
	}
	if !found {
		return "", nil, evalkit.Missing("no stsb in %q", o.data)
	}
	return t.String(), bad, nil
}

// pairs are sentences with their similarity according to people, from 0 to 5.
type pairs struct {
	a, b  []string
	score []float64
}

func readPairs(path string) (p pairs, err error) {
	lines, err := evalkit.ReadLines[struct {
		A     string  `json:"a"`
		B     string  `json:"b"`
		Score float64 `json:"score"`
	}](path)
	for _, l := range lines {
		p.a, p.b, p.score = append(p.a, l.A), append(p.b, l.B), append(p.score, l.Score)
	}
	return p, err
}

func (p pairs) correlate(ctx context.Context, o options, c configuration) (float64, error) {
	v, err := embedAll(ctx, o, c, append(append([]string(nil), p.a...), p.b...))
	if err != nil {
		return 0, err
	}
	cos := make([]float64, len(p.a))
	for i := range cos {
		cos[i] = cosine(v[i], v[len(p.a)+i])
	}
	return spearman(cos, p.score), nil
}
