package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/google/licenseclassifier/v2/assets"
)

// library is something of others that is in a program.
type library struct {
	Path    string
	Version string
	Sum     string // of the Go module
	License string // as SPDX calls it
	Text    string // of the licence files
}

// modulesIn are the Go modules that are linked into programs, by what the programs
// say of themselves.
func modulesIn(t tree, programs []string) ([]library, error) {
	seen := map[string]library{}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the modules of %s: %w", name, err)
		}
		for _, m := range info.Deps {
			seen[m.Path] = library{Path: m.Path, Version: m.Version, Sum: m.Sum}
		}
	}
	var out []library
	for _, l := range seen {
		out = append(out, l)
	}
	return t.licensed(out)
}

// licensed adds their licences to modules, which are read where Go keeps them.
func (t tree) licensed(list []library) ([]library, error) {
	slices.SortFunc(list, func(a, b library) int { return strings.Compare(a.Path, b.Path) })
	dirs, err := t.moduleDirs()
	if err != nil {
		return nil, err
	}
	for i := range list {
		l := &list[i]
		if l.Text, err = licenseText(dirs[l.Path]); err == nil {
			l.License, err = licenseName(l.Text)
		}
		if err != nil {
			return nil, fmt.Errorf("the licence of %s: %w", l.Path, err)
		}
	}
	return list, nil
}

// moduleDirs are the folders of the modules of go.mod.
func (t tree) moduleDirs() (map[string]string, error) {
	out, err := t.command("go", "list", "-m", "-json=Path,Dir", "all").Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	dirs := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, err
		}
		dirs[m.Path] = m.Dir
	}
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|unlicense)([._-].*)?$`)

func licenseText(dir string) (string, error) {
	if dir == "" {
		return "", errors.New("the module is not here\n  try: go mod download")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range files {
		if f.IsDir() || !licenseFile.MatchString(f.Name()) || strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.ReplaceAll(string(data), "\r\n", "\n"))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("%s has no licence file", dir)
	}
	return strings.Join(texts, "\n"), nil
}

var classify = sync.OnceValues(assets.DefaultClassifier)

// licenseName is what a licence is called; what can't be told is an error, for a
// person to look at.
func licenseName(text string) (string, error) {
	c, err := classify()
	if err != nil {
		return "", err
	}
	var names []string
	for _, m := range c.Match([]byte(text)).Matches {
		if m.MatchType == "License" && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return "", errors.New("no licence is known by this text")
	}
	slices.Sort(names)
	return strings.Join(names, " AND "), nil
}

// permitted are the licences under which something may be part of our programs.
var permitted = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MPL-2.0", "Unlicense", "Zlib", "Apache-2.0 WITH LLVM-exception", "ZPL-2.1"}

func unpermitted(license string) []string {
	var out []string
	for one := range strings.SplitSeq(license, " AND ") {
		if !slices.Contains(permitted, one) {
			out = append(out, one)
		}
	}
	return out
}

// runtimes are what compilers link into programs.
func runtimes(t target) ([]library, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	text, err := licenseText(strings.TrimSpace(string(root)))
	if err != nil {
		return nil, err
	}
	out := []library{{Path: "std", Version: runtime.Version(), License: "BSD-3-Clause", Text: text}}
	add := func(path, license, text string) {
		out = append(out, library{Path: path, License: license, Text: text})
	}
	add("llvm.org/libcxx", "Apache-2.0 WITH LLVM-exception", "libc++, libc++abi, libunwind and compiler-rt are part of the LLVM Project, under the Apache License v2.0 with LLVM\nExceptions (https://llvm.org/LICENSE.txt): their object code may be part of a program without further conditions.\n")
	switch {
	case t.static:
		add("musl.libc.org/musl", "MIT", "musl as a whole is licensed under the MIT licence.\nCopyright © 2005-2020 Rich Felker, et al.\n\n"+mit)
	case t.GOOS == "windows":
		add("mingw-w64.org/runtime", "ZPL-2.1", "The start-up code of mingw-w64 is in the public domain or under the Zope Public License 2.1.\nCopyright (c) 2009, 2010, 2011, 2012, 2013 by the mingw-w64 project\n")
	}
	return out, nil
}

// scriptsDir has the libraries in JavaScript that are in the program's pages. Each begins with a
// comment: its name, version and licence, and the licence's text.
const scriptsDir = "memory/atlas/page"

// scripts are the libraries of others in the program's pages.
func scripts(t tree) ([]library, error) {
	names, err := filepath.Glob(filepath.Join(t.path(scriptsDir), "*.min.js"))
	if err != nil {
		return nil, err
	}
	var out []library
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		comment, _, ok := strings.Cut(strings.TrimPrefix(string(data), "/*! "), "*/")
		first, text, _ := strings.Cut(comment, "\n")
		var l library
		if _, err := fmt.Sscanf(strings.Replace(first, ",", " ", 1), "%s %s %s", &l.Path, &l.Version, &l.License); err != nil || !ok {
			return nil, fmt.Errorf("%s does not begin with its name, version and licence", name)
		}
		if known, err := licenseName(text); err != nil || known != l.License {
			return nil, fmt.Errorf("%s says that it is under %s, its text is %q (%v)", name, l.License, known, err)
		}
		l.Path, l.Text = "npmjs.com/package/"+l.Path, strings.TrimSpace(text)+"\n"
		out = append(out, l)
	}
	return out, nil
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

// writeLicenses writes the licences of all that is in the programs.
func writeLicenses(name string, list []library) error {
	var b strings.Builder
	b.WriteString("Manicule is made of the works of others. These are their licences.\n")
	for _, l := range list {
		fmt.Fprintf(&b, "\n%s\n%s %s\n%s\n\n%s", strings.Repeat("=", 100), l.Path, l.Version, l.License, l.Text)
	}
	return os.WriteFile(name, []byte(b.String()), 0o644)
}
