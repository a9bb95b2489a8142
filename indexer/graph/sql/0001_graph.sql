-- One row for each file that was looked at; what can't be indexed says why.
CREATE TABLE files (
  id       INTEGER PRIMARY KEY,
  path     TEXT NOT NULL UNIQUE,
  lang     TEXT NOT NULL,
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode    INTEGER NOT NULL,
  seen_ns  INTEGER NOT NULL,          -- when the four were read, to know a racy one
  hash     BLOB NOT NULL,
  reason   TEXT NOT NULL DEFAULT '',  -- why it has no data
  errors   INTEGER NOT NULL DEFAULT 0, -- regions that the grammar does not understand
  chunks   INTEGER NOT NULL DEFAULT 0, -- how many pieces it was cut into
  stale    INTEGER NOT NULL DEFAULT 0  -- its edges are out of date
) STRICT;

-- The facts of a file, encoded by codec.go.
CREATE TABLE data (
  file   INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  decls  BLOB NOT NULL,
  uses   BLOB NOT NULL,
  names  BLOB NOT NULL,  -- hashes of the names that it mentions
  chunks BLOB NOT NULL   -- pieces for retrieval, which end where symbols end
) STRICT;

-- The edges of a file, apart from its facts: they are found later and change
-- where those stay.
CREATE TABLE links (
  file  INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  links BLOB NOT NULL
) STRICT;

-- What leads from a name, or from a symbol, to the few files that a question about it needs. It may
-- name files that no longer fit, and is written when the edges of a file are: it is whole in a graph
-- that has its dispatch pairs.
CREATE TABLE lookup (
  file     INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  declared BLOB NOT NULL,  -- hashes of the names that it declares
  targets  BLOB NOT NULL   -- the symbols of other files that its edges lead to
) STRICT;

-- The edges of an imported SCIP index, which go before those of the same file.
CREATE TABLE scip (
  file  INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  hash  BLOB NOT NULL,                -- of the file when it was imported
  links BLOB NOT NULL
) STRICT;

-- Small facts about the whole: what was indexed when, and dispatch pairs.
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
