package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"manicule/indexer/treefile"
	"manicule/memory/embed/onnx"
)

// Kind is the purpose of a model.
type Kind string

// The kinds.
const (
	Embedder Kind = "embedder"
	// Reranker is a cross-encoder. None is published for download here: a user installs one from a
	// folder.
	Reranker Kind = "reranker"
)

// ErrKind is wrapped for a folder whose model is no reranker.
var ErrKind = errors.New("no reranker")

// ErrName is wrapped for an invalid model name.
var ErrName = errors.New("not a name for a model")

// manifestFile describes a model that is not in the catalogue, with the checksums of its files at
// installation.
const manifestFile = "manifest.json"

// The file names of a published reranker.
const (
	weightsFile     = "model.safetensors"
	nestedModelFile = "onnx/model.onnx"
	outsideFile     = "model.onnx_data" // weights that exceed one ONNX file
)

// helperFiles are copied unchanged. The Go backend reads the name of the separator from them.
func helperFiles() []string { return []string{"special_tokens_map.json", "tokenizer_config.json"} }

// maxRerankTokens limits a reranker's input. Time grows faster than the length, and the models were
// trained on no more.
const maxRerankTokens = 512

// manifest is the content of manifestFile.
type manifest struct {
	Kind      Kind   `json:"kind"`
	Name      string `json:"name"`
	MaxTokens int    `json:"max_tokens"`
	Files     []file `json:"files"`
}

type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// description is the relevant part of config.json.
type description struct {
	Architectures []string          `json:"architectures"`
	Type          string            `json:"model_type"`
	Labels        map[string]string `json:"id2label"`
	Positions     int               `json:"max_position_embeddings"`
}

func describe(dir string) (description, error) {
	var d description
	data, err := treefile.ReadMade(filepath.Join(dir, configFile))
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return d, fmt.Errorf("read %s: %w", filepath.Join(dir, configFile), err)
	}
	return d, nil
}

// classifier reports whether a model scores whole texts.
func (d description) classifier() bool {
	return slices.ContainsFunc(d.Architectures, func(a string) bool { return strings.HasSuffix(a, "ForSequenceClassification") })
}

// maxTokens returns the maximum length of the model's input.
func (d description) maxTokens() int {
	n := d.Positions
	if strings.Contains(d.Type, "roberta") || d.Type == "camembert" {
		n -= 2 // positions start at 2
	}
	if n <= 0 {
		n = maxRerankTokens
	}
	return min(n, maxRerankTokens)
}

// HoldsReranker reports whether a folder contains a published model that scores whole texts:
// config.json names a *ForSequenceClassification.
func HoldsReranker(dir string) bool {
	d, err := describe(dir)
	return err == nil && d.classifier()
}

// InstallReranker copies a reranker from a folder into the store, with checksums. name defaults to
// the folder's name. The folder contains config.json, tokenizer.json and model.onnx (or
// onnx/model.onnx), or instead of that a BERT's model.safetensors, which is converted. The result
// reports whether anything was done.
func (s *Store) InstallReranker(ctx context.Context, name, dir string) (_ Model, done bool, err error) {
	name, err = rerankerName(name, dir)
	if err != nil {
		return Model{}, false, err
	}
	d, err := describe(dir)
	if err != nil {
		return Model{}, false, fmt.Errorf("install a reranker: %w", err)
	}
	if !d.classifier() || len(d.Labels) != 1 {
		return Model{}, false, fmt.Errorf("%s is %w: it is a %s with %d labels, want a *ForSequenceClassification with one",
			dir, ErrKind, strings.Join(d.Architectures, ", "), len(d.Labels))
	}
	files, err := rerankerFiles(dir)
	if err != nil {
		return Model{}, false, fmt.Errorf("install a reranker: %w", err)
	}
	m := manifest{Kind: Reranker, Name: name, MaxTokens: d.maxTokens()}
	for _, n := range sortedNames(files) {
		sum := sha256.Sum256(files[n])
		m.Files = append(m.Files, file{n, int64(len(files[n])), hex.EncodeToString(sum[:])})
	}
	model := m.model()
	if ctx.Err() != nil {
		return Model{}, false, ctx.Err()
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Model{}, false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	at := s.ModelDir(model)
	if old, err := readManifest(at); err == nil && slices.Equal(old.Files, m.Files) && verify(at, model.parts()) == nil {
		return model, false, nil
	}
	if files[manifestFile], err = json.MarshalIndent(m, "", "  "); err != nil {
		return Model{}, false, fmt.Errorf("install %s: %w", name, err)
	}
	sum := sha256.Sum256(files[manifestFile])
	all := append(model.parts(), part{Name: manifestFile, Size: int64(len(files[manifestFile])), SHA256: hex.EncodeToString(sum[:])})
	if err := write(at, files, all); err != nil {
		return Model{}, false, fmt.Errorf("install %s: %w", name, err)
	}
	return model, true, nil
}

// rerankerName returns the name for a folder's reranker.
func rerankerName(name, dir string) (string, error) {
	if name == "" {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("install a reranker: %w", err)
		}
		name = filepath.Base(whole)
	}
	name = strings.ToLower(name)
	_, known := Find(name)
	switch {
	case known == nil:
		return "", fmt.Errorf("%q is %w: the catalogue has one of that name", name, ErrName)
	case !regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`).MatchString(name):
		return "", fmt.Errorf("%q is %w: letters, digits, dots, dashes and underscores", name, ErrName)
	case strings.HasPrefix(name, "onnxruntime-"), strings.HasSuffix(name, ".new"), strings.HasSuffix(name, ".old"), strings.HasSuffix(name, ".lock"),
		slices.Contains([]string{selection, rerankerSelection, "downloads"}, name):
		return "", fmt.Errorf("%q is %w: the store uses it for something else", name, ErrName)
	}
	return name, nil
}

// rerankerFiles reads the files of a published model.
func rerankerFiles(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	read := func(name, as string) error {
		data, err := treefile.ReadLarge(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil {
			files[as] = data
		}
		return err
	}
	for _, name := range []string{configFile, tokenizerFile} {
		if err := read(name, name); err != nil {
			return nil, err
		}
	}
	for _, name := range helperFiles() {
		if err := read(name, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, name := range []string{ModelFile, nestedModelFile} {
		if _, err := os.Stat(filepath.Join(dir, filepath.Dir(name), outsideFile)); err == nil {
			return nil, fmt.Errorf("%s: a model whose weights are in a second file is not supported", filepath.Join(filepath.Dir(name), outsideFile))
		}
		if err := read(name, ModelFile); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return files, err
		}
	}
	data, err := treefile.ReadLarge(filepath.Join(dir, weightsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has none of %s, %s, %s: %w", dir, ModelFile, nestedModelFile, weightsFile, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	files[ModelFile], err = onnx.Convert(data, files[configFile], onnx.Full)
	return files, err
}

func sortedNames(files map[string][]byte) []string {
	return slices.Sorted(maps.Keys(files))
}

func readManifest(dir string) (manifest, error) {
	var m manifest
	data, err := treefile.ReadMade(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, err
	}
	err = json.Unmarshal(data, &m)
	switch {
	case err != nil:
	case m.Kind != Reranker || !strings.EqualFold(m.Name, filepath.Base(dir)) || m.MaxTokens <= 0 || len(m.Files) == 0:
		err = errors.New("it is not what was written")
	case slices.ContainsFunc(m.Files, func(f file) bool { return f.Name != filepath.Base(f.Name) }):
		err = errors.New("a file outside of the folder")
	}
	if err != nil {
		return m, fmt.Errorf("%s is %w: %w", filepath.Join(dir, manifestFile), ErrDamaged, err)
	}
	return m, nil
}

func (m manifest) model() Model {
	out := Model{Name: m.Name, ID: m.Name, Kind: Reranker, MaxTokens: m.MaxTokens, Precision: onnx.Full, Note: "judges the best hits of a search again"}
	for _, f := range m.Files {
		out.own = append(out.own, part{Name: f.Name, Size: f.Size, SHA256: f.SHA256})
	}
	return out
}

// rerankers lists the rerankers in the store by name, including damaged ones.
func (s *Store) rerankers() []Model {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil // no folder yet, or an unreadable one
	}
	var out []Model
	for _, e := range entries { // sorted by name
		if !e.IsDir() || strings.HasSuffix(e.Name(), ".new") || strings.HasSuffix(e.Name(), ".old") {
			continue
		}
		m, err := readManifest(filepath.Join(s.dir, e.Name()))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			out = append(out, Model{Name: e.Name(), ID: e.Name(), Kind: Reranker, Note: "damaged", fault: err})
		default:
			out = append(out, m.model())
		}
	}
	return out
}

// All lists the catalogue and the rerankers in the store.
func (s *Store) All() []Model { return append(Catalogue(), s.rerankers()...) }

// Find returns an entry of All, ignoring case.
func (s *Store) Find(name string) (Model, error) {
	m, err := Find(name)
	if err == nil {
		return m, nil
	}
	for _, r := range s.rerankers() {
		if strings.EqualFold(r.Name, name) {
			return r, nil
		}
	}
	return m, err
}

// rerankerSelection is the file that names the selected reranker.
const rerankerSelection = "reranker-in-use"

// SelectedReranker returns the selected reranker, else the first by name. It returns ErrAbsent if
// there is none.
func (s *Store) SelectedReranker() (Model, error) {
	data, err := treefile.ReadMade(filepath.Join(s.dir, rerankerSelection))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Model{}, fmt.Errorf("read which reranker is in use: %w", err)
	}
	chosen := strings.TrimSpace(string(data))
	var first *Model
	for _, m := range s.rerankers() {
		if !s.Installed(m) {
			continue
		}
		if m.Name == chosen {
			return m, nil
		}
		if first == nil {
			first = &m
		}
	}
	if first == nil {
		return Model{}, fmt.Errorf("a reranker is %w", ErrAbsent)
	}
	return *first, nil
}
