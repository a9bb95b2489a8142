package extract_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// construct is a section of a language's modern.txtar: syntax that came with a
// version of the language.
type construct struct {
	version, name string
	src           []byte // with the declarations that stand around it
	start, end    int    // of the construct in src
}

// constructs reads the sections of a language. What the ones called "before" and
// "after" declare stands around each of the others.
func constructs(t *testing.T, lang string) []construct {
	t.Helper()
	a := txtar.Parse(read(t, filepath.Join("..", "..", "grammars", lang, "modern.txtar")))
	n := len(a.Files)
	if n < 3 || a.Files[0].Name != "before" || a.Files[n-1].Name != "after" {
		t.Fatalf("%s: the sections don't stand between before and after", lang)
	}
	opener := ""
	if lang == "php" {
		opener = "<?php\n"
	}
	var out []construct
	for _, f := range a.Files[1 : n-1] {
		version, name, ok := strings.Cut(f.Name, ": ")
		if !ok {
			t.Errorf("%s: the section %q has no version", lang, f.Name)
		}
		head := slices.Concat([]byte(opener), a.Files[0].Data, []byte("\n"))
		out = append(out, construct{version, name, slices.Concat(head, f.Data, []byte("\n"), a.Files[n-1].Data), len(head), len(head) + len(f.Data)})
	}
	return out
}

// TestModernSyntax holds what each grammar understands of new syntax to what is
// recorded: less is a regression, more is to be recorded and taken out of Gaps.
func TestModernSyntax(t *testing.T) {
	for _, l := range grammars.All() {
		if l.Resolution == grammars.ResolveNone || l.Embeds != "" {
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			var got bytes.Buffer
			var failing []string
			for _, c := range constructs(t, l.ID) {
				if broken := c.record(t, l.ID, &got); broken {
					failing = append(failing, c.name)
				}
			}
			golden(t, filepath.Join("..", "..", "grammars", l.ID, "modern.golden"), got.Bytes())
			slices.Sort(failing)
			gaps := slices.Sorted(slices.Values(l.Gaps))
			if failing = slices.Compact(failing); !slices.Equal(failing, gaps) {
				t.Errorf("the gaps of %s are\n  %s\nwhat its grammar does not understand is\n  %s", l.Name, strings.Join(gaps, "\n  "), strings.Join(failing, "\n  "))
			}
		})
	}
}

// record writes what is found of a construct, and reports whether the grammar
// fails on it. What stands around it must be found in any case.
func (c construct) record(t *testing.T, lang string, w *bytes.Buffer) (broken bool) {
	t.Helper()
	spans, err := extract.SyntaxErrors(t.Context(), lang, c.src)
	must.OK(t, err)
	f := parse(t, lang, c.src)
	var names []string
	around := map[string]bool{}
	for _, s := range f.Symbols {
		switch {
		case s.Start >= c.start && s.Start < c.end:
			names = append(names, s.Path)
		case s.Parent < 0:
			around[strings.ToLower(strings.TrimRight(s.Name, "_"))] = true
		}
	}
	for _, name := range []string{"before", "after"} {
		if !around[name] {
			t.Errorf("%s %s: what stands %s it is lost", c.version, c.name, name)
		}
	}
	lost := 0
	for _, s := range spans {
		lost += max(0, min(s.End, c.end)-max(s.Start, c.start))
	}
	fmt.Fprintf(w, "%s: %s\n", c.version, c.name)
	if len(spans) == 0 {
		fmt.Fprintf(w, "  understood\n")
	} else {
		at := "the file"
		if s, ok := f.At(min(max(spans[0].Start, c.start), c.end-1)); ok {
			at = s.Path
		}
		fmt.Fprintf(w, "  not understood: %d of %d bytes in %d places, the first is taken for a part of %s\n", lost, c.end-c.start, len(spans), at)
	}
	fmt.Fprintf(w, "  found: %s\n", strings.Join(names, ", "))
	return len(spans) > 0
}

// golden compares with a file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		must.Write(t, name, got)
		return
	}
	if want := read(t, name); !bytes.Equal(got, want) {
		t.Errorf("%s is not up to date; look at what changed with -update:\n%s", name, got)
	}
}
