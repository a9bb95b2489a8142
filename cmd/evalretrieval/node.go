package main

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

	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
)

//go:embed testdata/onnx.mjs
var onnxScript string

// node measures onnxruntime through Node on the same files as [speed], each
// beside our own in the same minute, and compares the vectors.
func node(ctx context.Context, o options) (_ string, bad []string, err error) {
	if o.node == "" {
		return "", nil, fmt.Errorf("%w: no folder with onnxruntime-node and @huggingface/tokenizers, name it with -node", errNotHere)
	}
	list, err := configurations(o)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "evalretrieval")
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
	var b strings.Builder
	b.WriteString("| model | run by | threads | start → first vector ms | short ms | medium ms | long ms | texts/s | resident MB | peak MB | load |\n" +
		"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	row := func(c configuration, by string, threads int, f figures, before string) {
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f | %.1f | %.1f | %.1f | %.1f | %.0f | %.0f | %s–%s |\n", c.model, by, threads,
			f.Load, f.Single[0], f.Single[1], f.Single[2], f.Batch, f.RSS, f.Peak, before, loadAverage())
	}
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
			before := loadAverage()
			ours, err := measure(ctx, o, c, threads)
			if err != nil {
				return "", nil, err
			}
			row(c, "Go", threads, ours, before)
			cmd := o.timed(ctx, "node", script, o.node, models.At(o.models).ModelDir(m), fmt.Sprint(threads), string(texts))
			cmd.Stderr = os.Stderr
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", startVariable, time.Now().UnixNano()))
			before = loadAverage()
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
			row(c, "Node, onnxruntime-node "+theirs.Version, threads, theirs.figures, before)
			if x := cosine(reference[0], theirs.Vector); x < leastCosine(c.model) {
				bad = append(bad, fmt.Sprintf("%s: cosine %.4f with Node's vector", c.model, x))
			}
		}
	}
	return b.String(), bad, nil
}
