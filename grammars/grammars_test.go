package grammars

import "testing"

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
		if l.Name == "" || l.Queries().Definitions == "" {
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
