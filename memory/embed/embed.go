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

// Info names an embedder. Vectors of different models or lengths are never compared.
type Info struct {
	Model string `json:"model"` // the id that is stored with each vector
	Dims  int    `json:"dims"`
	// Backend runs the model: "onnxruntime 1.28.2", "go", "ollama", "openai".
	Backend string `json:"backend"`
}

// Embedder turns texts into unit vectors.
type Embedder interface {
	Info() Info
	// Embed returns a vector for each text, in order. It stops when ctx is done. It is safe for
	// concurrent use.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Close frees the model. No call may be running or follow.
	Close() error
}

// Preemptible is an embedder whose background work can be stopped and repeated. A server is not:
// repeated work would be charged twice.
type Preemptible interface {
	Embedder
	// EmbedBackground is Embed for texts that no caller waits for. If the system supports it, the
	// computing thread yields its core to any thread that wakes. It stops soon when ctx is done.
	EmbedBackground(ctx context.Context, texts []string) ([][]float32, error)
}

// ErrNone is returned if there is no embedder: none is installed, or the settings disable it.
// Callers continue without vectors.
var ErrNone = errors.New("no embedding model")
