package provider

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"manicule/memory/embed"
	"manicule/memory/embed/models"
)

func service(t *testing.T, s Settings) *embed.Service {
	t.Helper()
	s.Idle = time.Minute
	svc := New(s, models.Open(t.TempDir())).Service(embed.System())
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	return svc
}

// TestNone: without a model nothing breaks, and what is missing is said.
func TestNone(t *testing.T) {
	for _, kind := range []string{Local, Off} {
		_, _, err := service(t, Settings{Provider: kind}).Embed(t.Context(), embed.Query, []string{"a"}, nil)
		if !errors.Is(err, embed.ErrNone) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	p := New(Settings{Provider: Local}, models.Open(t.TempDir()))
	if got := p.Expect(); got != (embed.Info{}) {
		t.Errorf("expects %+v of nothing", got)
	}
}

// TestServer: the settings' server is asked with the key of the environment,
// and when it is gone the state says so.
func TestServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
			Dims  int      `json:"dimensions"`
		}
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.Header.Get("Authorization") != "Bearer k" || a.Model != openAIModel || a.Dims != serverDims {
			http.Error(w, "another request", http.StatusBadRequest)
			return
		}
		type datum struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []datum `json:"data"`
		}
		for i := range a.Input {
			v := make([]float32, serverDims)
			v[i] = 2
			out.Data = append(out.Data, datum{i, v})
		}
		_ = json.NewEncoder(w).Encode(out) // the client's fault when it fails
	}))
	defer server.Close()
	s := service(t, Settings{Provider: OpenAI, URL: server.URL, Key: "k"})
	info, v, err := s.Embed(t.Context(), embed.Query, []string{"a", "b"}, nil)
	if err != nil || info.Dims != serverDims || v[1][1] != 1 || s.State().Fallback != "" {
		t.Errorf("%+v, %q: %v", info, s.State().Fallback, err)
	}
	s = service(t, Settings{Provider: OpenAI, URL: server.URL, Key: "wrong"})
	_, _, err = s.Embed(t.Context(), embed.Query, []string{"a"}, nil)
	if !errors.Is(err, embed.ErrNone) || !strings.Contains(err.Error(), "another request") {
		t.Errorf("no server and no model: %v", err)
	}
	s = service(t, Settings{Provider: OpenAI, KeyName: "MY_KEY"})
	if _, _, err := s.Embed(t.Context(), embed.Query, []string{"a"}, nil); err == nil || !strings.Contains(err.Error(), "no MY_KEY") {
		t.Errorf("no key: %v", err)
	}
}
