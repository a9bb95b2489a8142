// Package embed owns embeddings: the Embedder interface, the queue in front of an
// embedder, the cache behind it, and the text that represents a memory. Its
// sub-packages hold the embedders (local, remote), the installed models (models) and
// vector search (matrix). It must not know what is done with a vector. No hook may
// import it, because loading a model takes longer than a hook may run.
package embed

import (
	"context"
	"errors"
)

// Info names what makes vectors. Vectors of two models, or of two lengths, are
// never compared.
type Info struct {
	Model string `json:"model"` // the id that is stored with each vector
	Dims  int    `json:"dims"`
	// Backend is what runs the model: "onnxruntime 1.28.2", "go", "ollama", "openai".
	Backend string `json:"backend"`
}

// Embedder turns texts into vectors of length one.
type Embedder interface {
	Info() Info
	// Embed returns a vector for each text, in order. It may be called from
	// several goroutines. It stops when ctx is done.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Close frees the model. No call may be running or follow.
	Close() error
}

// Preemptible is an embedder that can work behind all else. A server is not: what
// was begun and is asked for again would be paid twice.
type Preemptible interface {
	Embedder
	// EmbedBackground is Embed for texts that no caller waits for. The thread that
	// calculates gives its core up to any that wakes, where the system can do that, and
	// stops soon when ctx is done.
	EmbedBackground(ctx context.Context, texts []string) ([][]float32, error)
}

// ErrNone is returned where no embedder is to be had: none is installed, or
// the settings switch it off. What asks for vectors continues without.
var ErrNone = errors.New("no embedding model")
