package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/config"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/rerank"
	"manicule/memory/rerank/reranktest"
)

// open is the way a command opens a reranker, with settings of its user.
func open(t *testing.T, dir string, settings, env map[string]string) *rerank.Lazy {
	t.Helper()
	c := config.Defaults()
	for k, v := range settings {
		must.OK(t, c.Set(k, v, config.User))
	}
	l := Open(c, dir, func(k string) string { return env[k] })
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// TestLocal: nothing changes without a reranker, one that is installed while a
// process runs is used, and the settings choose among several.
func TestLocal(t *testing.T) {
	dir := t.TempDir()
	store := models.Open(dir)
	l := open(t, dir, nil, nil)
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrNone) || l.Info() != (rerank.Info{}) {
		t.Errorf("none: %+v, %v", l.Info(), err)
	}
	published := filepath.Join(t.TempDir(), "one")
	must.OK(t, reranktest.WriteONNX(published))
	for _, name := range []string{"one", "two"} {
		if _, _, err := store.InstallReranker(t.Context(), name, published); err != nil {
			t.Fatal(err)
		}
	}
	if l.Info() != (rerank.Info{Model: "one"}) {
		t.Errorf("before it is loaded: %+v", l.Info())
	}
	scores, err := l.Rerank(t.Context(), "token refresh needs redis", []string{"the icon is blue", "refresh of a token needs redis", "redis"})
	if err != nil || len(scores) != 3 || scores[1] < .9 || scores[0] > .1 || scores[2] <= scores[0] || scores[2] >= scores[1] {
		t.Fatalf("%v, %v", scores, err)
	}
	if i := l.Info(); i.Model != "one" || i.Backend == "" {
		t.Errorf("loaded: %+v", i)
	}
	if i := open(t, dir, map[string]string{"rerank.model": "TWO"}, nil).Info(); i.Model != "two" {
		t.Errorf("named: %+v", i)
	}
	for _, name := range []string{"absent", models.Default} {
		l := open(t, dir, map[string]string{"rerank.model": name}, nil)
		if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrNone) || l.Info().Model != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	l = open(t, dir, map[string]string{"rerank.provider": Off}, nil)
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrNone) || l.Info().Model != "" {
		t.Errorf("off: %v", err)
	}
	// What does not load is no reranker, and the error says why.
	must.OK(t, os.Truncate(filepath.Join(dir, "two", models.ModelFile), 1))
	if _, err := open(t, dir, map[string]string{"rerank.model": "two"}, nil).Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrNone) || !errors.Is(err, models.ErrAbsent) {
		t.Errorf("damaged: %v", err)
	}
}

// TestServer: the settings' server is asked, with the key of the variable that
// they name and of no other.
func TestServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a struct {
			Model     string   `json:"model"`
			Documents []string `json:"documents"`
		}
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.URL.Path != "/v1/rerank" || a.Model != "m" {
			http.Error(w, "another request", http.StatusBadRequest)
			return
		}
		if r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"results":[{"index":1,"relevance_score":0.75},{"index":0,"relevance_score":0.25}]}`)) // the client's fault when it fails
	}))
	defer server.Close()
	settings := map[string]string{"rerank.provider": OpenAI, "rerank.endpoint": server.URL + "/v1", "rerank.model": "m"}
	l := open(t, t.TempDir(), settings, map[string]string{"RERANK_API_KEY": "k"})
	if s, err := l.Rerank(t.Context(), "q", []string{"a", "b"}); err != nil || s[0] != .25 || s[1] != .75 || !strings.HasSuffix(l.Info().Model, "/m") {
		t.Errorf("%v, %v", s, err)
	}
	l = open(t, t.TempDir(), settings, map[string]string{"OPENAI_API_KEY": "k"})
	if _, err := l.Rerank(t.Context(), "q", []string{"a", "b"}); err == nil || errors.Is(err, rerank.ErrNone) {
		t.Errorf("another's key was sent: %v", err)
	}
	for _, key := range []string{"rerank.endpoint", "rerank.model"} {
		some := map[string]string{"rerank.provider": OpenAI, "rerank.endpoint": server.URL, "rerank.model": "m"}
		some[key] = ""
		l := open(t, t.TempDir(), some, nil)
		if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, errSettings) || !errors.Is(err, rerank.ErrNone) || !strings.Contains(err.Error(), key) || l.Info().Model != "" {
			t.Errorf("no %s: %v", key, err)
		}
	}
}

// TestLate: the embedding model reranks where the settings say so and it is installed, and nothing else then does.
func TestLate(t *testing.T) {
	settings := map[string]string{"rerank.provider": Late}
	l := open(t, t.TempDir(), settings, nil)
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, rerank.ErrNone) || l.Info() != (rerank.Info{}) {
		t.Errorf("without a model: %+v, %v", l.Info(), err)
	}
	dir := os.Getenv("MANICULE_TEST_MODELS")
	if dir == "" {
		t.Skip("MANICULE_TEST_MODELS names no folder of models: `make model-for-tests` prints one")
	}
	l = open(t, dir, settings, nil)
	if i := l.Info(); i.Model == "" || i.Share != local.LateShare {
		t.Errorf("before it is loaded: %+v", i)
	}
	texts := []string{"the icon in the sidebar is blue", "a failed request waits longer before the next try", "requests are logged"}
	s, err := l.Rerank(t.Context(), "how long does a failed request wait before the next try", texts)
	if err != nil || len(s) != 3 || s[1] <= s[2] || s[2] <= s[0] || s[0] < 0 || s[1] > 1 || !strings.Contains(l.Info().Backend, "onnxruntime") || l.Info().Share != local.LateShare {
		t.Errorf("%v by %+v, %v", s, l.Info(), err)
	}
}

// BenchmarkLate reranks twenty texts that are new, and twenty that are kept.
func BenchmarkLate(b *testing.B) {
	dir := os.Getenv("MANICULE_TEST_MODELS")
	if dir == "" {
		b.Skip("MANICULE_TEST_MODELS names no folder of models: `make model-for-tests` prints one")
	}
	c := config.Defaults()
	must.OK(b, c.Set("rerank.provider", Late, config.User))
	l := Open(c, dir, func(string) string { return "" })
	defer func() { _ = l.Close() }() // nothing depends on it
	n := 0
	texts := func() (out []string) {
		for range 20 {
			n++
			out = append(out, fmt.Sprintf("Token refresh %d fails silently when Redis is unreachable, since refresh() swallows the error of the dial; a session then looks signed in "+
				"until its next request, which is answered with 401. Seen in May, in the incident of the queue's workers.", n))
		}
		return out
	}
	run := func(b *testing.B, texts []string) {
		if _, err := l.Rerank(b.Context(), "why are users signed out when redis is down", texts); err != nil {
			b.Fatal(err)
		}
	}
	run(b, texts()[:2])
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			run(b, texts())
		}
	})
	same := texts()
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			run(b, same)
		}
	})
}
