-- The trust level that evidence is collected for, and since when: it was set, or a
-- person answered that it stays.
CREATE TABLE trust (
  root     TEXT PRIMARY KEY,              -- the workspace below the repository's top
  level    INTEGER NOT NULL,
  since_ms INTEGER NOT NULL
) WITHOUT ROWID;
