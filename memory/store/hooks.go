package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
	"manicule/memory/store/hookfile"
)

// hooksPointer says which part of which file hooks may read. It is published with the pointer of
// memories.db: both are of the same write.
type hooksPointer struct {
	File  string `json:"file"`
	Table int64  `json:"table"` // bytes of the table
	Size  int64  `json:"size"`  // bytes with the changes behind it
	// Write is the number of the write after which the file says what the database says.
	Write int64 `json:"write"`
	// Folders are the memory folders as they were when they were last read: a line for each, with
	// its time and its path.
	Folders string `json:"folders"`
	// Unusable is the number of memory files that can't be used, without those in quarantine.
	Unusable int `json:"unusable,omitempty"`
}

// pathSet are the memory files whose rows a transaction changed.
type pathSet map[string]bool

func (s pathSet) add(path string) {
	if s != nil {
		s[path] = true
	}
}

// The rows of which the hooks' file is made. A memory has a row for each prefix.
const (
	qHookColumns = `SELECT m.memory_id, m.path, m.uuid, m.what, m.why, m.label, m.tags, m.related_files, m.words, m.pinned, m.deprecated, r.prefix, r.outline
		FROM memories m JOIN reaches r ON r.memory_id = m.memory_id`
	qHookRows     = qHookColumns + ` ORDER BY m.memory_id`
	qHookRowsAt   = qHookColumns + ` WHERE m.path IN (SELECT value FROM json_each(?1)) ORDER BY m.memory_id`
	qCountWrite   = `INSERT INTO meta (key, value) VALUES ('writes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1`
	qWrites       = `SELECT value FROM meta WHERE key = 'writes'`
	qUnusable     = `SELECT count(*) FROM problems WHERE held = ''`
	qProblemPaths = `SELECT path FROM problems`
	qProblemAt    = `SELECT path FROM problems WHERE path IN (SELECT value FROM json_each(?1))`
)

// maxHookChanges is how many files are appended to the hooks' file at once. More, as after a pull, are
// read from the database with all others.
const maxHookChanges = 500

// hooksFiles makes the files for hooks in a folder.
type hooksFiles struct {
	dir string
	now func() time.Time
}

// after brings the hooks' file up to what the database is after a write. Without one hooks read
// the memory files, so a fault costs them time and nothing else, and the next write tries again.
func (h hooksFiles) after(ctx context.Context, db DB, was hooksPointer, changed pathSet) hooksPointer {
	if half, err := halfRead(ctx, db); half && err == nil && strings.HasPrefix(was.File, hooksPrefix()) {
		return was // a file of all memories at each step would take longer than the steps
	}
	if !strings.HasPrefix(was.File, hooksPrefix()) || len(changed) > maxHookChanges {
		return h.whole(ctx, db)
	}
	if hookfile.Full(was.Table, was.Size) {
		var err error
		if was, err = h.compact(was); err != nil {
			return h.whole(ctx, db)
		}
	}
	now, err := h.append(ctx, db, was, changed)
	if err != nil {
		return h.whole(ctx, db)
	}
	return now
}

// errCompact is returned for changes that are many even without those that later ones replaced.
var errCompact = errors.New("the hooks' file has too many changed memories")

// compact copies the hooks' file without the changes that later ones replaced: each recall changes the same memories
// again, and to make a table of all memories takes a hundred times as long.
func (h hooksFiles) compact(was hooksPointer) (now hooksPointer, err error) {
	from, err := treefile.OpenMade(filepath.Join(h.dir, was.File))
	if err != nil {
		return now, fmt.Errorf("open the hooks' file: %w", err)
	}
	defer func() { _ = from.Close() }() // it was only read
	data := make([]byte, was.Size-was.Table)
	if _, err := from.ReadAt(data, was.Table); err != nil {
		return now, fmt.Errorf("read the changes in the hooks' file: %w", err)
	}
	if data, err = hookfile.Compact(data); err != nil {
		return now, err
	}
	if hookfile.Full(was.Table, was.Table+2*int64(len(data))) { // it would soon be full again
		return now, errCompact
	}
	now = was
	now.File, now.Size = h.newName(), was.Table+int64(len(data))
	path := filepath.Join(h.dir, now.File)
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return now, fmt.Errorf("copy the hooks' file: %w", err)
	}
	_, err = io.CopyN(to, from, was.Table)
	if err == nil {
		_, err = to.Write(data)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		_ = os.Remove(path) // nobody refers to it
		return now, fmt.Errorf("copy the hooks' file: %w", err)
	}
	return now, nil
}

// append appends the rows that changed.
func (h hooksFiles) append(ctx context.Context, db DB, was hooksPointer, changed pathSet) (now hooksPointer, err error) {
	now = was
	if now.Write, err = writes(ctx, db); err != nil {
		return now, err
	}
	if now.Write != was.Write+1 { // a process ended between its commit and its pointer
		return now, fmt.Errorf("the hooks' file is of write %d, the one before this is %d: %w", was.Write, now.Write-1, hookfile.ErrCorrupt)
	}
	if now.Folders, err = notedFolders(ctx, db); err != nil || len(changed) == 0 {
		return now, err
	}
	if now.Unusable, err = unusableFiles(ctx, db); err != nil {
		return now, err
	}
	paths := make([]string, 0, len(changed))
	left := pathSet{}
	for path := range changed {
		paths, left[path] = append(paths, path), true
	}
	slices.Sort(paths)
	f, err := os.OpenFile(filepath.Join(h.dir, was.File), os.O_RDWR, 0)
	if err != nil {
		return now, fmt.Errorf("open the hooks' file: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	index, err := hookfile.Open(f, was.Table, was.Size)
	if err != nil {
		return now, err
	}
	var data []byte
	var failed error
	add := func(e hookfile.Entry) {
		if !left[e.Path] || failed != nil {
			return
		}
		delete(left, e.Path)
		change, err := index.Change(e)
		data, failed = append(data, change...), err
	}
	if err := hookEntries(ctx, db, qHookRowsAt, []any{jsonList(paths)}, add); err != nil {
		return now, err
	}
	if err := pathsOf(ctx, db, qProblemAt, []any{jsonList(paths)}, func(path string) { add(hookfile.Entry{Path: path}) }); err != nil {
		return now, err
	}
	for _, path := range paths {
		add(hookfile.Entry{Path: path, Gone: true})
	}
	if failed != nil {
		return now, failed
	}
	// What lies behind was appended by a write that ended before it published its pointer.
	if err := f.Truncate(was.Size); err != nil {
		return now, fmt.Errorf("cut the hooks' file: %w", err)
	}
	if _, err := f.WriteAt(data, was.Size); err != nil {
		return now, fmt.Errorf("append to the hooks' file: %w", err)
	}
	now.Size += int64(len(data))
	return now, nil
}

// whole makes the hooks' file of a whole database.
func (h hooksFiles) whole(ctx context.Context, db DB) hooksPointer {
	table, err := rowsForHooks(ctx, db)
	if err != nil {
		return hooksPointer{}
	}
	return h.save(table)
}

// hooksRows is what the hooks' file of a whole database is made of.
type hooksRows struct {
	builder *hookfile.Builder
	now     hooksPointer // without the file
}

// rowsForHooks reads what the hooks' file is made of.
func rowsForHooks(ctx context.Context, db querier) (h hooksRows, err error) {
	h.builder = hookfile.NewBuilder()
	h.builder.Brief = mostTelling
	seen := pathSet{}
	add := func(e hookfile.Entry) {
		if !seen[e.Path] {
			seen[e.Path] = true
			h.builder.Add(e)
		}
	}
	if err := hookEntries(ctx, db, qHookRows, nil, add); err != nil {
		return h, err
	}
	if err := pathsOf(ctx, db, qProblemPaths, nil, func(path string) { add(hookfile.Entry{Path: path}) }); err != nil {
		return h, err
	}
	if h.now.Write, err = writes(ctx, db); err != nil {
		return h, err
	}
	if h.now.Unusable, err = unusableFiles(ctx, db); err != nil {
		return h, err
	}
	h.now.Folders, err = notedFolders(ctx, db)
	return h, err
}

// save writes the hooks' file. The pointer is empty if that fails.
func (h hooksFiles) save(rows hooksRows) hooksPointer {
	now := rows.now
	now.File = h.newName()
	path := filepath.Join(h.dir, now.File)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return hooksPointer{}
	}
	buffered := bufio.NewWriterSize(f, 1<<20)
	now.Table, err = rows.builder.WriteTo(buffered)
	if err = errors.Join(err, buffered.Flush(), f.Close()); err != nil {
		_ = os.Remove(path) // nobody refers to it, and a full disk needs the space
		return hooksPointer{}
	}
	now.Size = now.Table
	return now
}

// hooksPrefix begins the names of the hooks' files that this program reads.
func hooksPrefix() string {
	return "hooks.v" + strconv.Itoa(memoriesSchema) + "." + strconv.Itoa(hookfile.Version) + "."
}

// hooksOutdated reports whether the hooks' file was written in a form that this program doesn't read.
func (d *database) hooksOutdated() bool {
	dir := d.dir()
	if dir == "" {
		return false
	}
	p, err := readPointer(dir)
	return err == nil && p.Hooks.File != "" && !strings.HasPrefix(p.Hooks.File, hooksPrefix())
}

func (h hooksFiles) newName() string {
	for at := h.now().UnixNano(); ; at++ {
		name := hooksPrefix() + strconv.FormatInt(at, 36) + strconv.Itoa(os.Getpid())
		if _, err := os.Lstat(filepath.Join(h.dir, name)); err != nil {
			return name
		}
	}
}

// removeOthers deletes the hooks' files that the pointer no longer names. Who has one open keeps
// it.
func (h hooksFiles) removeOthers(keep string) {
	for _, path := range treefile.Glob(h.dir, "hooks.v"+strconv.Itoa(memoriesSchema)+".*") { // of any version
		if filepath.Base(path) != keep {
			_ = os.Remove(path) // retried next time
		}
	}
}

// writes returns the number of the last write; 0 if it built the database.
func writes(ctx context.Context, db querier) (n int64, err error) {
	err = scan(ctx, db, qWrites, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

func unusableFiles(ctx context.Context, db querier) (n int, err error) {
	err = scan(ctx, db, qUnusable, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// Unusable returns how many memory files could not be used when a workspace's database was last written, by the pointer
// in its cache folder: 0 if that is not known.
func Unusable(cacheDir string) int {
	p, err := readPointer(cacheDir)
	if err != nil {
		return 0
	}
	return p.Hooks.Unusable
}

// notedFolders returns the folders of a pointer.
func notedFolders(ctx context.Context, db querier) (string, error) {
	var list []string
	err := scan(ctx, db, qFolders, nil, func(rows *sql.Rows) error {
		var path string
		var ns int64
		err := rows.Scan(&path, &ns)
		list = append(list, fmt.Sprintf("%d %s\n", ns, path))
		return err
	})
	slices.Sort(list)
	return strings.Join(list, ""), err
}

// folderTimes decodes Folders.
func (p hooksPointer) folderTimes() map[string]int64 {
	out := map[string]int64{}
	for line := range strings.Lines(p.Folders) {
		ns, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n, err := strconv.ParseInt(ns, 10, 64); err == nil {
			out[path] = n
		}
	}
	return out
}

func pathsOf(ctx context.Context, db querier, query string, args []any, each func(path string)) error {
	return scan(ctx, db, query, args, func(rows *sql.Rows) error {
		var path string
		err := rows.Scan(&path)
		each(path)
		return err
	})
}

// hookEntries calls each with the memories of a query of qHookColumns.
func hookEntries(ctx context.Context, db querier, query string, args []any, each func(hookfile.Entry)) error {
	var e hookfile.Entry
	last := int64(-1)
	done := func() {
		if last >= 0 {
			each(e)
		}
	}
	err := scan(ctx, db, query, args, func(rows *sql.Rows) error {
		var id int64
		var what, why, label, tags, files, words, prefix string
		var now hookfile.Entry
		if err := rows.Scan(&id, &now.Path, &now.UUID, &what, &why, &label, &tags, &files, &words, &now.Pinned, &now.Superseded, &prefix, &now.Line); err != nil {
			return err
		}
		if id != last {
			done()
			last, e = id, now
			e.Text = joinFields(what, why, label, tags)
			e.Filter = scopeFilter(e.Line)
			e.Columns = append(slicesOf(e.Text, len(what), len(why), len(label), len(tags)), files, words)
		}
		e.Reaches = append(e.Reaches, prefix)
		return nil
	})
	if err == nil {
		done()
	}
	return err
}

// slicesOf returns the fields of what [joinFields] joined by their lengths. They share its memory: of a table of
// large memories all texts are held at once.
func slicesOf(joined string, lengths ...int) []string {
	fields := make([]string, 0, len(lengths)+2)
	for _, n := range lengths {
		fields = append(fields, joined[:n])
		joined = joined[min(n+len(fieldSep), len(joined)):]
	}
	return fields
}

// textOf completes an outline with the text that an entry keeps.
func (r *Row) textOf(text string) error {
	f := strings.Split(text, fieldSep)
	if len(f) < 4 {
		return fmt.Errorf("the text of %s: %w", r.Path, sqlfile.ErrCorrupt)
	}
	m := *r.outline
	m.What, m.Why, m.ContextLabel, m.Tags = f[0], f[1], f[2], strings.Fields(f[3])
	r.outline = &m
	return nil
}
