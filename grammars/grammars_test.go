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
		`C:\src\a.py`: "python", `dir.go\README`: "", "Makefile": "make", "Dockerfile.dev": "dockerfile", "a.Dockerfile": "dockerfile", ".env": "", ".env.example": "ini", "a.tf": "hcl", "go": "", "": "", "a.md": "markdown",
		"a.swift": "swift", "a.scala": "scala", "a.sh": "bash", ".bashrc": "bash", "a.jsonc": "json", "src/A.vue": "vue", "+page.svelte": "svelte", "a.astro": "astro", "a.ipynb": "jupyter", "Cargo.lock": "toml",
	}
	for path, want := range tests {
		got, ok := ForPath(path)
		if got.ID != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", path, got.ID, ok, want)
		}
	}
}

func TestForFile(t *testing.T) {
	tests := []struct{ path, text, want string }{
		{"bin/deploy", "#!/bin/sh\nset -e\n", "bash"},
		{"bin/deploy", "#! /usr/bin/env -S bash -e\n", "bash"},
		{"bin/deploy", "#!/usr/bin/env python3.11\r\n", "python"},
		{"bin/deploy", "#!/usr/bin/env A=b node\n", "javascript"},
		{"bin/deploy", "#!/opt/own/tool\n", ""},
		{"bin/deploy", "#!", ""},
		{"bin/deploy", "#!/usr/bin/env\n", ""},
		{"bin/deploy", "echo\n#!/bin/sh\n", ""},
		{"a.text", "#!/bin/sh\n", ""},
		{"a.rb", "#!/bin/sh\n", "ruby"},
	}
	for _, test := range tests {
		if got, ok := ForFile(test.path, []byte(test.text)); got.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s, %q: got %q, %v, want %q", test.path, test.text, got.ID, ok, test.want)
		}
	}
	for program, id := range interpreters() {
		if _, ok := ByID(id); !ok {
			t.Errorf("%s runs %s, which is no language", program, id)
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
		if l.Name == "" || l.Queries().Definitions == "" && l.ID != "markdown" && l.Outline == nil { // Markdown has a parser of its own
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
		"This page lists the languages whose symbols Manicule knows, for users who want to know what works in theirs. In any other\n" +
		"language memories can be about files and lines. Memories in a script without an extension are in the language of the program that\n" +
		"its first line names (`#!/bin/sh`); the code graph leaves it out.\n\n" +
		"- *Uses* says whether the code graph has callers, callees and other uses across files, or only the structure of a file.\n" +
		"- *Not parsed* lists the constructs of `grammars/*/modern.txtar`, which goes through the versions of each language, that the\n" +
		"  pinned grammar does not support. `grammars/*/modern.golden` says what is found of them nevertheless.\n" +
		"- *Not resolved* lists what the code graph does not see.\n\n" +
		"A construct that is not parsed costs at most the declaration around it. The file stays in the graph, and a question about\n" +
		"such a place is answered for the nearest enclosing symbol. `manicule doctor` lists the files with such places; [the accuracy\n" +
		"of the code graph](graph-truth.md) says how common they are in real code.\n\n" +
		"| language | files | uses | not parsed | not resolved |\n| --- | --- | --- | --- | --- |\n")
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
