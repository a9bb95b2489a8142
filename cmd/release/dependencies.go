package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// reasons say why each module that we import is there.
//
//go:embed dependencies.json
var reasonsJSON []byte

const dependenciesDoc = "cmd/release/DEPENDENCIES.md"

// dependency is a module in the programs, with who needs it.
type dependency struct {
	library
	of []string // the modules that import it; empty where we do
}

// dependencies compares the table of dependencies with what is linked.
func dependencies(args []string) error {
	t, err := openTree()
	if err != nil {
		return err
	}
	want, err := t.dependencyTable()
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "-write" {
		return os.WriteFile(t.path(dependenciesDoc), []byte(want), 0o644)
	}
	if have, err := os.ReadFile(t.path(dependenciesDoc)); err != nil || string(have) != want {
		return errors.New(dependenciesDoc + " is not what is linked\n  try: make licenses")
	}
	return nil
}

func (t tree) dependencyTable() (string, error) {
	list, err := t.linked()
	if err != nil {
		return "", err
	}
	reasons := map[string]string{}
	if err := json.Unmarshal(reasonsJSON, &reasons); err != nil {
		return "", err
	}
	var direct strings.Builder
	rest := map[string][]string{}
	var unexplained []string
	for _, d := range list {
		if bad := unpermitted(d.License); len(bad) > 0 {
			return "", fmt.Errorf("%s is under %s\n  try: another library, or permitted in cmd/release/modules.go, after a look", d.Path, strings.Join(bad, ", "))
		}
		if len(d.of) > 0 {
			rest[d.License] = append(rest[d.License], d.Path)
			continue
		}
		why := reasons[d.Path]
		if why == "" {
			unexplained = append(unexplained, d.Path)
		}
		fmt.Fprintf(&direct, "| %s | %s | %s |\n", d.Path, d.License, why)
		delete(reasons, d.Path)
	}
	if len(unexplained) > 0 || len(reasons) > 0 {
		gone := slices.Sorted(maps.Keys(reasons))
		return "", fmt.Errorf("nothing says why these are linked: %q; these are not linked any more: %q\n  try: edit cmd/release/dependencies.json", unexplained, gone)
	}
	var byLicense strings.Builder
	for _, l := range slices.Sorted(maps.Keys(rest)) {
		fmt.Fprintf(&byLicense, "- **%s**: %s\n", l, strings.Join(rest[l], ", "))
	}
	return fmt.Sprintf(dependenciesText, direct.String(), byLicense.String()), nil
}

// linked are the modules in the programs, on all platforms.
func (t tree) linked() ([]dependency, error) {
	importers := map[string]map[string]bool{}
	for _, platform := range []string{"linux/amd64", "linux/arm64", "windows/amd64", "darwin/arm64"} {
		if err := t.importers(platform, importers); err != nil {
			return nil, err
		}
	}
	var libraries []library
	for path := range importers {
		libraries = append(libraries, library{Path: path})
	}
	libraries, err := t.licensed(libraries)
	if err != nil {
		return nil, err
	}
	var out []dependency
	for _, l := range libraries {
		d := dependency{library: l}
		if !importers[l.Path][t.module] {
			for of := range importers[l.Path] {
				d.of = append(d.of, of)
			}
			slices.Sort(d.of)
		}
		out = append(out, d)
	}
	return out, nil
}

// importers adds, for each module that the programs link on a platform, which
// modules import it.
func (t tree) importers(platform string, out map[string]map[string]bool) error {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := t.command("go", "list", "-deps", "-json=ImportPath,Imports,Module,Standard", "./cmd/manicule", "./cmd/manicule-hook")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1", "GOFLAGS=", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("list what is linked on %s: %w", platform, err)
	}
	type pkg struct {
		ImportPath string
		Imports    []string
		Module     *struct{ Path string }
		Standard   bool
	}
	module := map[string]string{}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(data))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if p.Module != nil {
			module[p.ImportPath] = p.Module.Path
			all = append(all, p)
		}
	}
	for _, p := range all {
		for _, im := range p.Imports {
			to := module[im]
			if to == "" || to == p.Module.Path || to == t.module {
				continue
			}
			if out[to] == nil {
				out[to] = map[string]bool{}
			}
			out[to][p.Module.Path] = true
		}
	}
	return nil
}

const dependenciesText = `# Dependencies

For maintainers and packagers: the modules that are part of ` + "`manicule`" + ` and ` + "`manicule-hook`" + ` on any platform, with their licences. ` + "`make licenses`" + ` writes this
page from what the programs import and from ` + "`cmd/release/dependencies.json`" + `. A test fails where it is out of date, where a licence is not one
of those that are permitted (` + "`cmd/release/modules.go`" + `), and where nothing says why a module is there. What only tests, evaluations
and releases use is not listed. Each archive has the licences themselves in ` + "`THIRD_PARTY_LICENSES.txt`" + `.

The parsers below ` + "`indexer/extract/treesitter/parsers`" + ` are C that is generated from the grammars of
tree-sitter. They are those of github.com/smacker/go-tree-sitter, and their authors' licences are MIT (Elixir: Apache-2.0).

The page of ` + "`manicule map`" + ` has the layout of treemaps of d3-hierarchy (ISC) in it, with its licence:
` + "`memory/atlas/page/bundle.sh`" + ` makes it from npm, in the version that it names.

## What we import

| module | licence | why |
| --- | --- | --- |
%s
## What those import

` + "`go mod why -m MODULE`" + ` says for what.

%s`
