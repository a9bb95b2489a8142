// Package rerank owns rerankers, which score a text for a query. It loads one on
// demand and frees it when idle. Its sub-packages select one (provider) and call a
// server (remote); memory/embed/local runs one in this process. The package must not
// know what the texts are, or how a score is used.
package rerank

import (
	"context"
	"errors"
)

// Info names what judges.
type Info struct {
	Model string `json:"model"`
	// Backend is what runs the model: "onnxruntime 1.28.2", "go", "openai"; ""
	// while it is not loaded.
	Backend string `json:"backend"`
}

// Reranker judges texts for a query.
type Reranker interface {
	// Info names the model; its Model is empty where there is none.
	Info() Info
	// Rerank returns a score for each text, in the order of the texts: from 0,
	// not at all about the query, to 1. Scores of two models are never
	// compared. It stops when ctx is done. It may be called from several
	// goroutines.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
	// Close frees the model. No call may be running or follow.
	Close() error
}

// ErrNone is wrapped where no reranker is to be had: none is installed, or the
// settings switch it off. What asks continues with the order it has.
var ErrNone = errors.New("no reranker")

// ErrClosed is returned to a caller that asks a reranker that was closed.
var ErrClosed = errors.New("the reranker is closed")
