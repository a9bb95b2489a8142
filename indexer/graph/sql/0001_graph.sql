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
  stale    INTEGER NOT NULL DEFAULT 0 -- its edges are out of date
) STRICT;
CREATE INDEX files_stale ON files (id) WHERE stale <> 0;

-- The facts of a file, encoded by codec.go.
CREATE TABLE data (
  file  INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  decls BLOB NOT NULL,
  uses  BLOB NOT NULL,
  names BLOB NOT NULL,  -- hashes of the names that it mentions
  links BLOB NOT NULL
) STRICT;

-- The edges of an imported SCIP index, which go before those of the same file.
CREATE TABLE scip (
  file  INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  hash  BLOB NOT NULL,                -- of the file when it was imported
  links BLOB NOT NULL
) STRICT;

-- Pieces of files for retrieval, which end where symbols end.
CREATE TABLE chunks (
  file     INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  n        INTEGER NOT NULL,
  start    INTEGER NOT NULL,
  stop     INTEGER NOT NULL,
  line     INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  symbol   TEXT NOT NULL,
  prefix   TEXT NOT NULL,
  hash     BLOB NOT NULL,
  PRIMARY KEY (file, n)
) STRICT, WITHOUT ROWID;

-- Small facts about the whole: what was indexed when, and dispatch pairs.
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
