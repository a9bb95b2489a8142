package graph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/grammars"
	"manicule/indexer/extract"
)

// syntaxSources are recent versions of well-known repositories, at least one for each
// language. They show how much real code the grammars parse.
func syntaxSources() []source {
	return []source{
		{"terraform", "https://github.com/hashicorp/terraform", "883c7221ee2e0bc2fad6912fd4b3cc4b53a598a7"},
		{"typescript-eslint", "https://github.com/typescript-eslint/typescript-eslint", "56c9ed90d0aee0b5a71cfc39fc76b715b82e3ea8"},
		{"redux-toolkit", "https://github.com/reduxjs/redux-toolkit", "74200d87c27ca2b1c0915b2fbb4c44dd7494c2aa"},
		{"requests", "https://github.com/psf/requests", "1f6589ec3a1ee910f9a65cc3ceac60b26677bc0e"},
		{"tokio", "https://github.com/tokio-rs/tokio", "ea91b33ca57ff0581b38e735cc108f831bccbdaa"},
		{"gson", "https://github.com/google/gson", "9835b6f90192f79cdf5300c528fc6212455fb6c1"},
		{"okio", "https://github.com/square/okio", "4164f2976ac7174f3d35d52150e8ffbdbe0acbec"},
		{"jq", "https://github.com/jqlang/jq", "579e6f76cffd7643ba4002a2c3618a5ea710589a"},
		{"leveldb", "https://github.com/google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1"},
		{"Polly", "https://github.com/App-vNext/Polly", "173d6d1d2e28a4697f1ac1d22da68f77ff19a0c9"},
		{"jekyll", "https://github.com/jekyll/jekyll", "202df571314ba1d18e9fccd81d12aaad4a703c38"},
		{"rack", "https://github.com/rack/rack", "8bf4eb078498edc9105fb04add80d89c5340e60b"},
		{"laravel", "https://github.com/laravel/framework", "bd71b45fbb7e672957bf6ff61baddefe15fbca6a"},
		{"Alamofire", "https://github.com/Alamofire/Alamofire", "7595cbcf59809f9977c5f6378500de2ad73b7ddb"},
		{"os-lib", "https://github.com/com-lihaoyi/os-lib", "e237000cbd4d97a4c4463df43d64556130d2bc50"},
		{"scala3-example", "https://github.com/scala/scala3-example-project", "d1564992eac3ad2c3190988d544eb94e96e3cd30"},
		{"nvm", "https://github.com/nvm-sh/nvm", "b17550a0b9ab691439815dfccc8b73e3a59fa103"},
		{"bats-core", "https://github.com/bats-core/bats-core", "d22e41faad59f5fd942a88c992b4913a27a460c4"},
		{"gitsigns.nvim", "https://github.com/lewis6991/gitsigns.nvim", "31d6fb2d618bca1482b9f274751ead5f03461408"},
		{"phoenix", "https://github.com/phoenixframework/phoenix", "167c46950cf53aef363d672687cc653267c20aa6"},
	}
}

// health counts how much of a language's files a grammar parses.
type health struct {
	files, broken int // all, and those with an error
	bytes, lost   int // all, and those skipped
}

func (h *health) sum(o health) {
	h.files, h.broken, h.bytes, h.lost = h.files+o.files, h.broken+o.broken, h.bytes+o.bytes, h.lost+o.lost
}

// askSyntax measures how much of real trees the grammars parse.
func (e *evaluation) askSyntax(ctx context.Context) error {
	if e.samples == "" {
		return evalkit.Missing("the trees are not there: put checkouts of the repositories that cmd/eval/graph/FIGURES.md names into one folder and name it with -samples")
	}
	t := evalkit.NewTable("language", "files", "with errors", "share", "KiB", "of them skipped")
	all := map[string]health{}
	var sources []string
	for _, s := range syntaxSources() {
		root, err := s.at(filepath.Join(e.samples, s.name))
		if err != nil {
			return err
		}
		found, err := treeHealth(ctx, root)
		if err != nil {
			return err
		}
		for _, l := range grammars.All() {
			h, ok := found[l.ID]
			if !ok || l.Resolution == grammars.ResolveNone {
				continue
			}
			sum := all[l.ID]
			sum.sum(h)
			all[l.ID] = sum
		}
		sources = append(sources, fmt.Sprintf("%s %.9s", s.name, s.commit))
	}
	var whole []string
	for _, l := range grammars.All() {
		h, ok := all[l.ID]
		switch {
		case !ok:
		case h.broken == 0:
			whole = append(whole, fmt.Sprintf("%s (%d files)", l.Name, h.files))
		default:
			t.Rows = append(t.Rows, h.row(l.Name))
		}
	}
	e.sections = append(e.sections, evalkit.Section{
		Title: "All languages: what the grammars understand of real code",
		Notes: []string{
			"Files with an ERROR or MISSING node, and the bytes inside of ERROR nodes, before anything is recovered, in " + strings.Join(sources, ", ") + ".",
			"Without any: " + strings.Join(whole, ", ") + ".",
		},
		Table: t,
	})
	return nil
}

func (h health) row(name string) []string {
	return []string{name, fmt.Sprint(h.files), fmt.Sprint(h.broken), percent(h.broken, h.files), fmt.Sprint(h.bytes >> 10), percent(h.lost, h.bytes)}
}

func percent(a, b int) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(a)/float64(b))
}

// treeHealth parses all files of a tree, by detected language.
func treeHealth(ctx context.Context, root string) (map[string]health, error) {
	out := map[string]health{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "vendor") {
			return fs.SkipDir
		}
		l, ok := grammars.ForPath(name)
		if !ok || !d.Type().IsRegular() || l.Resolution == grammars.ResolveNone {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a source: %w", err)
		}
		lang := extract.DetectDialect(l.ID, src)
		spans, err := extract.SyntaxErrors(ctx, lang, src)
		if errors.Is(err, extract.ErrBinary) || errors.Is(err, extract.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("parse %s: %w", name, err)
		}
		h := health{files: 1, bytes: len(src)}
		for _, s := range spans {
			h.broken = 1
			h.lost += s.End - s.Start
		}
		sum := out[lang]
		sum.sum(h)
		out[lang] = sum
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", root, err)
	}
	return out, nil
}
