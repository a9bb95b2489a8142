package code

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/graph"
	"manicule/indexer/must"
)

// tree is a source of files whose chunks are parted by blank lines. A chunk's first line
// says its kind and symbol.
type tree map[string]string

func (t tree) Files(context.Context) (out []graph.File, err error) {
	for name, text := range t {
		out = append(out, graph.File{Path: name, Hash: graph.HashOf([]byte(text))})
	}
	return out, nil
}

func (t tree) Chunks(_ context.Context, file string) (out []graph.Chunk, err error) {
	at := 0
	for _, part := range strings.SplitAfter(t[file], "\n\n") {
		c := graph.Chunk{Start: at, End: at + len(part), Kind: "text"}
		if first, _, _ := strings.Cut(part, "\n"); strings.HasPrefix(first, "// ") {
			c.Kind, c.Symbol, _ = strings.Cut(strings.TrimPrefix(first, "// "), " ")
		}
		out = append(out, c)
		at += len(part)
	}
	return out, nil
}

func openTree(t *testing.T, files tree) *Index {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		to := filepath.Join(root, name)
		must.Write(t, to, text)
	}
	x, err := Open(t.Context(), t.TempDir(), root, time.Now)
	must.OK(t, err)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := x.Sync(t.Context(), files, nil); err != nil {
		t.Fatal(err)
	}
	return x
}

// TestMentions: a function is found by the words of a test, a document or a caller that
// mentions it.
func TestMentions(t *testing.T) {
	const lib = "// function lib.shrink\nfunc shrink(b []byte) []byte { return gzip(b) }\n\n" +
		"// function lib.other\nfunc other() int { return 1 }\n\n" +
		"// function lib.same\nfunc same() {}\n\n"
	tests := []struct {
		name  string
		files tree
		ask   string
		want  string
	}{
		{"by a test", tree{"lib.go": lib, "lib_test.go": "// function lib.TestCompressed\nfunc TestCompressed() { shrink(nil) }\n"}, "where is data compressed", "lib.shrink"},
		{"by a document", tree{"lib.go": lib, "README.md": "Call `shrink` for smaller payloads.\n"}, "smaller payloads", "lib.shrink"},
		{"by a caller", tree{"lib.go": lib, "store.go": "// function store.upload\nfunc upload() { shrink(archive) }\n"}, "upload the archive", "lib.shrink"},
		{"by a caller that imports its file", tree{"pack/lib.py": "// function shrink\ndef shrink(b): ...\n", "store.py": "// function upload\nfrom pack import lib; lib.shrink(archive)\n"}, "upload the archive", "shrink"},
		{"not by a file that has no tie to it", tree{"pack/lib.py": "// function shrink\ndef shrink(b): ...\n", "store.py": "// function upload\nshrink(archive)\n"}, "upload the archive", ""},
		{"a word of prose is no name", tree{"lib.go": lib, "README.md": "Payloads shrink and get smaller.\n"}, "smaller payloads", ""},
		{"a part of a word is no name", tree{"lib.go": lib, "store.go": "// function store.upload\nfunc upload() { shrinking(archive) }\n"}, "upload", ""},
		{"a name of many functions tells nothing", tree{
			"lib.go": lib, "a.go": "// method A.same\nfunc (A) same() {}\n\n// method B.same\nfunc (B) same() {}\n\n// method C.same\nfunc (C) same() {}\n",
			"README.md": "For payloads `same` is called.\n",
		}, "payloads", ""},
		{"a function is not its own mention", tree{"lib.go": lib, "b.go": "// function b.pack\nfunc pack() { pack() }\n"}, "pack", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := openTree(t, tt.files)
			found, err := x.Search(t.Context(), tt.ask, 10)
			must.OK(t, err)
			got := ""
			for _, h := range found.Mentions {
				list, err := x.Pieces(t.Context(), []int64{h.ID})
				must.OK(t, err)
				got += list[0].Symbol
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestMentionsAmong: a search among some pieces finds no others.
func TestMentionsAmong(t *testing.T) {
	x := openTree(t, tree{
		"lib/a.go": "// function lib.shrink\nfunc shrink() {}\n",
		"use/b.go": "// function use.upload\nfunc upload() { lib.shrink() }\n",
	})
	for _, tt := range []struct {
		folder string
		want   int
	}{{"use/", 0}, {"", 1}} {
		ids, _, err := x.Filter(t.Context(), func(path string) bool { return strings.HasPrefix(path, tt.folder) })
		must.OK(t, err)
		found, err := x.SearchAmong(t.Context(), "upload", 10, ids)
		must.OK(t, err)
		if len(found.Words) != 1 || len(found.Mentions) != tt.want {
			t.Errorf("in %q: %v, want %d mentions", tt.folder, found, tt.want)
		}
	}
}

func TestNamesIn(t *testing.T) {
	const text = "a.parse_all(b) + `fetchAll` or going; parse_all, `go_on` and .open with call(x)"
	for prose, want := range map[bool]string{false: "parse_all fetchAll going go_on and open with call", true: "parse_all fetchAll go_on open call"} {
		if got := strings.Join(namesIn(text, prose), " "); got != want {
			t.Errorf("prose %v: %q, want %q", prose, got, want)
		}
	}
	var many strings.Builder
	for i := range 2 * maxMentions {
		fmt.Fprintf(&many, "name%d ", i)
	}
	if got := namesIn(many.String(), false); len(got) != maxMentions {
		t.Errorf("%d names, want %d", len(got), maxMentions)
	}
}
