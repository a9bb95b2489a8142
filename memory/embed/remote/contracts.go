package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"manicule/memory/embed"
)

// Ollama opens a model of an Ollama server (POST /api/embed).
func Ollama(ctx context.Context, o Options) (embed.Embedder, error) {
	return open(ctx, contract{
		name: "ollama", path: "api/embed",
		request: func(o Options, texts []string) any {
			return struct {
				Model    string   `json:"model"`
				Input    []string `json:"input"`
				Truncate bool     `json:"truncate"` // at the model's length, instead of an error
				Dims     int      `json:"dimensions,omitempty"`
			}{o.Model, texts, true, o.Dims}
		},
		answer: func(body []byte, n int) ([][]float32, error) {
			var a struct {
				Embeddings [][]float32 `json:"embeddings"`
			}
			if err := json.Unmarshal(body, &a); err != nil {
				return nil, err
			}
			return complete(a.Embeddings, n)
		},
	}, o)
}

// OpenAI opens a model of a server with OpenAI's API (POST /embeddings below the URL, which usually
// ends in /v1).
func OpenAI(ctx context.Context, o Options) (embed.Embedder, error) {
	return open(ctx, contract{
		name: "openai", path: "embeddings",
		request: func(o Options, texts []string) any {
			return struct {
				Model  string   `json:"model"`
				Input  []string `json:"input"`
				Format string   `json:"encoding_format"`
				Dims   int      `json:"dimensions,omitempty"`
			}{o.Model, texts, "float", o.Dims}
		},
		answer: func(body []byte, n int) ([][]float32, error) {
			var a struct {
				Data []struct {
					Index     int       `json:"index"`
					Embedding []float32 `json:"embedding"`
				} `json:"data"`
			}
			if err := json.Unmarshal(body, &a); err != nil {
				return nil, err
			}
			out := make([][]float32, n)
			for _, d := range a.Data { // the order is not guaranteed
				if d.Index < 0 || d.Index >= n {
					return nil, fmt.Errorf("a vector for text %d of %d", d.Index, n)
				}
				out[d.Index] = d.Embedding
			}
			return complete(out, n)
		},
	}, o)
}

// complete rejects an answer with missing vectors or vectors of different lengths.
func complete(v [][]float32, n int) ([][]float32, error) {
	if len(v) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(v), n)
	}
	for _, x := range v {
		if len(x) == 0 || len(x) != len(v[0]) {
			return nil, errors.New("a text has no vector, or one of another length")
		}
	}
	return v, nil
}

// OllamaModel returns the largest model that leaves most of a machine's memory free, given in bytes.
func OllamaModel(memory uint64) string {
	const gigabyte = 1 << 30
	switch {
	case memory > 32*gigabyte:
		return "qwen3-embedding:8b"
	case memory > 12*gigabyte:
		return "qwen3-embedding:4b"
	}
	return "qwen3-embedding:0.6b"
}
