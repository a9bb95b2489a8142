package main

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// embedders are the servers of vectors that scripts have started, by their URL.
type embedders struct{ byURL sync.Map }

// fakeEmbedder speaks OpenAI's API: its vectors count the words of a text. A text
// with the word "hang" is never answered.
type fakeEmbedder struct {
	*httptest.Server
	asked chan struct{} // has a value when somebody hangs
	end   chan struct{}
}

// start is the script's command: embedder sets the settings to a server of its
// own.
func (e *embedders) start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: embedder")
	}
	f := &fakeEmbedder{asked: make(chan struct{}, 100), end: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	ts.Defer(func() {
		close(f.end)
		f.Close()
	})
	e.byURL.Store(f.URL, f)
	ts.Setenv("MANICULE_EMBEDDING_PROVIDER", "openai")
	ts.Setenv("MANICULE_EMBEDDING_URL", f.URL)
	ts.Setenv("MANICULE_EMBEDDING_MODEL", "words")
}

// wait is the script's command: embedder-hangs waits until somebody does.
func (e *embedders) wait(ts *testscript.TestScript, neg bool, args []string) {
	f, ok := e.byURL.Load(ts.Getenv("MANICULE_EMBEDDING_URL"))
	if neg || len(args) > 0 || !ok {
		ts.Fatalf("usage: embedder-hangs, after embedder")
	}
	if x, ok := f.(*fakeEmbedder); ok {
		<-x.asked
	}
}

// ServeHTTP answers POST /embeddings.
func (f *fakeEmbedder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Input []string `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	type row struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []row `json:"data"`
	}
	for i, text := range q.Input {
		v := make([]float32, 256)
		for _, word := range strings.Fields(strings.ToLower(text)) {
			if word == "hang" {
				f.asked <- struct{}{}
				select {
				case <-f.end:
				case <-r.Context().Done():
				}
				return
			}
			h := fnv.New32()
			_, _ = h.Write([]byte(word)) // never fails
			v[h.Sum32()%256]++
		}
		out.Data = append(out.Data, row{i, v})
	}
	_ = json.NewEncoder(w).Encode(out) // the client is gone: it says so itself
}
