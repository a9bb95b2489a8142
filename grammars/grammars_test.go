package grammars

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestForPath(t *testing.T) {
	tests := map[string]string{
		"a.go": "go", "src/a.TS": "typescript", "a.d.ts": "typescript", "a.mts": "typescript", "a.tsx": "tsx",
		"a.js": "javascript", "a.jsx": "javascript", "a.cjs": "javascript", "a.py": "python", "a.pyi": "python",
		"a.rs": "rust", "A.java": "java", "a.kts": "kotlin", "a.h": "c", "a.hpp": "cpp", "a.cc": "cpp", "a.cs": "csharp",
		"lib/a.rake": "ruby", "Rakefile": "ruby", "a.php": "php",
		`C:\src\a.py`: "python", `dir.go\README`: "", "Makefile": "", "go": "", "": "", "a.md": "markdown",
		"a.swift": "swift", "a.scala": "scala", "a.sh": "bash", ".bashrc": "bash", "a.jsonc": "json", "Cargo.lock": "toml",
	}
	for path, want := range tests {
		got, ok := ForPath(path)
		if got.ID != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", path, got.ID, ok, want)
		}
	}
}

func TestRegistry(t *testing.T) {
	seen := make(map[string]bool)
	for _, l := range All() {
		for _, key := range append(append(l.Extensions, l.Filenames...), l.ID) {
			if seen[key] {
				t.Errorf("%s is given twice", key)
			}
			seen[key] = true
		}
		if l.Name == "" || l.Queries().Definitions == "" && l.ID != "markdown" { // which has a parser of its own
			t.Errorf("%s is incomplete", l.ID)
		}
		if got, ok := ByID(l.ID); !ok || got.Name != l.Name {
			t.Errorf("ByID(%q) is %+v", l.ID, got)
		}
	}
	if _, ok := ByID("cobol"); ok {
		t.Error("an unknown language is found")
	}
}

var update = flag.Bool("update", false, "write docs/languages.md")

// TestLanguagesPage holds the page about languages to what is here.
func TestLanguagesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Languages\n\n<!-- generated: go test ./grammars -update -->\n\n" +
		"Files and lines can carry memories in any language. In these, symbols can too, and the code graph knows them. What a\n" +
		"grammar does not understand costs the declaration around it at most: the file stays in the graph, and what is asked\n" +
		"about such a place is answered for the nearest symbol around it. `manicule doctor` says which files have such places.\n\n" +
		"What the pinned grammars don't understand is what they fail on of the constructs in `grammars/*/modern.txtar`, which go\n" +
		"through the versions of each language; `grammars/*/modern.golden` says what is found of each nevertheless. How much of\n" +
		"real code that is stands in [graph-truth.md](graph-truth.md).\n\n" +
		"| language | files | who uses what | not understood by its grammar | not seen |\n| --- | --- | --- | --- | --- |\n")
	for _, l := range All() {
		files := append(append([]string{}, l.Extensions...), l.Filenames...)
		edges := "across files"
		if l.Resolution == ResolveNone {
			edges = "structure only"
		}
		cell := func(list []string) string { return strings.ReplaceAll(strings.Join(list, "; "), "|", `\|`) }
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", l.Name, "`"+strings.Join(files, "` `")+"`", edges, cell(l.Gaps), cell(l.Limits))
	}
	const page = "../docs/languages.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("%s is not up to date (%v); run with -update", page, err)
	}
}
