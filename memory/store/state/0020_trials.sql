-- The sessions in which a memory was quoted to an agent unasked, and those in which that quote was held out, to
-- compare the two, as long as the ledger is kept (B-10).
CREATE TABLE trials (
  root    TEXT NOT NULL,                 -- the workspace below the repository's top
  uuid    TEXT NOT NULL,                 -- of the memory
  session TEXT NOT NULL,
  held    INTEGER NOT NULL CHECK (held IN (0, 1)),
  PRIMARY KEY (root, uuid, session)
) WITHOUT ROWID;
CREATE INDEX trials_session ON trials (root, session);
