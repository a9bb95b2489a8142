package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"
)

//go:embed templates
var templates embed.FS

// render fills a template that is beside this file.
func render(name string, data any) ([]byte, error) {
	text, err := templates.ReadFile("templates/" + name)
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"json": asJSON, "sri": sri}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("fill %s: %w", name, err)
	}
	return []byte(b.String()), nil
}

func asJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// By is the archive of a platform, for templates. One that was not built is an
// error: its manifest would be incomplete.
func (r *release) By(id string) (asset, error) {
	for _, a := range r.Built {
		if a.ID == id {
			return a, nil
		}
	}
	return asset{}, fmt.Errorf("%s was not built", id)
}

// has tells whether all of some platforms were built.
func (r *release) has(ids ...string) bool {
	for _, id := range ids {
		if _, err := r.By(id); err != nil {
			return false
		}
	}
	return true
}

// URL is where the archive of a platform is fetched from.
func (r *release) URL(id string) (string, error) {
	a, err := r.By(id)
	return r.Download(r.Version, a.File), err
}

// packages makes deb and rpm of the programs for old C libraries, and apk of the
// static ones.
func (r *release) packages() error {
	for _, a := range r.Built {
		if a.GOOS != "linux" {
			continue
		}
		formats := []string{"deb", "rpm"}
		if a.static {
			formats = []string{"apk"}
		}
		for _, format := range formats {
			if err := r.pack(a, format); err != nil {
				return fmt.Errorf("make the %s of %s: %w", format, a.ID, err)
			}
		}
	}
	return nil
}

func (r *release) pack(a asset, format string) error {
	dir := filepath.Join(r.work, format+"-"+a.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	page := filepath.Join(dir, "manicule.1.gz")
	if err := gzipFile(filepath.Join(r.work, "docs", "man", "manicule.1"), page); err != nil {
		return err
	}
	config, err := render("nfpm.yaml", map[string]any{
		"R": r, "A": a, "Programs": a.programs, "Docs": filepath.Join(r.work, "docs"), "Page": page, "Readme": r.tree.path("README.md"), "License": r.tree.path("LICENSE"),
		"Date": r.tree.date.Format("2006-01-02T15:04:05Z"), "Static": a.static, "APK": alpine(r.Version, r.tree.date),
	})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "nfpm.yaml")
	if err := os.WriteFile(file, config, 0o644); err != nil {
		return err
	}
	cmd := r.tree.command("go", "run", nfpm, "package", "--config", file, "--packager", format, "--target", r.out)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=", "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.tree.date.Unix(), 10))
	return quietly(cmd)
}

// alpine is what follows a version's numbers as apk has it, which refuses the package
// otherwise: alpha, beta, pre or rc with digits. A snapshot is a pre of the commit's day.
func alpine(version string, day time.Time) string {
	_, pre, found := strings.Cut(version, "-")
	if !found {
		return ""
	}
	if m := alpineSuffix.FindStringSubmatch(pre); m != nil {
		return m[1] + m[2]
	}
	return "pre" + day.Format("20060102")
}

var alpineSuffix = regexp.MustCompile(`^(alpha|beta|pre|rc)\.?(\d*)(?:\.|$)`)

// quietly runs a command whose output is worth reading only when it fails.
func quietly(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// nodePackage is a package for npm. The main one is a few lines that start the
// program of the platform's package, of which npm installs one.
type nodePackage struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           map[string]string `json:"repository"`
	Homepage             string            `json:"homepage"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Libc                 []string          `json:"libc,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Files                []string          `json:"files"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"`
	MCPName              string            `json:"mcpName,omitempty"` // by which the MCP registry knows that the package is ours
}

func (r *release) nodePackage(name string) nodePackage {
	return nodePackage{Name: name, Version: r.Version, Description: r.Description, License: r.License, Homepage: r.Homepage,
		Repository: map[string]string{"type": "git", "url": "git+" + r.Repository + ".git"}}
}

// npm makes the packages for npm. The static programs are not among them: where
// the C library is musl, npm installs those in place of the others.
func (r *release) npm() error {
	main := r.nodePackage(r.NPMPackage)
	main.Bin = map[string]string{"manicule": "manicule.js", "manicule-hook": "manicule-hook.js"}
	main.MCPName = r.MCPName
	main.Engines = map[string]string{"node": ">=18"}
	main.OptionalDependencies = map[string]string{}
	for _, a := range r.Built {
		p := r.nodePackage(r.npmName(a))
		p.OS, p.CPU, p.PreferUnplugged = []string{a.Node}, []string{a.CPU}, true
		if a.Libc != "" {
			p.Libc = []string{a.Libc}
		}
		main.OptionalDependencies[p.Name] = r.Version
		files := map[string]string{"README.md": r.tree.path("README.md"), "LICENSE": r.tree.path("LICENSE"), "THIRD_PARTY_LICENSES.txt": filepath.Join(a.programs, "THIRD_PARTY_LICENSES.txt")}
		for _, one := range programs {
			files["bin/"+one.name+a.Exe()] = filepath.Join(a.programs, one.name+a.Exe())
		}
		if err := r.npmPack(p, files); err != nil {
			return err
		}
	}
	files := map[string]string{"README.md": r.tree.path("README.md"), "LICENSE": r.tree.path("LICENSE")}
	for _, name := range []string{"manicule.js", "manicule-hook.js", "platform.js"} {
		script, err := render("npm/"+name, r)
		if err != nil {
			return err
		}
		files[name] = filepath.Join(r.work, name)
		if err := os.WriteFile(files[name], script, 0o755); err != nil {
			return err
		}
	}
	return r.npmPack(main, files)
}

// npmName is the package of a platform: @scope/linux-x64.
func (r *release) npmName(a asset) string {
	name := r.NPMScope + "/" + a.Node + "-" + a.CPU
	if a.static {
		name += "-musl"
	}
	return name
}

// npmPack lays a package out as npm has it and lets npm pack it, which gives all
// files one time.
func (r *release) npmPack(p nodePackage, files map[string]string) error {
	dir := filepath.Join(r.work, "npm", filepath.FromSlash(p.Name))
	for name, from := range files {
		p.Files = append(p.Files, name)
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "bin/") || strings.HasSuffix(name, ".js") {
			mode = 0o755
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, mode)); err != nil {
			return err
		}
	}
	sortStrings(p.Files)
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), append(data, '\n'), 0o644); err != nil {
		return err
	}
	out := filepath.Join(r.out, "npm")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("npm", "pack", "--ignore-scripts", "--pack-destination", out)
	cmd.Dir = dir
	return quietly(cmd)
}
