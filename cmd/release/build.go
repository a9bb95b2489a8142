package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The tools that a release runs, pinned.
const (
	nfpm     = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0"
	minisign = "aead.dev/minisign/cmd/minisign@v0.3.0"
)

// checksums is the file that is signed: it names all others.
const checksums = "checksums.txt"

// release is one that is being made.
type release struct {
	project
	Version string
	Built   []asset // the archives
	tree    tree
	out     string
	work    string
	docs    []entry // man pages, completions and texts, as archives have them
}

// asset is the archive of a platform.
type asset struct {
	target
	File, SHA256 string
	programs     string // the folder with the programs
	libraries    []library
}

func build(args []string) (err error) {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	r, list, err := newRelease(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	zig, err := r.tree.findZig()
	if err != nil {
		return err
	}
	b := builder{tree: r.tree, version: r.Version, zig: zig}
	for _, t := range list {
		fmt.Println("build", t.ID)
		programs := filepath.Join(r.work, "programs", t.ID)
		if err := errors.Join(os.MkdirAll(programs, 0o755), b.compile(t, programs)); err != nil {
			return err
		}
		r.Built = append(r.Built, asset{target: t, programs: programs})
	}
	for _, step := range []func() error{r.writeDocs, r.archives, r.packages, r.npm, r.manifests} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := writeChecksums(r.out, checksums); err != nil {
		return err
	}
	return r.sign(o.key)
}

func newRelease(o options) (*release, []target, error) {
	p, err := loadProject()
	if err != nil {
		return nil, nil, err
	}
	list, err := chosen(o.targets)
	if err != nil {
		return nil, nil, err
	}
	t, err := openTree()
	if err != nil {
		return nil, nil, err
	}
	r := &release{project: p, Version: o.version, tree: t}
	if o.snapshot {
		r.Version = snapshot(o.version, t.commit)
	} else if err := errors.Join(t.clean(), t.tagged(o.version)); err != nil {
		return nil, nil, err
	}
	if r.out, err = filepath.Abs(o.out); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return nil, nil, err
	}
	r.work, err = os.MkdirTemp("", "release-")
	return r, list, err
}

// snapshot is a version that comes before the one that it is on the way to. A
// number may not begin with 0, as a commit may: hence the letter.
func snapshot(version, commit string) string {
	if strings.Contains(version, "-") {
		return version + ".snapshot.g" + commit[:8]
	}
	return version + "-snapshot.g" + commit[:8]
}

// findZig is the C compiler: the one that ZIG names, or that of the npm package
// which package-lock.json pins.
func (t tree) findZig() (string, error) {
	if zig := os.Getenv("ZIG"); zig != "" {
		return exec.LookPath(zig)
	}
	dir := t.path("cmd/release/zig")
	zig := filepath.Join(dir, "node_modules", "@ryoppippi", "zig-linux-x64", "zig")
	if _, err := os.Stat(zig); err == nil {
		return zig, nil
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("install zig: %w\n  try: ZIG=/path/to/zig, of version 0.14 or newer", err)
	}
	return zig, nil
}

// writeDocs writes what is the same in all archives, as the program itself gives it.
func (r *release) writeDocs() error {
	program, err := r.native()
	if err != nil {
		return err
	}
	add := func(name string, args ...string) error {
		out, err := exec.Command(program, args...).Output()
		if err != nil {
			return fmt.Errorf("ask the program for %s: %w", name, err)
		}
		if args[0] == "man" { // it has the day on which it is printed
			out = dated(out, r.tree.date)
		}
		file := filepath.Join(r.work, "docs", filepath.FromSlash(name))
		r.docs = append(r.docs, entry{name: name, from: file})
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, out, 0o644))
	}
	for name, shell := range map[string]string{"manicule.bash": "bash", "_manicule": "zsh", "manicule.fish": "fish", "manicule.ps1": "powershell"} {
		if err := add("completions/"+name, "completion", shell); err != nil {
			return err
		}
	}
	if err := add("man/manicule.1", "man"); err != nil {
		return err
	}
	r.docs = append(r.docs, entry{name: "README.md", from: r.tree.path("README.md")}, entry{name: "LICENSE", from: r.tree.path("LICENSE")})
	return nil
}

// native is a program that runs here: one of those that were built, or one more.
func (r *release) native() (string, error) {
	for _, a := range r.Built {
		if a.GOOS == runtime.GOOS && a.GOARCH == runtime.GOARCH {
			return filepath.Join(a.programs, r.Name+a.Exe()), nil
		}
	}
	out := filepath.Join(r.work, r.Name)
	cmd := r.tree.command("go", "build", "-trimpath", "-buildvcs=false", "-o", out, "./cmd/"+r.Name)
	cmd.Stderr = os.Stderr
	return out, cmd.Run()
}

// archives packs the programs of each platform, and says what is in them.
func (r *release) archives() error {
	for i := range r.Built {
		a := &r.Built[i]
		if err := r.archive(a); err != nil {
			return fmt.Errorf("pack %s: %w", a.ID, err)
		}
	}
	return nil
}

func (r *release) archive(a *asset) error {
	entries := slices.Clone(r.docs)
	var names []string
	for _, p := range programs {
		file := filepath.Join(a.programs, p.name+a.Exe())
		names = append(names, file)
		entries = append(entries, entry{name: p.name + a.Exe(), from: file, exec: true})
	}
	var err error
	if a.libraries, err = modulesIn(r.tree, names); err != nil {
		return err
	}
	more, err := runtimes(a.target)
	if err != nil {
		return err
	}
	inPages, err := scripts(r.tree)
	if err != nil {
		return err
	}
	a.libraries = append(append(a.libraries, more...), inPages...)
	notices := filepath.Join(a.programs, "THIRD_PARTY_LICENSES.txt")
	if err := writeLicenses(notices, a.libraries); err != nil {
		return err
	}
	entries = append(entries, entry{name: filepath.Base(notices), from: notices})
	folder := fmt.Sprintf("%s_%s_%s", r.Name, r.Version, a.ID)
	a.File = folder + a.Extension()
	out := filepath.Join(r.out, a.File)
	if err := writeArchive(out, folder, entries, r.tree.date); err != nil {
		return err
	}
	if a.SHA256, err = sha256Of(out); err != nil {
		return err
	}
	return writeSBOM(out+".cdx.json", r.project, r.Version, out, a.libraries, r.tree.date)
}

// sign signs the checksums. The comment is part of what is signed, and has no time
// in it: the same release has the same signature.
func (r *release) sign(key string) error {
	if key == "" {
		fmt.Println("not signed: no key was given")
		return nil
	}
	file := filepath.Join(r.out, checksums)
	cmd := r.tree.command("go", "run", minisign, "-S", "-s", key, "-x", file+".minisig", "-t", r.Name+" "+r.Version, "-m", file)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("sign: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// dated gives a manual page another day than that on which it was printed.
func dated(page []byte, day time.Time) []byte {
	return pageDate.ReplaceAll(page, []byte("${1}"+day.Format("2006-01-02")))
}

var pageDate = regexp.MustCompile(`(?m)^(\.TH \S+ \S+ ")\d{4}-\d{2}-\d{2}`)

// upstream is a version as Debian and RPM order it: a tilde comes before nothing.
func upstream(version string) string { return prerelease.ReplaceAllString(version, "~$1") }

var prerelease = regexp.MustCompile(`-(.*)$`)
