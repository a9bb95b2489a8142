package graph

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/treefile"
)

// usage reads what the files of the graph use beyond its edges: as they are in unsaved buffers, else in the
// database.
type usage struct {
	root     string
	s        *store
	overlays map[string]*overlay
}

func (h *held) usage() usage { return usage{root: h.o.Root, s: h.s, overlays: h.overlays} }

// of returns the uses in a file, as it is on disk or in an unsaved buffer.
func (u usage) of(ctx context.Context, st *fileState) (*extract.Facts, error) {
	var uses []byte
	if o := u.overlays[st.path]; o != nil {
		uses = o.uses
	} else {
		var err error
		if uses, err = u.s.uses(ctx, st.file); err != nil {
			return nil, err
		}
	}
	facts := &extract.Facts{File: &extract.File{Symbols: make([]extract.Symbol, len(st.file.Symbols))}}
	if err := decodeUses(uses, facts); err != nil {
		return nil, fmt.Errorf("%s: %w", st.path, err)
	}
	return facts, nil
}

// externalTargets returns what a name means outside of the workspace, by line. For a
// value that says little: a type of ours may implement an interface of the library.
func (u usage) externalTargets(ctx context.Context, st *fileState, name string) (map[int][]string, error) {
	out := map[int][]string{}
	if u.overlays[st.path] != nil {
		return out, nil // the external names of an unsaved buffer are not stored
	}
	var data []byte
	if err := u.s.db.QueryRowContext(ctx, qLinksOf, st.file.ID).Scan(&data); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return out, nil
		}
		return nil, fmt.Errorf("read the edges of %s: %w", st.path, err)
	}
	links, err := decodeLinks(data, st.file.ID)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", st.path, err)
	}
	for _, l := range links {
		if l.To == 0 && (l.External == name || strings.HasSuffix(l.External, "."+name)) {
			out[l.Line] = append(out[l.Line], l.External)
		}
	}
	return out, nil
}

// macroCalls returns the lines of a file with macros on which a name precedes a
// parenthesis.
func (u usage) macroCalls(st *fileState, name string) []int {
	if !preprocessed(st.file.Lang) {
		return nil
	}
	src, err := treefile.ReadWithin(u.root, st.path, extract.MaxSize)
	if o := u.overlays[st.path]; o != nil {
		src, err = o.text, nil
	}
	if err != nil || !bytes.Contains(src, []byte(name)) {
		return nil // the next synchronization notices a missing file
	}
	called := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*\(`)
	var out []int
	for i, line := range bytes.Split(src, []byte("\n")) {
		if called.Match(line) {
			out = append(out, i+1)
		}
	}
	return out
}
