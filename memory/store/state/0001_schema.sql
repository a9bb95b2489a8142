-- What only this machine knows of a repository. It can't be derived again:
-- migrations back it up first.

CREATE TABLE drafts (
  uuid         TEXT PRIMARY KEY,
  root         TEXT NOT NULL,             -- the workspace below the repository's top, "" for the top
  status       TEXT NOT NULL CHECK (status IN ('candidate', 'draft', 'rejected')),
  reason       TEXT NOT NULL,             -- why it waits, or why it was rejected (ADE-ST-17)
  tool         TEXT NOT NULL,
  session      TEXT NOT NULL,
  dedupe_key   TEXT NOT NULL,
  observations INTEGER NOT NULL DEFAULT 1,-- how often the same was said (ADE-ST-09)
  json         BLOB NOT NULL,
  created_ms   INTEGER NOT NULL,
  updated_ms   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX drafts_status ON drafts (root, status, created_ms);
CREATE INDEX drafts_dedupe ON drafts (root, dedupe_key);

CREATE TABLE tombstones (
  uuid        TEXT PRIMARY KEY,
  root        TEXT NOT NULL,
  path        TEXT NOT NULL,
  reason      TEXT NOT NULL,
  json        BLOB NOT NULL,
  deleted_ms  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX tombstones_deleted ON tombstones (root, deleted_ms);

-- Counters of this machine (AIDE-STO-06, ADE-ST-16).
CREATE TABLE accesses (
  uuid             TEXT PRIMARY KEY,
  recalled         INTEGER NOT NULL DEFAULT 0,
  last_recalled_ms INTEGER NOT NULL DEFAULT 0,
  access_score     REAL NOT NULL DEFAULT 0,
  composite_score  REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Personal memories are in no git: a copy survives `git clean`.
CREATE TABLE personal (
  worktree    TEXT NOT NULL,
  uuid        TEXT NOT NULL,
  path        TEXT NOT NULL,
  json        BLOB NOT NULL,
  updated_ms  INTEGER NOT NULL,
  PRIMARY KEY (worktree, uuid)
) WITHOUT ROWID;

-- Earlier versions of a memory, by the hash that the next one names as parent.
CREATE TABLE versions (
  hash      TEXT PRIMARY KEY,
  uuid      TEXT NOT NULL,
  version   INTEGER NOT NULL,
  parent    TEXT NOT NULL,
  json      BLOB NOT NULL,
  at_ms     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX versions_uuid ON versions (uuid, version);

-- Local counts of what was done; never leaves the machine (AIDE-AN-01, 03).
CREATE TABLE usage (
  day    TEXT NOT NULL,
  kind   TEXT NOT NULL,
  count  INTEGER NOT NULL,
  PRIMARY KEY (day, kind)
) WITHOUT ROWID;
