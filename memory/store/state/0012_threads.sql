-- What sessions leave for the next: open threads, next steps, decisions. The text,
-- its place and who wrote it are in json, as a memory's.
CREATE TABLE threads (
  uuid       TEXT PRIMARY KEY,
  root       TEXT NOT NULL,               -- the workspace below the repository's top
  kind       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('open', 'parked', 'resolved', 'done')),
  resolution TEXT NOT NULL,
  owner      TEXT NOT NULL,
  branch     TEXT NOT NULL,               -- on which it was left, '' for none
  agent      TEXT NOT NULL,               -- that left it, '' for a person
  session    TEXT NOT NULL,
  tainted    INTEGER NOT NULL,            -- the text may come from strangers: no agent is told
  dedupe_key TEXT NOT NULL,
  version    INTEGER NOT NULL,
  json       BLOB NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX threads_state ON threads (root, state, updated_ms);
CREATE INDEX threads_same ON threads (root, dedupe_key);

-- The versions of threads before the present ones.
CREATE TABLE thread_versions (
  uuid       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  state      TEXT NOT NULL,
  resolution TEXT NOT NULL,
  owner      TEXT NOT NULL,
  json       BLOB NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY (uuid, version)
) WITHOUT ROWID;

-- The latest session is looked up at the start of the next one.
CREATE INDEX observer_sessions_ended ON observer_sessions (root, ended_ms);
