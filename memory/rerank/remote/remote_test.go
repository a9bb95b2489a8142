package remote

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/httpjson"
	"manicule/memory/rerank"
)

type result struct {
	Index int     `json:"index"`
	Score float64 `json:"relevance_score"`
}

// serve is a server that speaks the contract: a text's score is its length over
// 1,000, plus shift; the best comes first. before may answer in its place.
func serve(t *testing.T, shift float64, before func(w http.ResponseWriter, n int64) bool) (string, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/rerank", func(w http.ResponseWriter, r *http.Request) {
		n := count.Add(1)
		if before != nil && before(w, n) {
			return
		}
		var a struct {
			Model     string   `json:"model"`
			Query     string   `json:"query"`
			Documents []string `json:"documents"`
			TopN      int      `json:"top_n"`
		}
		if r.Header.Get("Authorization") != "Bearer sk-secret" {
			http.Error(w, `{"message":"invalid api token sk-wrong-and-private"}`, http.StatusUnauthorized)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || a.Model != "m" || a.Query == "" || a.TopN != len(a.Documents) {
			http.Error(w, `{"message":"another request"}`, http.StatusBadRequest)
			return
		}
		var out struct {
			ID      string   `json:"id"`
			Results []result `json:"results"`
		}
		for i := len(a.Documents) - 1; i >= 0; i-- {
			if a.Documents[i] == "" {
				http.Error(w, `{"message":"documents must not be empty"}`, http.StatusUnprocessableEntity)
				return
			}
			out.Results = append(out.Results, result{i, float64(len(a.Documents[i]))/1000 + shift})
		}
		_ = json.NewEncoder(w).Encode(out) // the client's fault when it fails
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/v1", &count
}

func open(t *testing.T, o Options) rerank.Reranker {
	t.Helper()
	o.Model, o.Wait = "m", time.Millisecond
	if o.Key == "" {
		o.Key = "sk-secret"
	}
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	r, err := New(o)
	must.OK(t, err)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestContract(t *testing.T) {
	url, count := serve(t, 0, nil)
	r := open(t, Options{URL: url})
	if i := r.Info(); i.Backend != name || !strings.HasSuffix(i.Model, "/m") {
		t.Errorf("%+v", i)
	}
	texts := make([]string, maxTexts+1)
	for i := range texts {
		texts[i] = strings.Repeat("x", i) // the first is empty
	}
	got, err := r.Rerank(t.Context(), "", texts)
	if err != nil || len(got) != len(texts) || count.Load() != 2 {
		t.Fatalf("%d scores by %d requests: %v", len(got), count.Load(), err)
	}
	for i := 1; i < len(got); i++ {
		if math.Abs(got[i]-float64(i)/1000) > 1e-9 {
			t.Fatalf("text %d: %f", i, got[i])
		}
	}
	if got, err := r.Rerank(t.Context(), "q", nil); err != nil || len(got) != 0 || count.Load() != 2 {
		t.Errorf("no texts: %v, %v", got, err)
	}
	// A server that gives logits.
	url, _ = serve(t, -3, nil)
	r = open(t, Options{URL: url})
	if got, err := r.Rerank(t.Context(), "q", []string{"abc", "a"}); err != nil || math.Abs(got[0]-1/(1+math.Exp(2.997))) > 1e-9 || got[1] >= got[0] {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFaults(t *testing.T) {
	url, count := serve(t, 0, nil)
	r := open(t, Options{URL: url, Key: "sk-wrong-and-private", KeyName: "RERANK_API_KEY"})
	_, err := r.Rerank(t.Context(), "q", []string{"a"})
	if s, ok := errors.AsType[*httpjson.StatusError](err); !ok || s.Code != http.StatusUnauthorized || count.Load() != 1 ||
		strings.Contains(err.Error(), "sk-wrong") || !strings.Contains(httpjson.Hint(err), "RERANK_API_KEY") {
		t.Errorf("a wrong key: %v; %s", err, httpjson.Hint(err))
	}
	for _, body := range []string{
		`not JSON`, `{}`, `{"results":[]}`, `{"results":[{"index":2,"relevance_score":1},{"index":0,"relevance_score":1}]}`,
		`{"results":[{"index":-1,"relevance_score":1},{"index":0,"relevance_score":1}]}`,
		`{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`,
		`{"results":[{"index":0,"score":1},{"index":1,"score":1}]}`, `{"results":[{"relevance_score":1},{"relevance_score":1}]}`,
		`{"results":[{"index":0,"relevance_score":1}]}`,
	} {
		url, count := serve(t, 0, func(w http.ResponseWriter, _ int64) bool {
			_, _ = w.Write([]byte(body)) // the client's fault when it fails
			return true
		})
		if got, err := open(t, Options{URL: url}).Rerank(t.Context(), "q", []string{"a", "b"}); !errors.Is(err, httpjson.ErrAnswer) || got != nil || count.Load() != 1 {
			t.Errorf("%s was understood as %v: %v", body, got, err)
		}
	}
	url, count = serve(t, 0, func(w http.ResponseWriter, n int64) bool {
		if n == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return n == 1
	})
	if _, err := open(t, Options{URL: url}).Rerank(t.Context(), "q", []string{"a"}); err != nil || count.Load() != 2 {
		t.Errorf("busy, %d requests: %v", count.Load(), err)
	}
	url, count = serve(t, 0, func(w http.ResponseWriter, _ int64) bool {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	if _, err := open(t, Options{URL: url}).Rerank(t.Context(), "q", []string{"a"}); err == nil || count.Load() != 1 || !strings.Contains(httpjson.Hint(err), "1h0m0s") {
		t.Errorf("busy for an hour, %d requests: %v", count.Load(), err)
	}
	release := make(chan struct{})
	defer close(release)
	url, count = serve(t, 0, func(http.ResponseWriter, int64) bool { <-release; return true })
	if _, err := open(t, Options{URL: url, Timeout: 20 * time.Millisecond}).Rerank(t.Context(), "q", []string{"a"}); err == nil || count.Load() != defaultRetries+1 {
		t.Errorf("a hang, %d requests: %v", count.Load(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, Options{URL: url}).Rerank(ctx, "q", []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := New(Options{URL: "localhost"}); !errors.Is(err, httpjson.ErrAddress) {
		t.Errorf("%v", err)
	}
}
