package remote

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"manicule/indexer/must"
)

// TestSecretsAreMasked: no server gets to see one.
func TestSecretsAreMasked(t *testing.T) {
	url, _ := serve(t, "/api/embed", nil)
	var mu sync.Mutex
	var seen strings.Builder
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		seen.Write(body)
		mu.Unlock()
		resp, err := http.Post(url+r.URL.Path, "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = resp.Body.Close() }() // it was only read
		if _, err := io.Copy(w, resp.Body); err != nil {
			t.Error(err)
		}
	}))
	defer front.Close()
	e, err := Ollama(t.Context(), quick(front.URL))
	must.OK(t, err)
	texts := []string{"the staging password is hunter2secret99", "token ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx gitleaks:allow", "plain words"}
	if _, err := e.Embed(t.Context(), texts); err != nil {
		t.Fatal(err)
	}
	if s := seen.String(); strings.Contains(s, "hunter2") || strings.Contains(s, "wWPw5k4") || !strings.Contains(s, "[password]") || !strings.Contains(s, "plain words") {
		t.Error(s)
	}
	if !strings.Contains(texts[0], "hunter2") {
		t.Error("the caller's texts were changed")
	}
}
