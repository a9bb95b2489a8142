-- How often this file was written to: who has something of it in memory sees that it is outdated.
CREATE TABLE writes (n INTEGER NOT NULL) STRICT;
INSERT INTO writes VALUES (0);

-- The files whose pieces are here, with the hash of what was read. Ids are not given again, here and below: an outdated
-- one refers to nothing, and not to something else.
CREATE TABLE files (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  path  TEXT NOT NULL UNIQUE,
  hash  BLOB NOT NULL
) STRICT;

-- Pieces of files: where they are, and the hash of what is embedded of them.
CREATE TABLE pieces (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  file     INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
  start    INTEGER NOT NULL,
  stop     INTEGER NOT NULL,
  line     INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  symbol   TEXT NOT NULL,
  prefix   TEXT NOT NULL,
  key      BLOB NOT NULL,
  name     TEXT NOT NULL -- of a function, as others mention it; '' for other pieces
) STRICT;
CREATE INDEX pieces_file ON pieces (file);
CREATE INDEX pieces_name ON pieces (name) WHERE name <> '';

-- What words people use for the functions of a file: of each function the id of its piece and a vector.
CREATE TABLE associations (
  file     INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
  vectors  BLOB NOT NULL
) STRICT;

-- The words of the pieces. The texts themselves stay in the files.
CREATE VIRTUAL TABLE words USING fts5 (
  symbol, path, text, parts,
  content = '', contentless_delete = 1, tokenize = 'porter unicode61'
);
CREATE TRIGGER pieces_bd BEFORE DELETE ON pieces BEGIN
  DELETE FROM words WHERE rowid = old.id;
END;
