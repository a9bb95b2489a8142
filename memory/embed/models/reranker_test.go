package models

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/rerank/reranktest"
)

// published is a folder of a reranker, by its base name.
func published(t *testing.T, name string, write func(string) error) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	must.OK(t, write(dir))
	return dir
}

// TestReranker: a reranker is installed from an ONNX file or from a checkpoint,
// listed, chosen, verified and removed, and the embedders know nothing of it.
func TestReranker(t *testing.T) {
	s := Open(t.TempDir())
	if _, err := s.SelectedReranker(); !errors.Is(err, ErrAbsent) || s.rerankers() != nil {
		t.Errorf("none: %v", err)
	}
	b, done, err := s.InstallReranker(t.Context(), "", published(t, "B-Tiny", reranktest.WriteONNX))
	if err != nil || !done || b.Name != "b-tiny" || b.Kind != Reranker || b.MaxTokens != reranktest.MaxTokens || b.Size() == 0 {
		t.Fatalf("%+v, %t: %v", b, done, err)
	}
	from := published(t, "whatever", reranktest.Write)
	a, done, err := s.InstallReranker(t.Context(), "A-tiny", from)
	if err != nil || !done || a.Name != "a-tiny" {
		t.Fatalf("%+v, %t: %v", a, done, err)
	}
	var files [2][]byte
	for i, m := range []Model{a, b} {
		if files[i], err = os.ReadFile(filepath.Join(s.ModelDir(m), ModelFile)); err != nil || s.Verify(m) != nil || !s.Installed(m) {
			t.Errorf("%s: %v, %v", m.Name, err, s.Verify(m))
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the checkpoint became another model")
	}
	if _, done, err := s.InstallReranker(t.Context(), "a-tiny", from); err != nil || done {
		t.Errorf("a second time: %t, %v", done, err)
	}
	selected := func(want string) {
		t.Helper()
		if m, err := s.SelectedReranker(); err != nil || m.Name != want {
			t.Errorf("%s is in use, want %s: %v", m.Name, want, err)
		}
	}
	selected("a-tiny")
	found, err := s.Find("B-TINY")
	if err != nil || s.Use(found) != nil {
		t.Fatal(err)
	}
	selected("b-tiny")
	if _, err := s.Selected(); !errors.Is(err, ErrAbsent) {
		t.Errorf("a reranker is an embedder: %v", err)
	}
	if all := s.All(); len(all) != len(Catalogue())+2 {
		t.Errorf("%d models", len(all))
	}

	// Damage is detected and repaired.
	must.Write(t, filepath.Join(s.ModelDir(a), tokenizerFile), "{}")
	if err := s.Verify(a); !errors.Is(err, ErrDamaged) || s.Installed(a) {
		t.Errorf("damage: %v", err)
	}
	if _, done, err := s.InstallReranker(t.Context(), "a-tiny", from); err != nil || !done || s.Verify(a) != nil {
		t.Errorf("not put right: %t, %v", done, err)
	}
	for _, text := range []string{"{", "{}", `{"kind":"reranker","name":"a-tiny","max_tokens":64,"files":[{"name":"../in-use"}]}`} {
		must.Write(t, filepath.Join(s.ModelDir(a), manifestFile), text)
		m, err := s.Find("a-tiny")
		if err != nil || s.Installed(m) || !errors.Is(s.Verify(m), ErrDamaged) {
			t.Errorf("%s: %v, %v", text, err, s.Verify(m))
		}
	}
	for _, m := range []Model{a, b} {
		if err := s.Remove(m); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.SelectedReranker(); !errors.Is(err, ErrAbsent) || len(s.All()) != len(Catalogue()) {
		t.Errorf("after the last: %v", err)
	}
}

// TestNoReranker: what is something else is refused, and nothing is left.
func TestNoReranker(t *testing.T) {
	good := published(t, "tiny", reranktest.WriteONNX)
	change := func(name string, edit func(string) string) string {
		return published(t, "tiny", func(dir string) error {
			if err := reranktest.WriteONNX(dir); err != nil {
				return err
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			data, err := os.ReadFile(path)
			text := edit(string(data))
			if err == nil && text == "" {
				return os.Remove(path)
			}
			return errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		})
	}
	gone := func(string) string { return "" }
	tests := []struct {
		about, name, dir string
		want             error
		holds            bool
	}{
		{"an encoder", "", change(configFile, func(s string) string { return strings.Replace(s, "ForSequenceClassification", "Model", 1) }), ErrKind, false},
		{"three labels", "", change(configFile, func(s string) string { return strings.Replace(s, `"0"`, `"1":"b","2":"c","0"`, 1) }), ErrKind, true},
		{"no configuration", "", change(configFile, gone), fs.ErrNotExist, false},
		{"no tokenizer", "", change(tokenizerFile, gone), fs.ErrNotExist, true},
		{"no weights", "", change(nestedModelFile, gone), fs.ErrNotExist, true},
		{"no folder", "", filepath.Join(t.TempDir(), "absent"), fs.ErrNotExist, false},
		{"the catalogue's name", strings.ToUpper(Default), good, ErrName, true},
		{"a path", "../tiny", good, ErrName, true},
		{"the library's", "onnxruntime-1", good, ErrName, true},
		{"the selection's", rerankerSelection, good, ErrName, true},
	}
	for _, tt := range tests {
		s := Open(filepath.Join(t.TempDir(), "models"))
		if _, done, err := s.InstallReranker(t.Context(), tt.name, tt.dir); !errors.Is(err, tt.want) || done {
			t.Errorf("%s: %t, %v", tt.about, done, err)
		}
		if HoldsReranker(tt.dir) != tt.holds {
			t.Errorf("%s: holds a reranker: %t", tt.about, !tt.holds)
		}
		if _, err := os.Stat(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something is left: %v", tt.about, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Open(t.TempDir()).InstallReranker(ctx, "", good); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for kind, want := range map[string]int{"bert": 512, "xlm-roberta": 510} {
		if got := (description{Type: kind, Positions: 512}).maxTokens(); got != want {
			t.Errorf("%s: %d tokens, want %d", kind, got, want)
		}
	}
}
