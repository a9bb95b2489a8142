package extract

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"manicule/indexer/must"
)

// BenchmarkKeystroke is a letter typed, and deleted again, in the middle of a
// file, until its facts are known.
func BenchmarkKeystroke(b *testing.B) {
	for _, lines := range []int{100, 250, 500, 1000, 5000, 20000} {
		text := goLines(b, lines)
		at := bytes.Index(text[len(text)/2:], []byte("\n\treturn ")) + len(text)/2 + len("\n\t")
		typed := slices.Concat(text[:at], []byte("x := 1\n\t"), text[at:])
		for _, how := range []struct {
			name  string
			least int
		}{{"whole", MaxSize}, {"followed", 0}} {
			b.Run(fmt.Sprintf("lines=%d/%s", lines, how.name), func(b *testing.B) {
				owner := NewBuffers(1 << 30)
				owner.minIncremental = how.least
				buffer := owner.Open("go")
				defer buffer.Close()
				step := func(i int) {
					now, e := typed, Edit{Start: at, OldEnd: at, NewLen: len(typed) - len(text)}
					if i%2 == 1 {
						now, e = text, Edit{Start: at, OldEnd: at + len(typed) - len(text)}
					}
					if _, err := buffer.ParseFacts(b.Context(), buffer.Record(e), now); err != nil {
						b.Fatal(err)
					}
				}
				step(0)
				i := 1
				for b.Loop() {
					step(i)
					i++
				}
			})
		}
	}
}

// BenchmarkReparse is the part of a keystroke that is tree-sitter's.
func BenchmarkReparse(b *testing.B) {
	l, err := languageFor("go")
	must.OK(b, err)
	for _, lines := range []int{500, 5000} {
		text := goLines(b, lines)
		at := bytes.Index(text[len(text)/2:], []byte("\n\treturn ")) + len(text)/2 + len("\n\t")
		typed := slices.Concat(text[:at], []byte("x := 1\n\t"), text[at:])
		tree, err := l.parseText(b.Context(), nil, text)
		must.OK(b, err)
		defer tree.Close()
		hunks := wholeLines([]hunk{{start: at, end: at, now: at, length: len(typed) - len(text)}}, text)
		for name, old := range map[string]func() *keptTree{"whole": func() *keptTree { return nil }, "followed": func() *keptTree { return &keptTree{tree: tree.Copy(), text: text} }} {
			b.Run(fmt.Sprintf("lines=%d/%s", lines, name), func(b *testing.B) {
				for b.Loop() {
					next, err := l.reparse(b.Context(), old(), hunks, typed)
					must.OK(b, err)
					next.Close()
				}
			})
		}
	}
}

// BenchmarkLoad is the compiling of a language's queries, when it is first
// asked for.
func BenchmarkLoad(b *testing.B) {
	for _, id := range []string{"go", "typescript", "tsx", "javascript", "python", "rust"} {
		_, err := languageFor(id)
		must.OK(b, err)
		b.Run(id, func(b *testing.B) {
			for b.Loop() {
				one, err := compile(id)
				must.OK(b, err)
				if _, err := one.whole(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// goLines returns about so many lines of real code, without errors.
func goLines(b *testing.B, lines int) []byte {
	b.Helper()
	var code []byte
	for _, name := range []string{"references.go", "symbols.go", "query.go", "recover.go"} {
		src := must.Read(b, name)
		code = append(code, src[bytes.Index(src, []byte("\n)\n"))+3:]...)
	}
	text := []byte("package extract\n\n")
	for bytes.Count(text, []byte{'\n'}) < lines {
		text = append(text, code...)
	}
	all := bytes.SplitAfter(text, []byte{'\n'})
	cut := min(lines, len(all)-1)
	for cut > 1 && string(all[cut]) != "}\n" {
		cut--
	}
	return bytes.Join(all[:cut+1], nil)
}
