package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAskModel: a chat model answers from the memories that are not personal, and what it cites is shown. It is sent
// no secret, and if it fails, the memories answer.
func TestAskModel(t *testing.T) {
	p := newProgram(t)
	var sent atomic.Value
	var fails atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Messages []struct{ Role, Content string } `json:"messages"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil || fails.Load() {
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusBadRequest)
			return
		}
		text := request.Messages[len(request.Messages)-1].Content
		sent.Store(text)
		id := regexp.MustCompile(`\[([0-9a-f]{8})\] gotcha`).FindStringSubmatch(text)
		answer := "Nothing says so."
		if id != nil {
			answer = "A janitor empties it at noon [" + id[1] + "]."
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(server.Close)
	p.env = append(p.env, "MANICULE_MODEL_PROVIDER=openai", "MANICULE_MODEL_ENDPOINT="+server.URL, "MANICULE_MODEL_NAME=tiny")
	p.run(t, "init")
	p.run(t, "remember", "The zebra cache is emptied by a janitor", "--type", "gotcha", "--why", "it grows until noon")
	p.run(t, "remember", "The zebra cache annoys me", "--personal", "--type", "preference")
	ask := func(args ...string) string { return p.run(t, append([]string{"ask", "--lexical"}, args...)...) }

	out := ask("who empties the zebra cache?")
	if !strings.HasPrefix(out, "A janitor empties it at noon [") || strings.Count(out, "zebra cache") != 1 {
		t.Errorf("the answer, and the memory that it cites:\n%s", out)
	}
	if text, _ := sent.Load().(string); !strings.Contains(text, "it grows until noon") || strings.Contains(text, "annoys me") {
		t.Errorf("what the model was sent:\n%s", text)
	}
	sent.Store("")
	if out := ask("who empties the zebra cache?", "--no-model"); strings.Contains(out, "at noon [") || sent.Load() != "" {
		t.Errorf("with --no-model: sent %q\n%s", sent.Load(), out)
	}
	if out := ask("does the zebra cache keep ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o ?"); sent.Load() != "" || !strings.Contains(out, "contain a secret") {
		t.Errorf("a question with a secret: sent %q\n%s", sent.Load(), out)
	}
	fails.Store(true)
	if out := ask("who empties the zebra cache?"); !strings.Contains(out, "no model wrote the answer") || !strings.Contains(out, "emptied by a janitor") {
		t.Errorf("a model that fails:\n%s", out)
	}
}
