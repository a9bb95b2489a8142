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

-- The sessions by the folder in which they made most of their changes, with the files that they touched.
CREATE TABLE module_sessions (
  root     TEXT NOT NULL,
  module   TEXT NOT NULL,
  session  TEXT NOT NULL,
  ended_ms INTEGER NOT NULL,
  files    TEXT NOT NULL,                -- JSON list
  PRIMARY KEY (root, session)
) WITHOUT ROWID;
CREATE INDEX module_sessions_ended ON module_sessions (root, module, ended_ms);

-- What the sessions of a module had in common when they were so many; '' is all modules, by week.
CREATE TABLE digests (
  root   TEXT NOT NULL,
  module TEXT NOT NULL,
  mark   INTEGER NOT NULL,               -- the number of sessions; of all modules the year and week, 202618
  at_ms  INTEGER NOT NULL,
  sessions INTEGER NOT NULL,             -- that it was made from
  json   BLOB NOT NULL,                  -- findings
  PRIMARY KEY (root, module, mark)
) WITHOUT ROWID;
