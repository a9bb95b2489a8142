package services

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

// withModel gives the workspaces that o opens a model to which all texts mean the same.
func withModel(t *testing.T, o *Opener) {
	t.Helper()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		type row struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := []row{}
		for i := range q.Input {
			data = append(data, row{i, []float32{1, 0}})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(model.Close)
	vars := o.Getenv
	o.Getenv = func(k string) string {
		switch k {
		case "MANICULE_EMBEDDING_PROVIDER":
			return "openai"
		case "MANICULE_EMBEDDING_URL":
			return model.URL
		case "MANICULE_EMBEDDING_MODEL":
			return "same"
		}
		return vars(k)
	}
}
