package main

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifest is what a package manager reads, written for each release.
type manifest struct {
	template, file string
	needs          []string // platforms that have to be built
}

var (
	onUnix    = []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"}
	onLinux   = []string{"linux-amd64", "linux-arm64"}
	allOfThem = append(slices.Clone(onUnix), "windows-amd64")
)

var manifestList = []manifest{
	{"homebrew.rb", "homebrew/manicule.rb", onUnix},
	{"scoop.json", "scoop/manicule.json", []string{"windows-amd64"}},
	{"PKGBUILD", "aur/PKGBUILD", onLinux},
	{"SRCINFO", "aur/.SRCINFO", onLinux},
	{"flake.nix", "nix/flake.nix", onUnix},
	{"Dockerfile", "docker/Dockerfile", []string{"linux-amd64-musl", "linux-arm64-musl"}},
	{"server.json", "mcp/server.json", nil},
	{"mason.yaml", "mason/package.yaml", allOfThem},
	{"lspconfig.lua", "nvim-lspconfig/lsp/manicule.lua", nil},
	{"install.sh", "install.sh", nil},
	{"install.ps1", "install.ps1", []string{"windows-amd64"}},
}

// manifests writes those whose platforms were built.
func (r *release) manifests() error {
	for _, m := range manifestList {
		if !r.has(m.needs...) {
			fmt.Println("skipped: "+m.file+", which needs", strings.Join(m.needs, ", "))
			continue
		}
		text, err := render(m.template, r)
		if err != nil {
			return err
		}
		file := filepath.Join(r.out, filepath.FromSlash(m.file))
		mode := os.FileMode(0o644)
		if strings.HasSuffix(file, ".sh") {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, mode)); err != nil {
			return err
		}
	}
	return nil
}

// NPMPackages are the packages of the platforms, by what node calls them.
func (r *release) NPMPackages() map[string]string {
	out := map[string]string{}
	for _, t := range targets {
		key := t.Node + "-" + t.CPU
		if t.static {
			key += "-musl"
		}
		out[key] = r.npmName(asset{target: t})
	}
	return out
}

// PackageVersion is the version as package managers of Linux take it.
func (r *release) PackageVersion() string { return upstream(r.Version) }

// Numbers are the version without what follows its numbers.
func (r *release) Numbers() string {
	numbers, _, _ := strings.Cut(r.Version, "-")
	return numbers
}

// ArchVersion has no hyphen, which pacman keeps for its own number.
func (r *release) ArchVersion() string { return strings.ReplaceAll(r.Version, "-", "_") }

// Folder is that within a platform's archive.
func (r *release) Folder(id string) string { return r.Name + "_" + r.Version + "_" + id }

// sri is a checksum as Nix and browsers write it.
func sri(sum string) (string, error) {
	raw, err := hex.DecodeString(sum)
	return "sha256-" + base64.StdEncoding.EncodeToString(raw), err
}

func sortStrings(list []string) { slices.Sort(list) }

// gzipFile packs a file without its name and time.
func gzipFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return toFile(to, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, err = z.Write(data)
		return errors.Join(err, z.Close())
	})
}
