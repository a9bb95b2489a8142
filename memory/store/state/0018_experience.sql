-- The memories that sessions followed, with what came of it, as long as the ledger is kept.
CREATE TABLE applied (
  root    TEXT NOT NULL,                 -- the workspace below the repository's top
  uuid    TEXT NOT NULL,                 -- of the memory
  session TEXT NOT NULL,
  agent   TEXT NOT NULL,
  at_ms   INTEGER NOT NULL,              -- of the call that followed it
  outcome TEXT NOT NULL CHECK (outcome IN ('worked', 'failed', 'untold')),
  rule    TEXT NOT NULL,                 -- by which it was judged
  PRIMARY KEY (root, uuid, session)
) WITHOUT ROWID;
CREATE INDEX applied_session ON applied (root, session);
