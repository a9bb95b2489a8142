-- How often a memory was said again, by a person or by an agent, since it was written.
CREATE TABLE said (
  uuid     TEXT PRIMARY KEY,            -- of the memory
  count    INTEGER NOT NULL,
  last_ms  INTEGER NOT NULL
) WITHOUT ROWID;
