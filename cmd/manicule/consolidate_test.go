package main

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

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

// The settings that the command embedder makes.
const (
	envEmbedder      = "MANICULE_EMBEDDING_PROVIDER"
	envEmbedderURL   = "MANICULE_EMBEDDING_URL"
	envEmbedderModel = "MANICULE_EMBEDDING_MODEL"
)

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
	ts.Setenv(envEmbedder, "openai")
	ts.Setenv(envEmbedderURL, f.URL)
	ts.Setenv(envEmbedderModel, "words")
}

// wait is the script's command: embedder-hangs waits until somebody does.
func (e *embedders) wait(ts *testscript.TestScript, neg bool, args []string) {
	f, ok := e.byURL.Load(ts.Getenv(envEmbedderURL))
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

// interviewed returns how to run the program in a workspace of its own with an embedder: by somebody at a terminal who
// presses some keys, or by a script if there are none. It returns what is printed.
func interviewed(t *testing.T, settings map[string]string) func(keys string, args ...string) string {
	f := &fakeEmbedder{asked: make(chan struct{}, 1), end: make(chan struct{})}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	root := t.TempDir()
	vars := homeVars(root + "/home")
	vars["MANICULE_EMBEDDING_PROVIDER"], vars["MANICULE_EMBEDDING_URL"], vars["MANICULE_EMBEDDING_MODEL"] = "openai", f.URL, "words"
	maps.Copy(vars, settings)
	return func(keys string, args ...string) string {
		t.Helper()
		a, out, complaint := testApp(t, append(args, "--root", root)...)
		a.getenv = func(k string) string { return vars[k] }
		a.in, a.tty, a.inputTTY = strings.NewReader(keys), keys != "", keys != ""
		if code := a.run(); code != exitOK {
			t.Fatalf("manicule %v ended with %d: %s", args, code, complaint)
		}
		return out.String() + complaint.String()
	}
}

// TestConsolidateInterview decides about groups as a person at a terminal does.
func TestConsolidateInterview(t *testing.T) {
	run := interviewed(t, nil)
	run("", "init")
	for _, what := range []string{
		"Run the linter and all tests before each commit", "Run the linter and all tests before each single commit",
		"Names of tables are singular and in lower case", "Names of tables are singular and all in lower case",
		"A token lives for an hour after the login", "A token lives for an hour after the last login",
	} {
		run("", "remember", what, "--again", "keep")
	}
	if out := run("q\n", "consolidate", "--apply"); !strings.Contains(out, "6 memories: 3 groups say the same") || strings.Contains(out, "merged") {
		t.Errorf("leaving:\n%s", out)
	}
	out := run("x\nm\nk\ns\n", "consolidate", "--apply")
	if strings.Count(out, "[m]erge, [s]kip, [k]eep apart for good, [q]uit?") != 4 || strings.Count(out, "☞ merged:") != 1 {
		t.Errorf("the interview says:\n%s", out)
	}
	if out := run("", "list"); strings.Count(out, "  convention  ") != 5 {
		t.Errorf("after one merge:\n%s", out)
	}
	if out := run("", "consolidate"); !strings.Contains(out, "5 memories: 1 group says the same") || !strings.Contains(out, "a person keeps them apart: 1 pair") {
		t.Errorf("what is left:\n%s", out)
	}
	if out := run("", "status"); !strings.Contains(out, "looked at 5 memories") || !strings.Contains(out, "1 group says the same") {
		t.Errorf("status:\n%s", out)
	}
}

// TestConsolidateWithAModel takes the text that a chat model proposes for a group, and sees why another one is none.
func TestConsolidateWithAModel(t *testing.T) {
	answer := ""
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(chat.Close)
	run := interviewed(t, map[string]string{
		"MANICULE_MODEL_PROVIDER": "openai", "MANICULE_MODEL_ENDPOINT": chat.URL, "MANICULE_MODEL_NAME": "tiny", "MANICULE_CONSOLIDATE_TEXT": "model",
	})
	run("", "init")
	for _, what := range []string{"Names of tables are singular and in lower case", "Names of tables are singular and all in lower case"} {
		run("", "remember", what, "--again", "keep")
	}
	answer = `{"what": "Names of tables are never singular"}`
	if out := run("t\nq\n", "consolidate", "--apply"); !strings.Contains(out, "no text by the model: the text differs from") || strings.Contains(out, "☞ merged") || strings.Contains(out, "[t]ext") {
		t.Errorf("a text that says something else:\n%s", out)
	}
	answer = `{"what": "Names of tables are singular, and in lower case."}`
	if out := run("t\n", "consolidate", "--apply"); !strings.Contains(out, "merge with this [t]ext") || !strings.Contains(out, "☞ merged") {
		t.Errorf("a text that says the same:\n%s", out)
	}
	if out := run("", "list"); !strings.Contains(out, "Names of tables are singular, and in lower case.") || strings.Count(out, "\n") != 1 {
		t.Errorf("after the merge:\n%s", out)
	}
}

// TestConsolidateWithoutItsModel: a model that is asked for and can't be had keeps nobody from merging.
func TestConsolidateWithoutItsModel(t *testing.T) {
	run := interviewed(t, map[string]string{"MANICULE_CONSOLIDATE_TEXT": "model"})
	run("", "init")
	for _, what := range []string{"Names of tables are singular and in lower case", "Names of tables are singular and all in lower case"} {
		run("", "remember", what, "--again", "keep")
	}
	if out := run("m\n", "consolidate", "--apply"); !strings.Contains(out, "no text by the model: ") || !strings.Contains(out, "☞ merged") {
		t.Errorf("without a model:\n%s", out)
	}
}
