package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/config"
	"manicule/memory/httpjson"
)

const key = "sk-secret"

// serve is a server that speaks both contracts, as far as they are used, and
// refuses what they refuse. before may answer in its place.
func serve(t *testing.T, before func(w http.ResponseWriter, n int64) bool) (string, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	mux := http.NewServeMux()
	handle := func(path string, f http.HandlerFunc) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if before == nil || !before(w, count.Add(1)) {
				f(w, r)
			}
		})
	}
	handle("/v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var a openAIRequest
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key:
			http.Error(w, `{"error":{"message":"Incorrect API key provided: `+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}}`, http.StatusUnauthorized)
		case d.Decode(&a) != nil || len(a.Messages) == 0 || a.Messages[len(a.Messages)-1].Role != "user":
			http.Error(w, `{"error":{"message":"another request"}}`, http.StatusBadRequest)
		case a.Model == "new" && a.MaxTokens != 0:
			http.Error(w, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, http.StatusBadRequest)
		case a.MaxTokens+a.MaxCompletionTokens != 50:
			http.Error(w, `{"error":{"message":"no bound"}}`, http.StatusBadRequest)
		default:
			reply(w, map[string]any{
				"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": " " + a.Messages[0].Role + ": " + a.Messages[len(a.Messages)-1].Content + "\n"}}},
				"usage":   map[string]int{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
			})
		}
	})
	handle("/v1/messages", func(w http.ResponseWriter, r *http.Request) {
		var a struct {
			Model     string    `json:"model"`
			MaxTokens int       `json:"max_tokens"`
			System    string    `json:"system"`
			Messages  []message `json:"messages"`
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		switch {
		case r.Header.Get("x-api-key") != key:
			http.Error(w, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, http.StatusUnauthorized)
		case r.Header.Get("anthropic-version") != anthropicVersion:
			http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"anthropic-version: header is required"}}`, http.StatusBadRequest)
		case d.Decode(&a) != nil || a.MaxTokens != 50 || len(a.Messages) != 1 || a.Messages[0].Role != "user":
			http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"another request"}}`, http.StatusBadRequest)
		default:
			first := "user: "
			if a.System != "" {
				first = "system: "
			}
			reply(w, map[string]any{
				"type": "message", "role": "assistant", "stop_reason": "end_turn",
				"content": []any{map[string]any{"type": "thinking", "thinking": "hm"}, map[string]any{"type": "text", "text": first}, map[string]any{"type": "text", "text": a.Messages[0].Content}},
				"usage":   map[string]int{"input_tokens": 4, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens": 3},
			})
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, &count
}

func reply(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) } // the client's fault when it fails

// noon is the tests' time.
func noon() time.Time { return time.Date(2026, 5, 2, 12, 0, 0, 0, time.UTC) }

func options(t *testing.T, provider, url string) Options {
	t.Helper()
	return Options{
		Provider: provider, Endpoint: url, Name: "m", Key: key, KeyName: "MY_KEY", MaxCalls: 50, Dir: filepath.Join(t.TempDir(), "state"),
		Now: noon, Wait: time.Millisecond, Timeout: 5 * time.Second,
	}
}

func open(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := Open(o)
	must.OK(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestContracts(t *testing.T) {
	for _, provider := range []string{OpenAI, Anthropic} {
		url, count := serve(t, func(http.ResponseWriter, int64) bool { return false })
		for _, base := range []string{url, url + "/", url + "/v1"} {
			c := open(t, options(t, provider, base))
			a, err := c.Complete(t.Context(), "you are terse", "Größe?", 50)
			if want := (Answer{Text: "system: Größe?", InputTokens: 7, OutputTokens: 3}); err != nil || a != want || c.Model() != provider+"/m" {
				t.Errorf("%s: %+v, want %+v: %v", provider, a, want, err)
			}
			if a, err := c.Complete(t.Context(), "", "q", 50); err != nil || a.Text != "user: q" {
				t.Errorf("%s without a system: %+v, %v", provider, a, err)
			}
		}
		o := options(t, provider, url)
		o.Key = "sk-wrong-and-private"
		count.Store(0)
		_, err := open(t, o).Complete(t.Context(), "s", "u", 50)
		if err == nil || count.Load() != 1 || strings.Contains(err.Error(), o.Key) || Hint(err) != "Check the key in the environment variable MY_KEY." {
			t.Errorf("%s with a wrong key, %d requests: %v; %q", provider, count.Load(), err, Hint(err))
		}
		if _, err := open(t, o).Complete(t.Context(), "s", "u", 0); err == nil {
			t.Errorf("%s: an answer of no tokens", provider)
		}
	}
	// A model that calls the bound by its other name.
	url, count := serve(t, func(http.ResponseWriter, int64) bool { return false })
	o := options(t, OpenAI, url)
	o.Name = "new"
	c := open(t, o)
	a, err := c.Complete(t.Context(), "s", "u", 50)
	used, limit, uerr := c.Used(t.Context())
	if err != nil || a.Text != "system: u" || count.Load() != 2 || used != 1 || limit != 50 || uerr != nil {
		t.Errorf("%+v by %d requests, %d of %d calls: %v, %v", a, count.Load(), used, limit, err, uerr)
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		provider, body string
		want           Answer
		err            error
	}{
		{OpenAI, `not JSON`, Answer{}, httpjson.ErrAnswer},
		{OpenAI, `{}`, Answer{}, httpjson.ErrAnswer},
		{OpenAI, `{"choices":[{"message":{"content":null,"refusal":"no"}}]}`, Answer{}, errRefused},
		{OpenAI, `{"choices":[{"message":{"content":"a"},"finish_reason":"content_filter"}]}`, Answer{}, errRefused},
		{OpenAI, `{"choices":[{"message":{"content":"a b"},"finish_reason":"length"}]}`, Answer{Text: "a b", Cut: true}, nil},
		{OpenAI, `{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"completion_tokens":50}}`, Answer{OutputTokens: 50, Cut: true}, httpjson.ErrAnswer},
		{Anthropic, `[]`, Answer{}, httpjson.ErrAnswer},
		{Anthropic, `{"content":[]}`, Answer{}, httpjson.ErrAnswer},
		{Anthropic, `{"content":[{"type":"text","text":"a"}],"stop_reason":"refusal","usage":{"input_tokens":5}}`, Answer{InputTokens: 5}, errRefused},
		{Anthropic, `{"content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens"}`, Answer{Text: "a", Cut: true}, nil},
	}
	for _, tt := range tests {
		url, _ := serve(t, func(w http.ResponseWriter, _ int64) bool {
			_, _ = w.Write([]byte(tt.body)) // the client's fault when it fails
			return true
		})
		got, err := open(t, options(t, tt.provider, url)).Complete(t.Context(), "s", "u", 50)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s %s: %+v, want %+v: %v", tt.provider, tt.body, got, tt.want, err)
		}
	}
}

// TestRetries: a busy server is asked again, one that hangs is not: it may have
// been paid.
func TestRetries(t *testing.T) {
	url, count := serve(t, func(w http.ResponseWriter, n int64) bool {
		if n <= 2 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader([]int{http.StatusTooManyRequests, 529}[n-1])
		}
		return n <= 2
	})
	c := open(t, options(t, Anthropic, url))
	if _, err := c.Complete(t.Context(), "s", "u", 50); err != nil || count.Load() != 3 {
		t.Errorf("after %d requests: %v", count.Load(), err)
	}
	if used, _, err := c.Used(t.Context()); used != 1 || err != nil {
		t.Errorf("%d calls were counted for one: %v", used, err)
	}
	release := make(chan struct{})
	url, count = serve(t, func(http.ResponseWriter, int64) bool { <-release; return true })
	defer close(release)
	o := options(t, OpenAI, url)
	o.Timeout = 20 * time.Millisecond
	if _, err := open(t, o).Complete(t.Context(), "s", "u", 50); err == nil || count.Load() != 1 {
		t.Errorf("a hang, %d requests: %v", count.Load(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c = open(t, options(t, OpenAI, url))
	if _, err := c.Complete(ctx, "s", "u", 50); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if used, _, err := c.Used(t.Context()); used != 0 || err != nil {
		t.Errorf("a call that was never made is counted: %d, %v", used, err)
	}
}

// TestBudget: all clients of a folder share the day's calls, and no race gives
// one more; the next day has its own.
func TestBudget(t *testing.T) {
	url, count := serve(t, func(http.ResponseWriter, int64) bool { return false })
	o := options(t, OpenAI, url)
	o.MaxCalls = 5
	var denied atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		c := open(t, o)
		all.Go(func() {
			for range 3 {
				if _, err := c.Complete(t.Context(), "s", "u", 50); errors.Is(err, ErrBudget) && Hint(err) != "" {
					denied.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if count.Load() != 5 || denied.Load() != 7 {
		t.Errorf("%d requests and %d refused, want 5 and 7", count.Load(), denied.Load())
	}
	o.Now = func() time.Time { return noon().Add(12 * time.Hour) }
	c := open(t, o)
	if _, err := c.Complete(t.Context(), "s", "u", 50); err != nil {
		t.Errorf("the next day: %v", err)
	}
	if used, limit, err := c.Used(t.Context()); used != 1 || limit != 5 || err != nil {
		t.Errorf("%d of %d, %v", used, limit, err)
	}
	st, err := os.Stat(filepath.Join(o.Dir, callsFile))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v", st, err)
	}
	must.Write(t, filepath.Join(o.Dir, callsFile), "{")
	if _, err := c.Complete(t.Context(), "s", "u", 50); err == nil || count.Load() != 6 {
		t.Errorf("a damaged count opens the limit: %v", err)
	}
}

// TestSettings: off by default, and no key of a provider goes to another's
// server.
func TestSettings(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "MINE": "mine"}
	tests := []struct {
		provider, endpoint, name, variable string
		key                                string
		err                                error
	}{
		{Off, "", "m", "", "", ErrNone},
		{OpenAI, "", "m", "", "o", nil},
		{Anthropic, "", "m", "", "a", nil},
		{Anthropic, "", "", "", "a", errSettings},
		{OpenAI, "", "m", "ABSENT", "", errSettings},
		{OpenAI, "http://127.0.0.1:1/v1", "m", "", "", nil},
		{OpenAI, "http://127.0.0.1:1/v1", "m", "MINE", "mine", nil},
		{OpenAI, "127.0.0.1", "m", "", "", httpjson.ErrAddress},
	}
	for _, tt := range tests {
		c := config.Defaults()
		for k, v := range map[string]string{"model.provider": tt.provider, "model.endpoint": tt.endpoint, "model.name": tt.name, "model.key_variable": tt.variable} {
			must.OK(t, c.Set(k, v, config.User))
		}
		o := Configured(c, func(k string) string { return env[k] }, t.TempDir(), noon)
		_, err := Open(o)
		if o.Key != tt.key || o.MaxCalls != 100 || !errors.Is(err, tt.err) || (err != nil && Hint(err) == "") {
			t.Errorf("%+v: key %q, %v", tt, o.Key, err)
		}
	}
	if _, err := Open(Configured(config.Defaults(), os.Getenv, t.TempDir(), noon)); !errors.Is(err, ErrNone) {
		t.Errorf("without settings: %v", err)
	}
}

// TestSecretsAreMasked: no model gets to see one.
func TestSecretsAreMasked(t *testing.T) {
	for _, provider := range []string{OpenAI, Anthropic} {
		url, _ := serve(t, func(http.ResponseWriter, int64) bool { return false })
		a, err := open(t, options(t, provider, url)).Complete(t.Context(), "", "log in with admin / S3cr3t! and DB_PASSWORD=Wint3rSun!x", 50)
		if err != nil || a.Text != "user: log in with admin / [password] and DB_PASSWORD=[password]" {
			t.Errorf("%s: %+v, %v", provider, a, err)
		}
	}
}
