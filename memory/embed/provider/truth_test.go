package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
)

// open loads a model from the folder that MANICULE_TEST_MODELS names, and skips
// the test where there is none.
func open(t *testing.T, model string, b local.Backend) embed.Embedder {
	t.Helper()
	dir := os.Getenv("MANICULE_TEST_MODELS")
	if dir == "" {
		t.Skip("MANICULE_TEST_MODELS names no folder of models: `make model-for-tests` prints one")
	}
	e, _, err := New(Settings{Provider: Local, Model: model, Threads: 2}, models.Open(dir)).Open(t.Context(), b)
	if errors.Is(err, models.ErrAbsent) {
		t.Skip(err)
	}
	must.OK(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func vectorsOf(t *testing.T, e embed.Embedder, texts []string) [][]float32 {
	t.Helper()
	v, err := e.Embed(t.Context(), texts)
	must.OK(t, err)
	return v
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// agree wants the mean and the least cosine of two lists of vectors.
func agree(t *testing.T, name string, got, want [][]float32, mean, least float64) {
	t.Helper()
	sum, low := 0.0, 2.0
	for i := range want {
		c := cosine(got[i], want[i])
		sum, low = sum+c, min(low, c)
	}
	t.Logf("%s: cosine mean %.5f, least %.5f over %d texts", name, sum/float64(len(want)), low, len(want))
	if sum/float64(len(want)) < mean || low < least {
		t.Errorf("%s: cosine mean %.5f (want %.3f), least %.5f (want %.3f)", name, sum/float64(len(want)), mean, low, least)
	}
}

// sample is texts of all lengths and kinds.
func sample() []string {
	code := "func (s *Store) Validate(ctx context.Context, token string) error {\n\treturn s.redis.Get(ctx, token).Err()\n}\n"
	return []string{
		"where do we handle expired auth tokens", "", "x", code, strings.Repeat(code, 30),
		"Größe und Straße, naïve café, 日本語のテキスト 🎉", strings.Repeat("retry with backoff ", 40),
	}
}

// TestReference: vectors of an independent engine, where the data is at hand.
func TestReference(t *testing.T) {
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		t.Skip("EVAL_DATA names no folder with minilm-reference")
	}
	var texts []string
	var want [][]float32
	for name, into := range map[string]any{"texts.json": &texts, "ref_vecs.json": &want} {
		data, err := os.ReadFile(filepath.Join(dir, "minilm-reference", name))
		if err != nil {
			t.Skip(err)
		}
		must.OK(t, json.Unmarshal(data, into))
	}
	texts = texts[:len(want)]
	for _, m := range []string{"all-MiniLM-L6-v2", "all-MiniLM-L6-v2-fp32"} {
		t.Run(m, func(t *testing.T) {
			agree(t, m, vectorsOf(t, open(t, m, local.ONNXRuntime), texts), want, 0.9999, 0.999)
		})
	}
	t.Run("int8", func(t *testing.T) {
		agree(t, "int8", vectorsOf(t, open(t, "all-MiniLM-L6-v2-int8", local.ONNXRuntime), texts), want, 0.98, 0.95)
	})
}

// TestBackendsAgree: the Go backend gives what onnxruntime gives.
func TestBackendsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("the Go backend takes seconds")
	}
	fast, slow := open(t, models.Default, local.ONNXRuntime), open(t, models.Default, local.Go)
	agree(t, "go", vectorsOf(t, slow, sample()), vectorsOf(t, fast, sample()), 0.9999, 0.999)
	if fast.Info().Model != slow.Info().Model {
		t.Error("the same vectors have two models")
	}
}

// TestTexts: what a text's neighbours are, what is invisible in it and what is
// beyond the model's length change nothing.
func TestTexts(t *testing.T) {
	e := open(t, models.Default, local.ONNXRuntime)
	all := sample()
	together := vectorsOf(t, e, all)
	for i, text := range all {
		agree(t, fmt.Sprintf("text %d alone", i), vectorsOf(t, e, []string{text}), together[i:i+1], 0.9999, 0.9999)
	}
	v := vectorsOf(t, e, []string{
		"retry the request", "re\u200btry\ufeff the request\u200b", "retry the \xffrequest",
		strings.Repeat("word ", 254) + "and much more that is not read", strings.Repeat("word ", 254), strings.Repeat("word ", 20_000),
	})
	agree(t, "invisible", v[1:3], [][]float32{v[0], v[0]}, 1-1e-6, 1-1e-6)
	agree(t, "cut off", [][]float32{v[3], v[5]}, [][]float32{v[4], v[4]}, 1-1e-6, 1-1e-6)
}

// TestStops: a long request ends soon after its context does.
func TestStops(t *testing.T) {
	e := open(t, models.Default, local.ONNXRuntime)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := e.Embed(ctx, slices.Repeat(sample()[4:5], 500)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if v := vectorsOf(t, e, []string{"still works"}); len(v) != 1 {
		t.Error("no vector after a request that was stopped")
	}
}

// TestBehind: what nobody waits for gets the same vectors, and stops soon.
func TestBehind(t *testing.T) {
	e, ok := open(t, models.Default, local.ONNXRuntime).(embed.Preemptible)
	if !ok {
		t.Fatal("onnxruntime does not yield")
	}
	texts := sample()[:4]
	got, err := e.EmbedBackground(t.Context(), texts)
	must.OK(t, err)
	agree(t, "behind", got, vectorsOf(t, e, texts), 1-1e-6, 1-1e-6)
	long := slices.Repeat(sample()[4:5], 100)
	start := time.Now()
	if _, err := e.EmbedBackground(t.Context(), long); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(whole/20, cancel)
	start = time.Now()
	if _, err := e.EmbedBackground(ctx, long); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if took := time.Since(start); took > whole/2 {
		t.Errorf("stopped after a twentieth of %v, it took %v", whole, took)
	}
}

// TestConcurrent: one model serves several goroutines.
func TestConcurrent(t *testing.T) {
	e := open(t, models.Default, local.ONNXRuntime)
	want := vectorsOf(t, e, sample()[:4])
	done := make(chan [][]float32)
	for range 4 {
		go func() {
			v, err := e.Embed(t.Context(), sample()[:4])
			if err != nil {
				v = nil
			}
			done <- v
		}()
	}
	for range 4 {
		v := <-done
		if v == nil {
			t.Fatal("a request failed")
		}
		agree(t, "beside others", v, want, 0.9999, 0.9999)
	}
}

// TestCodeNeedsNoPadding: pieces of code are embedded with their own model, each by itself: their
// vectors don't depend on what else is embedded, and no token is computed that says nothing.
func TestCodeNeedsNoPadding(t *testing.T) {
	def := open(t, models.Default, local.ONNXRuntime)
	p := New(Settings{Provider: Local, Model: models.Default, Idle: time.Minute}, models.Open(os.Getenv("MANICULE_TEST_MODELS")))
	want := p.ExpectForCode()
	if want.Model == "" || want == p.Expect() { // an installation has both
		t.Fatalf("code has no model of its own: %+v", want)
	}
	s := p.CodeService(embed.System())
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	all := sample()
	info, together, err := s.Embed(t.Context(), embed.Background, all, nil)
	if err != nil || info.Model != want.Model || info.Dims != want.Dims {
		t.Fatalf("%+v: %v", info, err)
	}
	for i, text := range all {
		_, alone, err := s.Embed(t.Context(), embed.Query, []string{text}, nil)
		must.OK(t, err)
		agree(t, fmt.Sprintf("text %d alone", i), alone, together[i:i+1], 1-1e-6, 1-1e-6)
	}
	agree(t, "of 8 bits", together, vectorsOf(t, def, all), 0.9, 0.4) // it reads less of long ones
}
