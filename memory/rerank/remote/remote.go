// Package remote gets relevance scores from a server that answers POST /rerank, as
// Cohere, Jina, vLLM, llama.cpp and others do. It is used only where the settings
// name one. It masks secrets before it sends a text. It must not know what the texts
// are.
package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"manicule/memory/httpjson"
	"manicule/memory/rerank"
	"manicule/memory/secret/full"
)

// Options name a server and a model.
type Options struct {
	// URL is the base of /rerank: http://127.0.0.1:8080/v1.
	URL   string
	Model string
	// Key, if not empty, is sent as a bearer token. KeyName is the environment variable it was read
	// from, for messages.
	Key     string
	KeyName string
	// Timeout limits one try; 10 seconds when 0, because a person waits.
	Timeout time.Duration
	// Retries and Wait are as in httpjson.Options, but 1 when 0.
	Retries int
	Wait    time.Duration
}

const (
	defaultTimeout = 10 * time.Second
	defaultRetries = 1
	// maxTexts limits one request. Known servers take at least 1,000.
	maxTexts = 500
)

// name is the name of the backend.
const name = "openai"

// server is a reranker on another machine or in another process.
type server struct {
	o      Options
	client *httpjson.Client
	// logits is true once a score was outside 0 to 1: the server returns raw logits. It stays true,
	// so that all scores are of one kind.
	logits atomic.Bool
}

// New returns the reranker of a server. It sends nothing.
func New(o Options) (rerank.Reranker, error) {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.Retries == 0 {
		o.Retries = defaultRetries
	}
	client, err := httpjson.New(httpjson.Options{
		Name: "the reranker", URL: o.URL, Header: httpjson.Bearer(o.Key), Key: o.Key, KeyName: o.KeyName,
		Timeout: o.Timeout, Retries: o.Retries, Wait: o.Wait,
	})
	if err != nil {
		return nil, err
	}
	return &server{o: o, client: client}, nil
}

// Info names the server's model.
func (s *server) Info() rerank.Info {
	return rerank.Info{Model: name + "/" + s.client.Host() + "/" + s.o.Model, Backend: name}
}

// Close closes idle connections.
func (s *server) Close() error {
	s.client.Close()
	return nil
}

// Rerank returns the scores of texts.
func (s *server) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	out := make([]float64, 0, len(texts))
	for at := 0; at < len(texts); at += maxTexts {
		scores, err := s.ask(ctx, query, texts[at:min(at+maxTexts, len(texts))])
		if err != nil {
			return nil, err
		}
		out = append(out, scores...)
	}
	for _, x := range out {
		if x < 0 || x > 1 {
			s.logits.Store(true)
		}
	}
	if s.logits.Load() {
		for i, x := range out {
			out[i] = 1 / (1 + math.Exp(-x))
		}
	}
	return out, nil
}

// ask sends one request.
func (s *server) ask(ctx context.Context, query string, texts []string) ([]float64, error) {
	masked, err := full.MaskAll(append([]string{query}, texts...))
	if err != nil {
		return nil, fmt.Errorf("ask the reranker: %w", err)
	}
	body, err := s.client.Post(ctx, "rerank", struct {
		Model     string   `json:"model"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopN      int      `json:"top_n"`
	}{s.o.Model, filled(masked[0]), filledAll(masked[1:]), len(texts)})
	if err != nil {
		return nil, err
	}
	var a struct {
		Results []struct {
			Index *int     `json:"index"`
			Score *float64 `json:"relevance_score"`
		} `json:"results"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, s.client.Misread(err)
	}
	if len(a.Results) != len(texts) {
		return nil, s.client.Misread(fmt.Errorf("%d scores for %d texts", len(a.Results), len(texts)))
	}
	out, seen := make([]float64, len(texts)), make([]bool, len(texts))
	for _, r := range a.Results { // usually ordered by score
		switch {
		case r.Index == nil || r.Score == nil:
			return nil, s.client.Misread(fmt.Errorf("a result without index or relevance_score"))
		case *r.Index < 0 || *r.Index >= len(texts):
			return nil, s.client.Misread(fmt.Errorf("a score for text %d of %d", *r.Index, len(texts)))
		case seen[*r.Index]:
			return nil, s.client.Misread(fmt.Errorf("two scores for text %d", *r.Index))
		}
		out[*r.Index], seen[*r.Index] = *r.Score, true
	}
	return out, nil
}

func filledAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = filled(t)
	}
	return out
}

// filled replaces an empty text, for which servers reject the whole request.
func filled(text string) string {
	if text = strings.ToValidUTF8(text, ""); strings.TrimSpace(text) == "" {
		return "(empty)"
	}
	return text
}
