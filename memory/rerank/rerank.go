// Package rerank owns rerankers, which score a text for a query. It loads one on
// demand and frees it when idle. Its sub-packages select one (provider) and call a
// server (remote); memory/embed/local runs one in this process. The package must not
// know what the texts are, or how a score is used.
package rerank

import (
	"context"
	"errors"
)

// Info names a reranker.
type Info struct {
	Model string `json:"model"`
	// Backend runs the model: "onnxruntime 1.28.2", "go", "openai"; "" while it is not loaded.
	Backend string `json:"backend"`
	// Share is how much of a result's score it decides beside what found it, 0 for all.
	Share float64 `json:"-"`
}

// Reranker scores texts for a query.
type Reranker interface {
	// Info names the model; Model is empty if there is none.
	Info() Info
	// Rerank returns a score for each text, in order, from 0 (irrelevant) to 1. Scores of different
	// models are not comparable. It stops when ctx is done. It is safe for concurrent use.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// Close frees the model. No call may be running or follow.
	Close() error
}

// ErrNone is wrapped if there is no reranker: none is installed, or the settings disable it.
// Callers keep the order they have.
var ErrNone = errors.New("no reranker")

// errClosed is returned by a closed reranker.
var errClosed = errors.New("the reranker is closed")
