package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/words"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store/hookfile"
)

// Statements of outlines.
const (
	qOutlines = `SELECT outline FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))
		AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1)`
	qOutlinesDir = qOutlines + ` UNION SELECT outline FROM reaches WHERE prefix >= ?2 AND prefix < ?3
		AND memory_id NOT IN (SELECT memory_id FROM memories WHERE deprecated = 1)`
	qTotal = `SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM memories WHERE deprecated = 1)`
)

// FastReader is the hooks' access to memories. It reads the hooks' file, opens no database, waits for
// no lock, and never writes. It reads folders that changed since that file was written. Without one it
// reads the memory files.
type FastReader struct {
	config Config
	open   io.Closer
	index  *hookfile.File // nil: read the files
	fresh  []Row          // memories that are not in it yet
	files  *fileScan      // used without it
}

// OpenFastReader opens what exists. Only an unreadable memory folder is an error.
func OpenFastReader(ctx context.Context, c Config) (*FastReader, error) {
	q := &FastReader{config: c}
	noted, err := q.openIndex()
	if err == nil {
		if err = q.catchUp(ctx, noted); err == nil {
			return q, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(err, q.Close())
		}
	}
	return q, q.useFiles()
}

// openTries is how often the pointer is read: a writer may replace the file that it names meanwhile.
const openTries = 3

// openIndex opens the hooks' file, and returns the folders as they were when it was written.
func (q *FastReader) openIndex() (noted map[string]int64, err error) {
	for range openTries {
		var p pointer
		if p, err = readPointer(q.config.CacheDir); err != nil {
			return nil, err
		}
		if p.Hooks.File == "" || p.Hooks.File != filepath.Base(p.Hooks.File) {
			return nil, fmt.Errorf("there is no hooks' file: %w", fs.ErrNotExist)
		}
		var f *os.File
		if f, err = treefile.OpenMade(filepath.Join(q.config.CacheDir, p.Hooks.File)); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			break
		}
		if q.index, err = hookfile.Open(f, p.Hooks.Table, p.Hooks.Size); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		q.open = f
		return p.Hooks.folderTimes(), nil
	}
	return nil, fmt.Errorf("open the hooks' file: %w", err)
}

// catchUp reads files that were added to a folder since the hooks' file was written. Removed files are
// noticed when they are shown. What takes more than a quarter of the time is left to whoever updates the
// database: the memories from before are a better answer than none, and those that were read have still to be compared.
func (q *FastReader) catchUp(ctx context.Context, noted map[string]int64) error {
	now, err := folderTimes(q.config.Dir)
	if err != nil {
		return err
	}
	limited := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		left := time.Until(end)
		limited, cancel = context.WithTimeout(ctx, left/4)
		defer cancel()
		if left <= 0 { // a context takes such an end for its parent's
			cancel()
		}
	}
	for rel, ns := range now.folders {
		if rel == "." || noted[rel] == ns {
			continue
		}
		if err := q.catchUpFolder(limited, rel); err != nil {
			if limited.Err() == nil || ctx.Err() != nil {
				return err
			}
			break
		}
	}
	sorting.Func(q.fresh, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

func (q *FastReader) catchUpFolder(ctx context.Context, rel string) error {
	// A folder may have a hundred thousand files: no name is copied, sorted or looked at before it is known to be new.
	names, err := fileNames(ctx, filepath.Join(q.config.Dir, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	added, err := q.index.Unknown(ctx, rel+"/", names)
	if err != nil {
		return err
	}
	for _, name := range added {
		path := rel + "/" + name
		if !file.IsMemoryPath(path) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if r, ok := q.readRow(path); ok {
			q.fresh = append(q.fresh, r)
		}
	}
	return nil
}

// namesAtOnce is how many names are read between two looks at the time.
const namesAtOnce = 4096

// fileNames returns the names in a folder, in no order.
func fileNames(ctx context.Context, dir string) (names []string, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("read memory folder: %w", err)
	}
	defer func() { _ = d.Close() }() // it was only read
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read memory folder: %w", err)
		}
		some, err := d.Readdirnames(namesAtOnce)
		names = append(names, some...)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read memory folder: %w", err)
		}
	}
}

// names adds the file names of a folder to the listing.
func (l *listing) names(abs, rel string) error {
	entries, err := os.ReadDir(abs)
	if err != nil {
		return fmt.Errorf("read memory folder: %w", err)
	}
	for _, e := range entries {
		if path := rel + "/" + e.Name(); !e.IsDir() && file.IsMemoryPath(path) {
			l.files[path] = diskFile{}
		}
	}
	return nil
}

func (q *FastReader) readRow(path string) (Row, bool) {
	m, err := file.Read(filepath.Join(q.config.Dir, filepath.FromSlash(path)))
	if err != nil || m.Trust.Deprecated != nil {
		return Row{}, false // broken or removed: reported elsewhere; or out of use
	}
	return Row{Path: path, outline: WithoutText(m), Unjudged: true}, true
}

// WithoutText returns what may be shown of a memory that nobody has judged: its kind and where it
// applies, but no text. A hook has no time to judge, and the file may just have come with a pull.
func WithoutText(m *file.Memory) *file.Memory {
	return &file.Memory{Format: m.Format, UUID: m.UUID, Type: m.Type, Layer: m.Layer, Scope: m.Scope, Anchors: m.Anchors, Visibility: m.Visibility,
		Importance: file.Low, UpdatedAt: m.UpdatedAt, Trust: file.Trust{Unreviewed: true}}
}

// PathQuery asks for the memories that apply to a path.
type PathQuery struct {
	Path    string // relative to the root, "" for the root
	Dir     bool   // it is a folder: what lies below counts, too
	Project bool   // with those that apply to the whole project; else they may be left out
}

// Reaching is [Memories.Reaching]. Without the hooks' file it returns what it can read in time.
func (q *FastReader) Reaching(ctx context.Context, of PathQuery) ([]Row, error) {
	prefixes := PathPrefixes(of.Path, q.config.Scopes, of.Project)
	if !of.Dir {
		return q.rows(ctx, searchTexts(of.Path, false), func(f *hookfile.File) ([]string, error) {
			return f.Lines(prefixes, "", "", applying(of.Path, q.config.Scopes))
		})
	}
	low := q.config.Scopes.Folded(of.Path)
	if low != "" {
		low += "/"
	}
	return q.rows(ctx, searchTexts(of.Path, true), func(f *hookfile.File) ([]string, error) {
		return f.Lines(prefixes, low, low+"\U0010FFFF", anything)
	})
}

// scopeFilter returns the scope in an outline, by which [applying] decides; "" if that is not enough,
// because the memory has anchors, too.
func scopeFilter(line string) string {
	f := strings.Split(line, fieldSep)
	if len(f) != outlineFields || f[outlineScope+1] != "" || strings.Contains(f[outlineScope], "\x00") {
		return ""
	}
	return f[outlineScope]
}

// applying returns a function that rejects the scopes that do not match a file path. Patterns like
// "**/*_test.go" reach every path but apply to few, and many memories share one. Memories with anchors
// pass, because their places decide as well.
func applying(rel string, opts scope.Options) func(filter string) bool {
	return func(filter string) bool {
		if filter == "" {
			return true
		}
		s, err := scope.Compile(strings.Split(filter, itemSep), opts)
		return err != nil || s.Match(rel, false) != scope.None
	}
}

// anything passes every scope.
func anything(string) bool { return true }

// Brief returns the pinned and project-wide candidates for a session's brief, of very many the most telling, and the
// total number of memories.
func (q *FastReader) Brief(ctx context.Context) (rows []Row, total int, err error) {
	rows, err = q.rows(ctx, []string{`"pinned": true`, `"scope": null`}, (*hookfile.File).Brief)
	if err != nil {
		return nil, 0, err
	}
	if q.index == nil {
		return rows, len(q.files.paths), nil
	}
	total, err = q.index.Total()
	return rows, total + len(q.fresh), err
}

// ByPaths returns the memories with some paths below the memories folder, in no order, without
// superseded ones.
func (q *FastReader) ByPaths(ctx context.Context, paths []string) ([]Row, error) {
	if q.index == nil {
		return q.files.byPath(ctx, q, paths), nil
	}
	var out []Row
	for _, p := range paths {
		m, ok, _, err := q.index.ByPath(p)
		if err != nil {
			return nil, err
		}
		if ok {
			r, err := fromFound(m)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	for _, r := range q.fresh {
		if slices.Contains(paths, r.Path) {
			out = append(out, r)
		}
	}
	return out, nil
}

// fromFound decodes a memory with its text.
func fromFound(m hookfile.Found) (Row, error) {
	r, err := fromOutline(m.Line)
	if err != nil {
		return r, err
	}
	return r, r.textOf(m.Text)
}

// rows asks the hooks' file for outlines. Without it, it reads the files, first those that contain one
// of the texts.
func (q *FastReader) rows(ctx context.Context, texts []string, ask func(*hookfile.File) ([]string, error)) ([]Row, error) {
	if q.index != nil {
		lines, err := ask(q.index)
		if err == nil {
			var rows []Row
			if rows, err = fromOutlines(lines); err == nil {
				return append(rows, q.fresh...), nil
			}
		}
		if ctx.Err() != nil {
			return nil, err
		}
		if err := q.useFiles(); err != nil {
			return nil, err
		}
	}
	return q.files.containing(ctx, q, texts), nil
}

// Search is [Memories.Search]. Without the hooks' file it finds nothing, because reading all files
// would take too long.
func (q *FastReader) Search(_ context.Context, text string, limit int) ([]Row, error) {
	if q.index == nil {
		return nil, nil
	}
	ask := func(query words.Query, all bool) ([]Row, error) {
		found, err := q.index.Search(termsOf(query), all, limit)
		if err != nil {
			return nil, err
		}
		var out []Row
		for _, m := range found {
			r, err := fromFound(m.Found)
			if err != nil {
				return nil, err
			}
			r.Rank = m.Rank
			out = append(out, r)
		}
		return out, nil
	}
	return wordSearch[Row]{limit: limit, ranked: maxRankedQuick, having: countIn(q.index), key: pathOf, ask: ask}.find(text) // only explicit questions scan all texts
}

// countIn returns a function that counts the memories with a term of a query.
func countIn(index *hookfile.File) words.DocFreq {
	return func(term string, _ int) (int, error) { return index.Having(words.Phrases(term)) }
}

func termsOf(q words.Query) []hookfile.Term {
	out := make([]hookfile.Term, len(q))
	for i, t := range q {
		out[i] = words.Phrases(t)
	}
	return out
}

// Having counts the indexed memories with a word, or with the words of a name one after the other. A
// count that fails is 0.
func (q *FastReader) Having(text string) int {
	if q.index == nil {
		return 0
	}
	n, err := q.index.Having(hookfile.Term{text})
	if err != nil {
		return 0
	}
	return n
}

// Total counts the indexed memories. A count that fails is 0.
func (q *FastReader) Total() int {
	if q.index == nil {
		return 0
	}
	n, err := q.index.Total()
	if err != nil {
		return 0
	}
	return n
}

// ByUUID returns the memories of some ids, in no order.
func (q *FastReader) ByUUID(ids []string) ([]Row, error) {
	if q.index == nil {
		return nil, nil
	}
	var out []Row
	for _, id := range ids {
		m, ok, err := q.index.ByUUID(id)
		if err != nil {
			return nil, err
		}
		if ok {
			r, err := fromFound(m)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// Close releases the file.
func (q *FastReader) Close() error {
	if q.open == nil {
		return nil
	}
	err := q.open.Close()
	q.open, q.index = nil, nil
	return err
}
