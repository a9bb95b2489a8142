package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"

	"github.com/google/go-cmp/cmp"
)

// fake is a release of programs that are texts.
func fake(t *testing.T) *release {
	t.Helper()
	p, err := loadProject()
	must.OK(t, err)
	tree, err := openTree()
	if err != nil {
		t.Skip(err)
	}
	r := &release{project: p, Version: "1.2.3-rc.1", tree: tree, out: t.TempDir(), work: t.TempDir()}
	for _, target := range targets {
		r.Built = append(r.Built, asset{target: target, File: r.Folder(target.ID) + target.Extension(), SHA256: strings.Repeat("0a", 32), programs: t.TempDir()})
	}
	return r
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "program")
	when := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for _, name := range []string{"a.tar.gz", "a.zip"} {
		var first []byte
		for i, entries := range [][]entry{{{"b/c", from, false}, {"a", from, true}}, {{"a", from, true}, {"b/c", from, false}}} {
			must.Write(t, from, "text")
			must.OK(t, os.Chtimes(from, when, when.Add(time.Duration(i)*time.Hour)))
			out := filepath.Join(dir, name)
			must.OK(t, writeArchive(out, "folder", entries, when))
			data := must.Read(t, out)
			if i == 0 {
				first = data
			} else if !bytes.Equal(first, data) {
				t.Errorf("%s: the time of a file, or the order, changes the archive", name)
			}
		}
	}
	if got, want := listTar(t, filepath.Join(dir, "a.tar.gz")), "folder/a 755\nfolder/b/c 644\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func listTar(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	must.OK(t, err)
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	must.OK(t, err)
	var b strings.Builder
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return b.String()
		}
		must.OK(t, err)
		b.WriteString(h.Name + " " + octal(h.Mode) + "\n")
	}
}

func octal(mode int64) string {
	return string([]byte{byte('0' + mode>>6&7), byte('0' + mode>>3&7), byte('0' + mode&7)})
}

// TestManifests fills every template, and reads what has a reader here.
func TestManifests(t *testing.T) {
	r := fake(t)
	must.OK(t, r.manifests())
	for _, m := range manifestList {
		data, err := os.ReadFile(filepath.Join(r.out, filepath.FromSlash(m.file)))
		if err != nil {
			t.Error(err)
			continue
		}
		if strings.Contains(string(data), "<no value>") {
			t.Errorf("%s has holes:\n%s", m.file, data)
		}
		switch {
		case strings.HasSuffix(m.file, ".json"):
			var v any
			if err := json.Unmarshal(data, &v); err != nil {
				t.Errorf("%s: %v", m.file, err)
			}
		case strings.HasSuffix(m.file, ".sh") || strings.HasSuffix(m.file, "PKGBUILD"):
			check := exec.Command("bash", "-n", filepath.Join(r.out, filepath.FromSlash(m.file)))
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", m.file, err, out)
			}
		}
	}
}

// TestMissingPlatform: a manifest of platforms that were not built is not written.
func TestMissingPlatform(t *testing.T) {
	r := fake(t)
	r.Built = r.Built[:1]
	must.OK(t, r.manifests())
	if _, err := os.Stat(filepath.Join(r.out, "homebrew", "manicule.rb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a formula without macOS was written: %v", err)
	}
}

// TestSBOM: two of one archive are equal, and what is in the archive is in it.
func TestSBOM(t *testing.T) {
	r := fake(t)
	archive := filepath.Join(r.out, "a.tar.gz")
	must.Write(t, archive, "x")
	list := []library{{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:x", License: "MIT"}, {Path: "example.org/b", License: "BSD-3-Clause AND MIT"}}
	var texts [2]string
	for i := range texts {
		out := filepath.Join(r.out, "sbom.json")
		must.OK(t, writeSBOM(out, r.project, r.Version, archive, list, time.Unix(0, 0).UTC()))
		data := must.Read(t, out)
		texts[i] = string(data)
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], `"pkg:golang/example.org/a@v1.0.0"`) || !strings.Contains(texts[0], `"BSD-3-Clause AND MIT"`) {
		t.Errorf("%s", texts[0])
	}
}

// TestDescription: it is one that every package manager takes. Homebrew has the shortest limit.
func TestDescription(t *testing.T) {
	p, err := loadProject()
	must.OK(t, err)
	if d := p.Description; len(d) > 79 || strings.HasSuffix(d, ".") || strings.HasPrefix(strings.ToLower(d), p.Name) {
		t.Errorf("Homebrew refuses %q", d)
	}
}

// TestNPMPackage: the MCP registry takes a package only if it says by which name it is listed there.
func TestNPMPackage(t *testing.T) {
	r := fake(t)
	for _, a := range r.Built {
		for _, p := range programs {
			must.OK(t, os.WriteFile(filepath.Join(a.programs, p.name+a.Exe()), []byte("x"), 0o755))
		}
		must.Write(t, filepath.Join(a.programs, "THIRD_PARTY_LICENSES.txt"), "x")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	if testing.Short() {
		t.Skip("npm packs eight packages")
	}
	must.OK(t, r.npm())
	data := must.Read(t, filepath.Join(r.work, "npm", r.NPMPackage, "package.json"))
	var got nodePackage
	must.OK(t, json.Unmarshal(data, &got))
	if got.MCPName != r.MCPName || len(got.OptionalDependencies) != len(targets) {
		t.Errorf("%s", data)
	}
}

func TestVersions(t *testing.T) {
	for v, ok := range map[string]bool{"1.2.3": true, "1.2.3-rc.1": true, "v1.2.3": false, "1.2": false, "": false, "1.2.3+x": false} {
		if err := checkVersion(v); (err == nil) != ok {
			t.Errorf("%q: %v", v, err)
		}
	}
	if got := snapshot("1.2.3", "0123456789"); got != "1.2.3-snapshot.g01234567" || checkVersion(got) != nil {
		t.Error(got)
	}
	if got := upstream("1.2.3-rc.1"); got != "1.2.3~rc.1" {
		t.Error(got)
	}
}

// TestDated: the page says the commit's day, in every month.
func TestDated(t *testing.T) {
	for month := time.January; month <= time.December; month++ {
		day := time.Date(2026, month, 2, 0, 0, 0, 0, time.UTC)
		got := string(dated([]byte(".TH MANICULE 1 \"2026-11-25\" \"manicule\"\n.SH NAME\n"), day))
		if want := ".TH MANICULE 1 \"" + day.Format("2006-01-02") + "\" \"manicule\"\n.SH NAME\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestAlpine holds versions to what apk takes.
func TestAlpine(t *testing.T) {
	day := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for version, want := range map[string]string{
		"1.2.3": "", "1.2.3-rc.1": "rc1", "1.2.3-beta2": "beta2", "1.2.3-alpha": "alpha", "1.2.3-rc.1.snapshot.g0123abcd": "rc1",
		"1.2.3-snapshot.g0123abcd": "pre20260502", "1.2.3-next.4": "pre20260502",
	} {
		if got := alpine(version, day); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
}

// TestModulePath gives a copy of the tree another module path, and lets Go find
// every package and its imports by it.
func TestModulePath(t *testing.T) {
	if testing.Short() {
		t.Skip("copies the tree")
	}
	tree, err := openTree()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	copyTree(t, tree, dir)
	const to = "github.com/example/manicule"
	if _, err := rename(dir, tree.module, to); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mod", "edit", "-module", to}, {"list", "-test", "-deps", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args, err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, tree.module+"/") {
				t.Errorf("a package has the old path: %s", line)
			}
		}
	}
}

func copyTree(t *testing.T, tree tree, dir string) {
	t.Helper()
	out, err := tree.command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	must.OK(t, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if strings.Contains(name, "/testdata/") && !strings.HasPrefix(name, "cmd/") {
			continue
		}
		data, err := os.ReadFile(tree.path(name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed yet
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		must.OK(t, errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644)))
	}
}

// TestDependencies: each module in the programs has a permitted licence and a
// reason, and the page says so.
func TestDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("asks Go for what is linked on four platforms")
	}
	if err := dependencies(nil); err != nil {
		t.Error(err)
	}
}

// TestManifestsInSync holds committed manifests to project.json and the version.
func TestManifestsInSync(t *testing.T) {
	if err := syncManifests([]string{"-check"}); err != nil {
		t.Error(err)
	}
}

// TestMarketplaces: Claude Code reads one from the repository's root and one from the plugin's
// folder. They differ only in where the plugins are.
func TestMarketplaces(t *testing.T) {
	t.Parallel()
	tree, err := openTree()
	must.OK(t, err)
	read := func(name string) string {
		data := must.Read(t, tree.path(name))
		return string(data)
	}
	atRoot := read(".claude-plugin/marketplace.json")
	inFolder := read("extensions/claude-code/.claude-plugin/marketplace.json")
	moved := strings.NewReplacer(`"source": "./"`, `"source": "./extensions/claude-code"`, `"source": "./gopls"`, `"source": "./extensions/claude-code/gopls"`).Replace(inFolder)
	if moved != atRoot {
		t.Errorf("the marketplaces differ:\n%s", cmp.Diff(moved, atRoot))
	}
}

func TestSizeOfPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "program")
	must.OK(t, os.WriteFile(file, make([]byte, 100), 0o755))
	if err := notLarger(file, 100); err != nil {
		t.Error(err)
	}
	if err := notLarger(file, 99); err == nil {
		t.Error("a program that is too large passes")
	}
}
