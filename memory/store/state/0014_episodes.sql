-- What each session of an agent did and how it ended, longer than its log is kept.
CREATE TABLE episodes (
  root       TEXT NOT NULL,               -- the workspace below the repository's top
  session    TEXT NOT NULL,
  outcome    TEXT NOT NULL CHECK (outcome IN ('success', 'partial', 'failure')),
  fallback   INTEGER NOT NULL,            -- the log told too little
  started_ms INTEGER NOT NULL,
  ended_ms   INTEGER NOT NULL,
  json       BLOB NOT NULL,
  PRIMARY KEY (root, session)
) WITHOUT ROWID;
CREATE INDEX episodes_ended ON episodes (root, ended_ms);

-- Ways of working that several episodes had in common, by the memory or candidate that says them.
CREATE TABLE procedures (
  uuid       TEXT PRIMARY KEY,
  root       TEXT NOT NULL,
  key        TEXT NOT NULL,               -- of its steps
  confidence REAL NOT NULL,
  successes  INTEGER NOT NULL,
  failures   INTEGER NOT NULL,
  used_ms    INTEGER NOT NULL,            -- when a session last went this way
  json       BLOB NOT NULL,
  created_ms INTEGER NOT NULL,
  UNIQUE (root, key)
) WITHOUT ROWID;

-- The episodes that a procedure is made from, and those that used it since.
CREATE TABLE procedure_episodes (
  uuid       TEXT NOT NULL,
  session    TEXT NOT NULL,
  source     INTEGER NOT NULL,            -- it was made from this one
  outcome    TEXT NOT NULL,
  confidence REAL NOT NULL,               -- of the procedure, after it
  reason     TEXT NOT NULL,
  at_ms      INTEGER NOT NULL,
  PRIMARY KEY (uuid, session)
) WITHOUT ROWID;

-- Skills and commands in the folders where agents look for them.
CREATE TABLE skills (
  root        TEXT NOT NULL,
  path        TEXT NOT NULL,
  kind        TEXT NOT NULL,              -- skill or command
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  hash        TEXT NOT NULL,              -- of the file
  written     TEXT NOT NULL,              -- hash of what was exported there, '' for a person's
  uuid        TEXT NOT NULL,              -- of the procedure that was exported, '' for a person's
  seen_ms     INTEGER NOT NULL,
  archived_ms INTEGER NOT NULL DEFAULT 0, -- since when the file is gone
  PRIMARY KEY (root, path)
) WITHOUT ROWID;
