package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/embed"
	"manicule/memory/httpjson"
)

// vector is what the test servers give for a text: not of length one.
func vector(text string, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = 3 + float32((len(text)*(i+1))%7)
	}
	return v
}

// ask is the body of either contract.
type ask struct {
	Model    string   `json:"model"`
	Input    []string `json:"input"`
	Dims     int      `json:"dimensions"`
	Format   string   `json:"encoding_format"`
	Truncate bool     `json:"truncate"`
}

// serve starts a server on loopback that speaks one contract. first, when not
// nil, may answer a request in its own way.
func serve(t *testing.T, path string, first func(w http.ResponseWriter, n int64) bool) (string, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := count.Add(1); first != nil && first(w, n) {
			return
		}
		var a ask
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.URL.Path != path || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, `{"error":"not the contract"}`, http.StatusBadRequest)
			return
		}
		if a.Model != "qwen3-embedding:0.6b" {
			http.Error(w, fmt.Sprintf(`{"error":"model %q not found, try pulling it first"}`, a.Model), http.StatusNotFound)
			return
		}
		dims := 8
		if a.Dims > 0 && path == "/v1/embeddings" {
			dims = a.Dims
		}
		if path == "/v1/embeddings" {
			answerOpenAI(w, r, a, dims)
			return
		}
		out := struct {
			Model      string      `json:"model"`
			Embeddings [][]float32 `json:"embeddings"`
		}{Model: a.Model}
		if !a.Truncate {
			http.Error(w, `{"error":"the input length exceeds the context length"}`, http.StatusBadRequest)
			return
		}
		for _, text := range a.Input {
			out.Embeddings = append(out.Embeddings, vector(text, dims))
		}
		_ = json.NewEncoder(w).Encode(out) // the client's fault when it fails
	}))
	t.Cleanup(s.Close)
	return s.URL, &count
}

func answerOpenAI(w http.ResponseWriter, r *http.Request, a ask, dims int) {
	if r.Header.Get("Authorization") != "Bearer sk-secret" {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"invalid_request_error"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		return
	}
	if a.Format != "float" {
		http.Error(w, `{"error":{"message":"base64 is not what a reader of numbers wants"}}`, http.StatusBadRequest)
		return
	}
	type datum struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	out := struct {
		Object string  `json:"object"`
		Data   []datum `json:"data"`
	}{Object: "list"}
	for i := len(a.Input) - 1; i >= 0; i-- { // in another order
		if a.Input[i] == "" {
			http.Error(w, `{"error":{"message":"'$.input' is invalid"}}`, http.StatusBadRequest)
			return
		}
		out.Data = append(out.Data, datum{"embedding", i, vector(a.Input[i], dims)})
	}
	_ = json.NewEncoder(w).Encode(out) // the client's fault when it fails
}

// quick are options that don't wait.
func quick(url string) Options {
	return Options{URL: url, Model: "qwen3-embedding:0.6b", Wait: time.Millisecond, Timeout: 5 * time.Second, Key: "sk-secret"}
}

func TestContracts(t *testing.T) {
	for _, tt := range []struct {
		name, path, base string
		open             func(context.Context, Options) (embed.Embedder, error)
	}{
		{"ollama", "/api/embed", "", Ollama},
		{"openai", "/v1/embeddings", "/v1", OpenAI},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, count := serve(t, tt.path, nil)
			o := quick(url + tt.base)
			e, err := tt.open(t.Context(), o)
			must.OK(t, err)
			if i := e.Info(); i.Dims != 8 || i.Backend != tt.name || !strings.HasSuffix(i.Model, "/"+o.Model) {
				t.Errorf("info %+v", i)
			}
			texts := make([]string, 2*maxTexts+1)
			for i := range texts {
				texts[i] = strings.Repeat("x", i) // the first is empty
			}
			count.Store(0)
			v, err := e.Embed(t.Context(), texts)
			if err != nil || len(v) != len(texts) || count.Load() != 3 {
				t.Fatalf("%d vectors by %d requests: %v", len(v), count.Load(), err)
			}
			for i := 1; i < len(v); i++ {
				want := vector(texts[i], 8)
				must.OK(t, normalise(want))
				for k := range want {
					if math.Abs(float64(want[k]-v[i][k])) > 1e-6 {
						t.Fatalf("text %d: %v, want %v", i, v[i], want)
					}
				}
			}
			// Shorter vectors: asked for, or cut where the model is trained for it.
			o.Dims = 4
			short, err := tt.open(t.Context(), o)
			if err != nil || short.Info().Dims != 4 {
				t.Fatalf("%+v, %v", short, err)
			}
			if v, err := short.Embed(t.Context(), []string{"abc"}); err != nil || len(v[0]) != 4 {
				t.Errorf("%v, %v", v, err)
			}
		})
	}
}

// TestRetries: a server that is busy or restarts is asked again, one that
// refuses is not.
func TestRetries(t *testing.T) {
	busy := func(w http.ResponseWriter, n int64) bool {
		if n <= 2 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusBadGateway}[n-1])
			return true
		}
		return false
	}
	url, count := serve(t, "/api/embed", busy)
	if _, err := Ollama(t.Context(), quick(url)); err != nil || count.Load() != 3 {
		t.Errorf("after %d requests: %v", count.Load(), err)
	}
	url, count = serve(t, "/api/embed", func(w http.ResponseWriter, _ int64) bool {
		http.Error(w, `{"error":"overloaded"}`, http.StatusServiceUnavailable)
		return true
	})
	if _, err := Ollama(t.Context(), quick(url)); err == nil || count.Load() != httpjson.DefaultRetries+1 || !strings.Contains(err.Error(), "overloaded") {
		t.Errorf("after %d requests: %v", count.Load(), err)
	}
	url, count = serve(t, "/api/embed", nil)
	o := quick(url)
	o.Model = "absent"
	if _, err := Ollama(t.Context(), o); err == nil || count.Load() != 1 || !strings.Contains(err.Error(), "try pulling it first") {
		t.Errorf("after %d requests: %v", count.Load(), err)
	}
}

// TestFaults: what is wrong is said, and never a key with it.
func TestFaults(t *testing.T) {
	url, _ := serve(t, "/v1/embeddings", nil)
	o := quick(url + "/v1")
	o.Key = "sk-wrong-and-private"
	if _, err := OpenAI(t.Context(), o); err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), o.Key) {
		t.Errorf("a wrong key: %v", err)
	}
	for _, body := range []string{`{}`, `{"embeddings":[]}`, `{"embeddings":[[]]}`, `not JSON`, `{"embeddings":[[1],[2]]}`, `{"embeddings":[null]}`} {
		url, _ := serve(t, "/api/embed", func(w http.ResponseWriter, _ int64) bool {
			_, _ = w.Write([]byte(body)) // the client's fault when it fails
			return true
		})
		if _, err := Ollama(t.Context(), quick(url)); err == nil {
			t.Errorf("%s was understood", body)
		}
	}
	url, count := serve(t, "/api/embed", func(w http.ResponseWriter, _ int64) bool {
		w.Header().Set("Location", "http://192.0.2.1/collect")
		w.WriteHeader(http.StatusTemporaryRedirect)
		return true
	})
	if _, err := Ollama(t.Context(), quick(url)); err == nil || count.Load() != 1 {
		t.Errorf("a redirect was followed: %v", err)
	}
	for _, address := range []string{"", "localhost:11434", "file:///etc/passwd", "http://"} {
		if _, err := Ollama(t.Context(), quick(address)); err == nil || !strings.Contains(err.Error(), "no http or https URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
	url, _ = serve(t, "/api/embed", nil)
	o = quick(url)
	o.Dims = 9
	if _, err := Ollama(t.Context(), o); !errors.Is(err, errNoLength) {
		t.Errorf("longer than the model's: %v", err)
	}
}

// TestTimeoutAndCancel: a server that says nothing is given up.
func TestTimeoutAndCancel(t *testing.T) {
	release := make(chan struct{})
	url, _ := serve(t, "/api/embed", func(http.ResponseWriter, int64) bool { <-release; return true })
	t.Cleanup(func() { close(release) })
	o := quick(url)
	o.Timeout, o.Retries = 20*time.Millisecond, -1
	if _, err := Ollama(t.Context(), o); err == nil {
		t.Error("it answered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ollama(ctx, quick(url)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestOllamaModel(t *testing.T) {
	for gigabytes, want := range map[uint64]string{4: "qwen3-embedding:0.6b", 16: "qwen3-embedding:4b", 64: "qwen3-embedding:8b"} {
		if got := OllamaModel(gigabytes << 30); got != want {
			t.Errorf("%d GB: %s, want %s", gigabytes, got, want)
		}
	}
}
