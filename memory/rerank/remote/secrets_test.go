package remote

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSecretsAreMasked: no server gets to see one, in a question or a text.
func TestSecretsAreMasked(t *testing.T) {
	seen := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen = string(body)
		_, _ = io.WriteString(w, `{"results":[{"index":0,"relevance_score":0.5}]}`) // the client's fault when it fails
	}))
	defer s.Close()
	r := open(t, Options{URL: s.URL})
	if _, err := r.Rerank(t.Context(), "why does password=Wint3r!Sun fail", []string{"the staging password is hunter2secret99"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(seen, "Wint3r") || strings.Contains(seen, "hunter2") || strings.Count(seen, "[password]") != 2 {
		t.Error(seen)
	}
}
