package retrieval

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
)

//go:embed testdata/onnx.mjs
var onnxScript string

// node measures onnxruntime through Node on the same files as [speed], each right beside
// our own run, and compares the vectors.
func node(ctx context.Context, o options) (_ string, bad []string, err error) {
	if o.node == "" {
		return "", nil, evalkit.Missing("no folder with onnxruntime-node and @huggingface/tokenizers, name it with -node")
	}
	list, err := configurations(o)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "eval-retrieval-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	script := filepath.Join(dir, "onnx.mjs")
	if err := os.WriteFile(script, []byte(onnxScript), 0o600); err != nil {
		return "", nil, fmt.Errorf("write the script: %w", err)
	}
	texts, err := json.Marshal([]string{short, medium, strings.Repeat(medium+" ", 4)})
	if err != nil {
		return "", nil, err
	}
	t := costs("run by")
	for _, c := range list {
		if c.backend == local.Go {
			continue
		}
		m, err := models.Find(c.model)
		if err != nil {
			return "", nil, err
		}
		reference, err := embedAll(ctx, o, c, []string{short})
		if err != nil {
			return "", nil, err
		}
		for _, threads := range []int{1, o.threads} {
			before := evalkit.Load()
			ours, err := measure(ctx, o, c, threads)
			if err != nil {
				return "", nil, err
			}
			ours.row(t, c, "Go", threads, before)
			cmd := o.timed(ctx, "node", script, o.node, models.Open(o.models).ModelDir(m), fmt.Sprint(threads), string(texts))
			cmd.Stderr = os.Stderr
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", startVariable, time.Now().UnixNano()))
			before = evalkit.Load()
			out, err := cmd.Output()
			var theirs struct {
				figures
				Version string    `json:"version"`
				Vector  []float32 `json:"vector"`
			}
			if err == nil {
				err = json.Unmarshal(out, &theirs)
			}
			if err != nil {
				return "", nil, fmt.Errorf("measure Node: %w", err)
			}
			theirs.row(t, c, "Node, onnxruntime-node "+theirs.Version, threads, before)
			if x := cosine(reference[0], theirs.Vector); x < leastCosine(c.model) {
				bad = append(bad, fmt.Sprintf("%s: cosine %.4f with Node's vector", c.model, x))
			}
		}
	}
	return t.String(), bad, nil
}
