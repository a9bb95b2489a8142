package main

import (
	"context"
	"errors"
	"io/fs"

	"manicule/memory"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	rerankers "manicule/memory/rerank/provider"
)

// installReranker installs a reranker from a folder, tests it and selects it. It
// downloads nothing: onnxruntime is installed only if its package is in the folder too.
func (mic *modelInstallCommand) installReranker(ctx context.Context, store *models.Store, args []string, from string) error {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	source, err := models.FromPath(from)
	if err != nil {
		return err
	}
	library, err := store.InstallLibrary(ctx, source)
	if err != nil && !errors.Is(err, models.ErrAbsent) && !errors.Is(err, fs.ErrNotExist) {
		return installFault(err)
	}
	m, done, err := store.InstallReranker(ctx, name, from)
	if err != nil {
		return rerankerFault(err)
	}
	out := installedJSON{Model: m.Name, Dir: store.ModelDir(m), Fetched: done || library, Library: store.Library() != ""}
	r, passed, err := rerankers.OpenLocal(ctx, rerankers.Settings{Provider: rerankers.Local, Model: m.Name}, store, local.Auto)
	if err != nil {
		if done { // a reranker that never worked must not replace one that does
			err = errors.Join(err, store.Remove(m))
		}
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: "Nothing was installed. Its folder must be as it was published, with a BERT or RoBERTa that gives one number."}
	}
	out.Backend = r.Info().Backend
	if err := r.Close(); err != nil {
		return err
	}
	if passed != nil {
		out.Passed = passed.Error()
	}
	if err := store.Use(m); err != nil {
		return err
	}
	if mic.json {
		mic.printJSON("model_install", out)
		return nil
	}
	verb := "installed"
	if !out.Fetched {
		verb = "already there"
	}
	mic.printf("%s: reranker, %s, in use, on %s\n", m.Name, verb, out.Backend)
	if out.Passed != "" {
		mic.warn("a faster backend is not in use: %s", out.Passed)
	}
	return nil
}

// rerankerFault adds a hint.
func rerankerFault(err error) error {
	hint := ""
	switch {
	case errors.Is(err, models.ErrName):
		hint = "`manicule model install NAME --from DIR` gives it another name."
	case errors.Is(err, models.ErrKind):
		hint = "A reranker gives one number; a classifier of several labels is of no use here."
	case errors.Is(err, fs.ErrNotExist):
		hint = "The folder must hold config.json, tokenizer.json and model.onnx (or onnx/model.onnx, or model.safetensors of a BERT)."
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: hint}
}
