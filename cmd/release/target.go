package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// target is a platform that programs are built for.
type target struct {
	ID           string // in names of archives
	GOOS, GOARCH string
	Zig          string // the triple that zig's C compiler takes
	Node, CPU    string // the platform as npm and VS Code say it
	Libc         string // glibc or musl, on Linux
	static       bool
}

// targets are all platforms. The C library of Linux is that of 2014 (CentOS 7), so
// that every distribution in use has a newer one. The static programs are for what
// has another one: they can't load onnxruntime and use the Go backend for models.
var targets = []target{
	{ID: "linux-amd64", GOOS: "linux", GOARCH: "amd64", Zig: "x86_64-linux-gnu.2.17", Node: "linux", CPU: "x64", Libc: "glibc"},
	{ID: "linux-arm64", GOOS: "linux", GOARCH: "arm64", Zig: "aarch64-linux-gnu.2.17", Node: "linux", CPU: "arm64", Libc: "glibc"},
	{ID: "linux-amd64-musl", GOOS: "linux", GOARCH: "amd64", Zig: "x86_64-linux-musl", Node: "linux", CPU: "x64", Libc: "musl", static: true},
	{ID: "linux-arm64-musl", GOOS: "linux", GOARCH: "arm64", Zig: "aarch64-linux-musl", Node: "linux", CPU: "arm64", Libc: "musl", static: true},
	{ID: "windows-amd64", GOOS: "windows", GOARCH: "amd64", Zig: "x86_64-windows-gnu", Node: "win32", CPU: "x64"},
	{ID: "darwin-amd64", GOOS: "darwin", GOARCH: "amd64", Zig: "x86_64-macos.12.0", Node: "darwin", CPU: "x64"},
	{ID: "darwin-arm64", GOOS: "darwin", GOARCH: "arm64", Zig: "aarch64-macos.12.0", Node: "darwin", CPU: "arm64"},
}

func listTargets([]string) error {
	for _, t := range targets {
		fmt.Println(t.ID)
	}
	return nil
}

func chosen(ids string) ([]target, error) {
	if ids == "all" {
		return targets, nil
	}
	var out []target
	for id := range strings.SplitSeq(ids, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q\n  try: release targets", id)
		}
		out = append(out, targets[i])
	}
	return out, nil
}

// Exe is the ending of a program's name.
func (t target) Exe() string {
	if t.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// Extension is that of the archive.
func (t target) Extension() string {
	if t.GOOS == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// builder compiles the programs. Zig is the C compiler for all platforms: it has
// their headers and libraries, and is the same wherever a release is made.
type builder struct {
	tree    tree
	version string
	zig     string
}

// programs are what an archive carries, with whether they are partly C and the bytes that they
// may have: people download them.
var programs = []struct {
	name string
	cgo  bool
	most int64
}{{"manicule", true, 50 << 20}, {"manicule-hook", false, 17 << 20}}

// What a program that is partly C may have more than elsewhere.
const (
	// namesOnDarwin are the names of all functions: zig's linker keeps them.
	namesOnDarwin = 5 << 20
	// tablesOnWindows are the addresses to relocate (.reloc) and where functions end (.pdata), together 976 kB.
	tablesOnWindows = 1 << 20
)

// rarelyRun are packages in which no function is inlined, with those below them: their time is
// never that of the program, and they are a twentieth smaller without. A dot stands for the
// module.
var rarelyRun = []string{
	"archive", "crypto/ecdsa", "crypto/elliptic", "crypto/hpke", "crypto/internal/fips140/bigmod", "crypto/internal/fips140/ecdsa",
	"crypto/internal/fips140/edwards25519", "crypto/internal/fips140/mlkem", "crypto/internal/fips140/nistec", "crypto/internal/fips140/rsa", "crypto/rsa",
	"crypto/tls", "crypto/x509", "database/sql", "encoding/asn1", "encoding/gob", "encoding/pem", "fmt", "html", "image", "log", "math/big", "mime", "net",
	"os", "text", "vendor/golang.org/x",
	"charm.land", "github.com/charmbracelet", "github.com/clipperhouse", "github.com/dustin", "github.com/ebitengine",
	"github.com/fsnotify", "github.com/gitleaks", "github.com/go-git/gcfg", "github.com/go-logr", "github.com/gomlx/compute/internal/gobackend/passes",
	"github.com/gomlx/compute/notimplemented", "github.com/gomlx/compute/shapeinference", "github.com/gomlx/go-huggingface/hub", "github.com/gomlx/gomlx",
	"github.com/gomlx/onnx-gomlx", "github.com/google/jsonschema-go", "github.com/hashicorp", "github.com/hmarr", "github.com/knights-analytics",
	"github.com/lucasb-eyer", "github.com/mattn", "github.com/mitchellh", "github.com/modelcontextprotocol", "github.com/muesli", "github.com/pelletier",
	"github.com/pkg/errors", "github.com/rivo", "github.com/sahilm", "github.com/schollz", "github.com/segmentio", "github.com/shirou/gopsutil",
	"github.com/spf13", "github.com/tailscale", "github.com/viant", "github.com/xo", "github.com/yalue", "github.com/yosida95", "github.com/yuin/goldmark",
	"go.lsp.dev", "go.yaml.in", "golang.org/x/crypto", "golang.org/x/image", "golang.org/x/mod", "golang.org/x/net", "golang.org/x/oauth2", "golang.org/x/term",
	"golang.org/x/time", "google.golang.org/protobuf", "gopkg.in", "k8s.io/klog",
	"./cmd/internal/hookcmd", "./cmd/internal/refactor", "./cmd/internal/tui", "./cmd/manicule", "./hooks", "./indexer/atomicfile", "./indexer/gitinfo", "./indexer/gittree",
	"./indexer/lockfile", "./indexer/scip", "./indexer/sqlfile", "./indexer/watch", "./indexer/workspace", "./lsp", "./memory/archive", "./memory/atlas", "./memory/branch",
	"./memory/branches", "./memory/builds", "./memory/coverage", "./memory/inventory", "./memory/lint", "./memory/plans", "./memory/recipe", "./memory/records",
	"./memory/sarif", "./memory/threads", "./memory/trust", "./memory/units", "./memory/change", "./memory/config",
	"./memory/consolidate", "./memory/core", "./memory/embed/models", "./memory/embed/onnx", "./memory/embed/provider", "./memory/episode", "./memory/exporter",
	"./memory/follow", "./memory/httpjson", "./memory/importer", "./memory/leader", "./memory/ledger", "./memory/life", "./memory/llm", "./memory/purge",
	"./memory/record", "./memory/repair", "./memory/restate", "./memory/search", "./memory/services", "./memory/skill", "./memory/steward", "./memory/store", "./memory/thread",
	"./memory/work",
}

// compile builds the programs of a target into a folder.
func (b builder) compile(t target, out string) error {
	for _, p := range programs {
		file := filepath.Join(out, p.name+t.Exe())
		if err := b.program(t, p.name, p.cgo, file); err != nil {
			return fmt.Errorf("build %s for %s: %w", p.name, t.ID, err)
		}
		if err := notLarger(file, p.most+moreThere(t, p.cgo)); err != nil {
			return fmt.Errorf("build %s for %s: %w", p.name, t.ID, err)
		}
	}
	return nil
}

// moreThere is what a program may have more on a platform than elsewhere.
func moreThere(t target, cgo bool) int64 {
	switch {
	case cgo && t.GOOS == "darwin":
		return namesOnDarwin
	case cgo && t.GOOS == "windows":
		return tablesOnWindows
	}
	return 0
}

// notLarger is an error where a file has more bytes than it may.
func notLarger(file string, most int64) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if info.Size() > most {
		return fmt.Errorf("%s has %d bytes, which is more than %d\n  try: go tool nm -size -sort size, for what came into it (cmd/release/README.md#size)", filepath.Base(file), info.Size(), most)
	}
	return nil
}

func (b builder) program(t target, name string, cgo bool, out string) error {
	release := b.tree.module + "/cmd/internal/release"
	flags := []string{"-w", "-buildid=", "-funcalign=16", "-X", release + ".Version=" + b.version, "-X", release + ".revision=" + b.tree.commit}
	if t.GOOS != "darwin" || !cgo { // there Go asks for -x of the linker, which zig's does not know
		flags = append(flags, "-s")
	}
	env := []string{"GOOS=" + t.GOOS, "GOARCH=" + t.GOARCH, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off"}
	if t.GOARCH == "amd64" {
		env = append(env, "GOEXPERIMENT=simd") // the Go backend for models is many times faster with it
	} else {
		env = append(env, "GOEXPERIMENT=")
	}
	if cgo {
		env = append(env, b.toolchain(t)...)
		flags = append(flags, "-linkmode", "external")
		if more := b.linkFlags(t); len(more) > 0 {
			flags = append(flags, "-extldflags", "'"+strings.Join(more, " ")+"'")
		}
	}
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", strings.Join(flags, " ")}
	if cgo { // the other program starts at every call of a tool
		for _, pkg := range rarelyRun {
			if rest, ok := strings.CutPrefix(pkg, "."); ok {
				pkg = b.tree.module + rest
			}
			args = append(args, "-gcflags="+pkg+"/...=-l")
		}
	}
	cmd := b.tree.command("go", append(args, "-o", out, "./cmd/"+name)...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	// Zig leaves the objects of cgo's trial compilations in the folder of the source.
	return errors.Join(cmd.Run(), b.tree.removeTrials())
}

func (t tree) removeTrials() error {
	return filepath.WalkDir(t.root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // an extension is packed meanwhile
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), "cgo-gcc-input-"):
			return os.Remove(name)
		}
		return nil
	})
}

// toolchain is the environment that makes zig the C compiler. What it writes into
// programs must not depend on where they are built: zig is named as it is found
// there, and paths are mapped away.
func (b builder) toolchain(t target) []string {
	cc := b.zig + " cc -target " + t.Zig
	cflags := "-O3 -g0 -fno-sanitize=undefined"
	if t.GOARCH == "arm64" {
		cflags += " -fsigned-char" // as elsewhere: scanners keep negative numbers in it
	}
	return []string{"CGO_ENABLED=1", "CC=" + cc, "CXX=" + b.zig + " c++ -target " + t.Zig, "CGO_CFLAGS=" + cflags, "CGO_CXXFLAGS=" + cflags, "CGO_LDFLAGS="}
}

func (b builder) linkFlags(t target) []string {
	var flags []string
	if t.static {
		flags = append(flags, "-static")
	}
	switch t.GOOS {
	case "linux":
		flags = append(flags, "-Wl,--build-id=none", "-Wl,--strip-all")
	case "windows":
		// Without it zig writes a file of debug information beside the program, whose hash is in the
		// program and depends on the folders of Go's temporary files.
		flags = append(flags, "-s")
	case "darwin":
		stubs := b.tree.path("cmd/release/darwin")
		flags = append(flags, "-Wl,-s", "-F"+stubs, "-L"+stubs)
	}
	return flags
}
