package graph

import (
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/lockfile"
	"manicule/indexer/resolve"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
)

//go:embed sql/*.sql
var migrations embed.FS

// schema is the version in the name of graph.db: a binary with another schema, or with
// other facts in the blobs, uses a file of its own.
//
// History: 1, the first; 2, C++ headers called .h are C++; 3, imports and inferred
// results of Scala, bounds and patterns of Swift; 4, the chunks of a file in one blob,
// and its edges apart from its facts; 5, edges of imports are apart from those of
// other uses, and interfaces are paired with interfaces; 6, types of more than 20 lines
// are cut between their members, and calls have the number of their arguments; 7, what
// functions of TypeScript return, and the calls that functions are passed to; 8, code in
// markup, and modules of a package's own source folder; 9, uses in markup, and calls of components;
// 10, the table lookup; 11, the same, made anew: edges did not follow a changed import of another file.
const schema = 11

// busyTimeout is how long a statement waits for another process.
const busyTimeout = 2 * time.Second

// ErrBusy means that another process is indexing.
var ErrBusy = errors.New("another process is indexing this workspace")

// store is graph.db.
type store struct {
	dir  string
	now  func() time.Time
	db   *sqlfile.DB
	name string

	id      string // of this process's writes
	writes  uint64 // how many there were
	written string // the last write that this process knows, its own or another's
}

// metaWritten is the key of the last write: which process it was of, and its number.
const metaWritten = "written"

// metaDispatch is the key of the dispatch pairs. It is absent from the first write of
// a synchronization to its end.
const metaDispatch = "dispatch"

// metaIndexed is the key of the time of the last completed synchronization, in
// nanoseconds.
const metaIndexed = "indexed_ns"

// metaBuild is the key of the summary of the build files.
const metaBuild = "build"

func (s *store) pointer() string {
	return filepath.Join(s.dir, "graph.v"+strconv.Itoa(schema)+".current")
}

// Exists reports whether a cache folder has a graph of this version.
func Exists(dir string) bool {
	_, err := os.Stat((&store{dir: dir}).pointer())
	return err == nil
}

// current returns the file name of the current generation, "" if there is none. An error means that it can't be told now.
func (s *store) current() (string, error) {
	var p struct {
		File string `json:"file"`
	}
	data, err := treefile.ReadMade(s.pointer())
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, treefile.ErrNotFile) && !errors.Is(err, treefile.ErrTooBig) {
		return "", fmt.Errorf("read the pointer of graph.db: %w", err)
	}
	if err != nil || json.Unmarshal(data, &p) != nil || p.File != filepath.Base(p.File) || !strings.HasPrefix(p.File, "graph.v") {
		return "", nil
	}
	return p.File, nil
}

// isCurrent reports whether the open generation is the current one, and its file is there.
func (s *store) isCurrent() (bool, error) {
	switch _, err := os.Lstat(filepath.Join(s.dir, s.name)); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for graph.db: %w", err)
	}
	name, err := s.current()
	return name == s.name, err
}

// open opens the current generation, or creates one. It replaces a damaged one, which
// stays available to processes that have it open.
func (s *store) open(ctx context.Context) error {
	if s.db != nil {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create the cache folder: %w", err)
	}
	name, err := s.current()
	if err != nil { // a new generation would take the place of one that is whole
		return err
	}
	if name != "" {
		if err := s.openFile(ctx, name, true); err == nil || !damaged(err) {
			return err
		}
	}
	return s.beginGeneration(ctx)
}

func damaged(err error) bool {
	return sqlfile.IsCorrupt(err) || sqlfile.IsSchema(err) || errors.Is(err, errDamaged) || errors.Is(err, fs.ErrNotExist)
}

func (s *store) openFile(ctx context.Context, name string, must bool) error {
	p := filepath.Join(s.dir, name)
	if must {
		if _, err := os.Stat(p); err != nil {
			return fmt.Errorf("open graph.db: %w", err)
		}
	}
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: p, Busy: busyTimeout})
	if err != nil {
		return err
	}
	sub, err := fs.Sub(migrations, "sql")
	if err == nil {
		err = db.Migrate(ctx, sub, nil)
	}
	if err != nil {
		return errors.Join(err, db.Close())
	}
	s.db, s.name, s.written = db, name, ""
	return nil
}

// beginGeneration starts a new, empty generation and removes the others.
func (s *store) beginGeneration(ctx context.Context) error {
	if err := s.close(); err != nil {
		return err
	}
	name := fmt.Sprintf("graph.v%d.%s%d.db", schema, strconv.FormatInt(s.now().UnixNano(), 36), os.Getpid())
	if err := s.openFile(ctx, name, false); err != nil {
		return err
	}
	data, err := json.Marshal(map[string]string{"file": name})
	if err != nil {
		return fmt.Errorf("write the pointer of graph.db: %w", err)
	}
	tmp := s.pointer() + ".tmp" + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return fmt.Errorf("write the pointer of graph.db: %w", err)
	}
	if err := os.Rename(tmp, s.pointer()); err != nil {
		return fmt.Errorf("write the pointer of graph.db: %w", err)
	}
	for _, o := range treefile.Glob(s.dir, "graph.v"+strconv.Itoa(schema)+".*.db") {
		if filepath.Base(o) != name {
			_ = sqlfile.Remove(o) // a process that has it open keeps it; the next begin tries again
		}
	}
	return nil
}

func (s *store) close() error {
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// lock takes the indexing lock; ErrBusy if another process holds it.
func (s *store) lock() (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the cache folder: %w", err)
	}
	l := lockfile.New(filepath.Join(s.dir, "graph.lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock graph.db: %w", err)
	}
	if !ok {
		return nil, ErrBusy
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
}

// row is the stored metadata of a file.
type row struct {
	id     int32
	path   string
	lang   string
	stat   stat
	seen   int64
	hash   []byte
	reason string
	errors int
	chunks int // their number
	stale  bool
}

// stat tells that a file has not changed, unless it is racy.
type stat struct{ size, mtime, ctime, inode int64 }

const qFiles = `SELECT id, path, lang, size, mtime_ns, ctime_ns, inode, seen_ns, hash, reason, errors, chunks, stale FROM files`

func (s *store) rows(ctx context.Context) (map[string]*row, error) {
	rows, err := s.db.QueryContext(ctx, qFiles)
	if err != nil {
		return nil, fmt.Errorf("read the files of graph.db: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err reports it
	out := map[string]*row{}
	for rows.Next() {
		r := &row{}
		if err := rows.Scan(&r.id, &r.path, &r.lang, &r.stat.size, &r.stat.mtime, &r.stat.ctime, &r.stat.inode, &r.seen, &r.hash, &r.reason, &r.errors, &r.chunks, &r.stale); err != nil {
			return nil, fmt.Errorf("read the files of graph.db: %w", err)
		}
		out[r.path] = r
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the files of graph.db: %w", err)
	}
	return out, nil
}

const (
	qPutFile = `INSERT INTO files (id, path, lang, size, mtime_ns, ctime_ns, inode, seen_ns, hash, reason, errors, chunks, stale) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (path) DO UPDATE SET lang=excluded.lang, size=excluded.size, mtime_ns=excluded.mtime_ns, ctime_ns=excluded.ctime_ns, inode=excluded.inode,
		seen_ns=excluded.seen_ns, hash=excluded.hash, reason=excluded.reason, errors=excluded.errors, chunks=excluded.chunks, stale=excluded.stale`
	qPutData   = `INSERT OR REPLACE INTO data (file, decls, uses, names, chunks) VALUES (?,?,?,?,?)`
	qDropData  = `DELETE FROM data WHERE file = ?`
	qPutLinks  = `INSERT OR REPLACE INTO links (file, links) VALUES (?,?)`
	qPutLookup = `INSERT OR REPLACE INTO lookup (file, declared, targets) VALUES (?,?,?)`
	qDropLinks = `DELETE FROM links WHERE file = ?`
	qFresh     = `UPDATE files SET stale = 0 WHERE id BETWEEN ? AND ?`
	qMarkStale = `UPDATE files SET stale = 1 WHERE id = ?`
	qDropFile  = `DELETE FROM files WHERE id = ?`
	qPutMeta   = `INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)`
	qDropMeta  = `DELETE FROM meta WHERE key = ?`
	qMeta      = `SELECT value FROM meta WHERE key = ?`
	qLoad      = `SELECT d.file, f.path, f.stale, d.decls, d.names, coalesce(l.links, x'0000'), coalesce(s.links, x''), coalesce(s.hash = f.hash, 0) FROM data d JOIN files f ON f.id = d.file LEFT JOIN links l ON l.file = d.file LEFT JOIN scip s ON s.file = d.file ORDER BY d.file`
	qUses      = `SELECT uses FROM data WHERE file = ?`
	qLinksOf   = `SELECT links FROM links WHERE file = ?`
	qDecls     = `SELECT decls FROM data WHERE file = ?`
	qPutSCIP   = `INSERT OR REPLACE INTO scip (file, hash, links) VALUES (?,?,?)`
	qDropSCIP  = `DELETE FROM scip`
	qChunksOf  = `SELECT chunks FROM data WHERE file = (SELECT id FROM files WHERE path = ?)`
)

// batch is one transaction with prepared statements.
type batch struct {
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
}

// batch writes in one transaction. It leaves a mark by which other processes know that what they have read is outdated. The
// caller holds the lock and has caught up with what they wrote.
func (s *store) batch(ctx context.Context, f func(*batch) error) error {
	s.writes++
	mark := s.id + " " + strconv.FormatUint(s.writes, 36)
	err := s.note(ctx, func(b *batch) error {
		if err := f(b); err != nil {
			return err
		}
		return b.exec(ctx, qPutMeta, metaWritten, mark)
	})
	if err == nil {
		s.written = mark
	}
	return err
}

// note is batch for what nobody keeps in memory, or what does no harm there when it is outdated.
func (s *store) note(ctx context.Context, f func(*batch) error) error {
	return s.db.Tx(ctx, func(tx *sql.Tx) error {
		b := &batch{tx: tx, stmts: map[string]*sql.Stmt{}}
		err := f(b)
		for _, st := range b.stmts {
			err = errors.Join(err, st.Close())
		}
		return err
	})
}

func (b *batch) exec(ctx context.Context, query string, args ...any) error {
	st := b.stmts[query]
	if st == nil {
		var err error
		if st, err = b.tx.PrepareContext(ctx, query); err != nil {
			return fmt.Errorf("prepare a statement on graph.db: %w", err)
		}
		b.stmts[query] = st
	}
	if _, err := st.ExecContext(ctx, args...); err != nil {
		return fmt.Errorf("write graph.db: %w", err)
	}
	return nil
}

func (b *batch) putFile(ctx context.Context, r *row) error {
	return b.exec(ctx, qPutFile, r.id, r.path, r.lang, r.stat.size, r.stat.mtime, r.stat.ctime, r.stat.inode, r.seen, r.hash, r.reason, r.errors, r.chunks, r.stale)
}

// markFresh records that the edges of files are up to date. The ids are sorted; those
// of a first index are nearly consecutive.
func (b *batch) markFresh(ctx context.Context, ids []int32) error {
	for len(ids) > 0 {
		n := 1
		for n < len(ids) && ids[n] == ids[n-1]+1 {
			n++
		}
		if err := b.exec(ctx, qFresh, ids[0], ids[n-1]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

func (s *store) meta(ctx context.Context, key string) (string, error) {
	var v string
	err := s.db.QueryRowContext(ctx, qMeta, key).Scan(&v)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read graph.db: %w", err)
	}
	return v, nil
}

// encodePairs writes dispatch pairs.
func encodePairs(pairs [][2]resolve.Node) []byte {
	out := binary.AppendUvarint(nil, uint64(len(pairs)))
	for _, p := range pairs {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(p[0])), uint64(p[1]))
	}
	return out
}

func decodePairs(data []byte) ([][2]resolve.Node, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := &reader{data: data}
	n := r.length()
	out := make([][2]resolve.Node, 0, n)
	for range n {
		out = append(out, [2]resolve.Node{resolve.Node(r.uint()), resolve.Node(r.uint())})
	}
	return out, r.err
}

// encodeNames writes sorted hashes.
func encodeNames(names []uint32) []byte {
	out := make([]byte, 0, 2*len(names))
	last := uint32(0)
	for _, n := range names {
		out = binary.AppendUvarint(out, uint64(n-last))
		last = n
	}
	return out
}

func decodeNames(data []byte) []uint32 {
	out := make([]uint32, 0, len(data)/3)
	last := uint32(0)
	for len(data) > 0 {
		n, rest := nextName(data)
		last += n
		out = append(out, last)
		data = rest
	}
	return out
}

// nextName returns how much the next of some encoded names is above the last one, and those after
// it. Behind what is damaged there is none.
func nextName(data []byte) (more uint32, rest []byte) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, nil
	}
	return uint32(n), data[size:]
}
