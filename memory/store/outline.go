package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/sqlfile"
	"manicule/memory/file"
	"manicule/memory/store/hookfile"
)

// An outline is one line of text with what ranks a memory. A hook reads hundreds of them in a
// millisecond without decoding JSON. To show a memory, callers read its file.
const (
	outlineFields     = 17
	outlineScope      = 10                 // index of the field with the scope, before the one with the anchors
	outlineStandingAt = 15                 // index of the field with what people did to it
	fieldSep          = hookfile.Separator // between fields
	itemSep           = "\x1e"             // between the items of a field
	outlineText       = 200                // characters of the memory's text
)

func outline(path string, m *file.Memory, places []Place, use string) string {
	what := []rune(m.What)
	var files []string
	for _, a := range m.Anchors {
		f := a.Path
		if a.Symbol != "" {
			f += placeSep + a.Symbol
		}
		files = append(files, f)
	}
	pinned := ""
	if m.Pinned {
		pinned = "1"
	}
	unreviewed := ""
	if m.Trust.Unreviewed {
		unreviewed = "1"
	}
	fields := []string{path, m.UUID, string(m.Type), string(m.Layer), string(m.Importance), strconv.FormatFloat(m.Confidence, 'g', -1, 64), pinned,
		string(m.Trust.Origin), strconv.FormatInt(m.UpdatedAt.UnixMilli(), 10), string(what[:min(outlineText, len(what))]),
		strings.Join(m.Scope, itemSep), strings.Join(files, itemSep), outlinePlaces(places), m.TextKey(), unreviewed,
		outlineStanding(m), use}
	return joinFields(fields...)
}

func joinFields(fields ...string) string {
	for i, f := range fields {
		fields[i] = strings.ReplaceAll(f, fieldSep, " ")
	}
	return strings.Join(fields, fieldSep)
}

// splitFields puts the fields of a line where they fit, and returns how many there are. [strings.Split] takes
// memory for each line.
func splitFields(line string, to []string) (n int) {
	for f := range strings.SplitSeq(line, fieldSep) {
		if n < len(to) {
			to[n] = f
		}
		n++
	}
	return n
}

func fromOutline(line string) (Row, error) {
	var f [outlineFields]string
	if n := splitFields(line, f[:]); n != outlineFields {
		return Row{}, fmt.Errorf("outline of %d fields: %w", n, sqlfile.ErrCorrupt)
	}
	confidence, err1 := strconv.ParseFloat(f[5], 64)
	updated, err2 := strconv.ParseInt(f[8], 10, 64)
	if err1 != nil || err2 != nil {
		return Row{}, fmt.Errorf("outline of %s: %w", f[0], sqlfile.ErrCorrupt)
	}
	m := &file.Memory{Format: file.Format, UUID: f[1], Type: file.Type(f[2]), Layer: file.Layer(f[3]), Importance: file.Importance(f[4]),
		Confidence: confidence, Pinned: f[6] != "", Trust: file.Trust{Origin: file.Origin(f[7]), Unreviewed: f[14] != ""}, Visibility: file.Project,
		UpdatedAt: file.At(time.UnixMilli(updated)), What: f[9]}
	if f[outlineStandingAt] != "" {
		setStanding(m, f[outlineStandingAt])
	}
	if f[10] != "" {
		m.Scope = strings.Split(f[10], itemSep)
	}
	if f[11] != "" {
		for p := range strings.SplitSeq(f[11], itemSep) {
			path, symbol, _ := strings.Cut(p, placeSep)
			m.Anchors = append(m.Anchors, anchor.Anchor{Kind: anchor.KindFile, Path: path, Symbol: symbol})
		}
	}
	return Row{Path: f[0], outline: m, noted: placesOf(f[12], len(m.Anchors)), Key: f[13], life: f[16]}, nil
}

// outlines runs a query of outlines. A memory that matches at several places is returned once.
func outlines(ctx context.Context, db DB, query string, args []any) ([]Row, error) {
	var lines []string
	err := scan(ctx, db, query, args, func(rows *sql.Rows) error {
		var line string
		err := rows.Scan(&line)
		lines = append(lines, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	return fromOutlines(lines)
}

// fromOutlines decodes outlines, each memory's once.
func fromOutlines(lines []string) ([]Row, error) {
	out := make([]Row, 0, len(lines))
	seen := make(map[string]bool, len(lines))
	for _, line := range lines {
		path, _, _ := strings.Cut(line, fieldSep)
		if seen[path] {
			continue
		}
		seen[path] = true
		r, err := fromOutline(line)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}
