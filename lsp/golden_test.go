package lsp_test

import (
	"testing"

	"manicule/indexer/must"

	"golang.org/x/tools/txtar"
)

// goldens is an archive whose parts named @NAME are expected answers. With -update
// it takes the answers instead.
type goldens struct {
	*txtar.Archive
	file    string
	changed bool
}

func readGoldens(t *testing.T, file string) *goldens {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	must.OK(t, err)
	return &goldens{Archive: archive, file: file}
}

// check compares an answer with the part of a name.
func (g *goldens) check(t *testing.T, name, got string) {
	t.Helper()
	part := g.part("@" + name)
	switch {
	case part != nil && string(part.Data) == got:
	case *update && part != nil:
		part.Data, g.changed = []byte(got), true
	case *update:
		g.Files, g.changed = append(g.Files, txtar.File{Name: "@" + name, Data: []byte(got)}), true
	case part == nil:
		t.Errorf("there is no part @%s; the answer is\n%s", name, got)
	default:
		t.Errorf("@%s: got\n%s\nwant\n%s", name, got, part.Data)
	}
}

func (g *goldens) part(name string) *txtar.File {
	for i := range g.Files {
		if g.Files[i].Name == name {
			return &g.Files[i]
		}
	}
	return nil
}

// save writes the archive if -update changed it.
func (g *goldens) save(t *testing.T) {
	t.Helper()
	if !g.changed {
		return
	}
	must.Write(t, g.file, txtar.Format(g.Archive))
}
