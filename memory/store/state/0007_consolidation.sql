-- When memories were looked through for those that say the same, and what came
-- of it (ADE-ST-32).
CREATE TABLE consolidations (
  id        INTEGER PRIMARY KEY,
  root      TEXT NOT NULL,              -- the workspace below the repository's top
  at_ms     INTEGER NOT NULL,
  model     TEXT NOT NULL,              -- whose vectors were compared, "" for none
  looked    INTEGER NOT NULL,           -- memories
  known     INTEGER NOT NULL,           -- groups that say the same and were left as they are
  merged    INTEGER NOT NULL,           -- groups of which one memory was made
  archived  INTEGER NOT NULL,           -- memories that went for it
  failed    INTEGER NOT NULL,           -- groups that could not be merged
  skipped   BLOB NOT NULL,              -- why memories were not compared: [{"reason", "count"}]
  took_ms   INTEGER NOT NULL
);
CREATE INDEX consolidations_at ON consolidations (root, at_ms);

-- The versions that a kept memory stands for: its own before each merge, and
-- those of the archived. What joins later has to say the same as all of them.
CREATE TABLE consolidated (
  root   TEXT NOT NULL,
  kept   TEXT NOT NULL,                 -- uuid
  hash   TEXT NOT NULL,                 -- of a row of versions
  uuid   TEXT NOT NULL,                 -- of that version
  at_ms  INTEGER NOT NULL,
  PRIMARY KEY (root, kept, hash)
) WITHOUT ROWID;

-- Pairs of memories that a person does not want to be one.
CREATE TABLE kept_apart (
  root   TEXT NOT NULL,
  one    TEXT NOT NULL,                 -- the smaller uuid
  other  TEXT NOT NULL,
  at_ms  INTEGER NOT NULL,
  PRIMARY KEY (root, one, other)
) WITHOUT ROWID;
