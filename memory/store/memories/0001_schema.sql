-- What nudges, recall and search read. Everything here is derived from the
-- memory files: a damaged database is dropped and built again.

CREATE TABLE memories (
  memory_id      INTEGER PRIMARY KEY,
  path           TEXT NOT NULL UNIQUE,      -- below the memories folder, forward slashes
  mtime_ns       INTEGER NOT NULL,          -- 0: too fresh to be trusted, look again
  size           INTEGER NOT NULL,
  uuid           TEXT NOT NULL,
  type           TEXT NOT NULL,
  layer          TEXT NOT NULL,
  what           TEXT NOT NULL,
  why            TEXT NOT NULL,
  label          TEXT NOT NULL,
  tags           TEXT NOT NULL,             -- separated by spaces
  related_files  TEXT NOT NULL,             -- scope and anchor paths, separated by spaces
  words          TEXT NOT NULL,             -- identifiers split into their words
  owner_kind     TEXT NOT NULL,             -- project, agent or mission (ADE-ST-04)
  owner_id       TEXT NOT NULL,
  visibility     TEXT NOT NULL,
  importance     TEXT NOT NULL,
  confidence     REAL NOT NULL,
  pinned         INTEGER NOT NULL,
  tier           INTEGER NOT NULL,          -- 1 pinned, 2 active, 3 fading (ADE-ST-05)
  origin         TEXT NOT NULL,
  needs_review   INTEGER NOT NULL,
  deprecated     INTEGER NOT NULL DEFAULT 0,-- superseded by another memory, or by a person (V5-DB-02)
  deprecated_at_ms INTEGER,
  stale_at_ms    INTEGER,                   -- since when its code is not what it was
  places         TEXT NOT NULL DEFAULT '',  -- where its anchors are, see place.go
  life           TEXT NOT NULL DEFAULT '',  -- its use on this machine, see use.go
  dedupe_key     TEXT NOT NULL,             -- versioned, see DedupeKey (ADE-ST-18, 63)
  import_key     TEXT NOT NULL,
  created_ms     INTEGER NOT NULL,
  updated_ms     INTEGER NOT NULL,
  json           BLOB NOT NULL,             -- the whole file
  sum            INTEGER NOT NULL,          -- checksum of path and json: silent damage must not pass
  unreviewed     INTEGER NOT NULL           -- no word of trust, and not written or released here
);
CREATE INDEX memories_uuid ON memories (uuid);
CREATE INDEX memories_owner_tier ON memories (owner_kind, owner_id, tier);
CREATE INDEX memories_pinned ON memories (memory_id) WHERE pinned = 1;
CREATE INDEX memories_review ON memories (memory_id) WHERE needs_review = 1;
CREATE INDEX memories_stale ON memories (stale_at_ms) WHERE stale_at_ms IS NOT NULL;
CREATE INDEX memories_deprecated ON memories (memory_id) WHERE deprecated = 1;
CREATE INDEX memories_dedupe ON memories (dedupe_key);
CREATE INDEX memories_updated ON memories (updated_ms, uuid);
CREATE INDEX memories_import ON memories (import_key) WHERE import_key <> '';

-- Where a memory can apply: a literal folder that ends in "/", "" for anywhere,
-- an anchored file as "path/", or "*" for the whole project.
CREATE TABLE reaches (
  prefix     TEXT NOT NULL,
  memory_id  INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
  outline    TEXT NOT NULL,                 -- see outline.go
  PRIMARY KEY (prefix, memory_id)
) WITHOUT ROWID;
CREATE INDEX reaches_memory ON reaches (memory_id);

-- Which memories are superseded, and by which.
CREATE TABLE supersedes (
  target     TEXT NOT NULL,
  memory_id  INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
  PRIMARY KEY (target, memory_id)
) WITHOUT ROWID;
CREATE INDEX supersedes_memory ON supersedes (memory_id);

-- Which memories have a relation to another one, of any kind.
CREATE TABLE relations (
  target     TEXT NOT NULL,
  memory_id  INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
  PRIMARY KEY (target, memory_id)
) WITHOUT ROWID;
CREATE INDEX relations_memory ON relations (memory_id);

-- External content: the text is stored once. The order of the triggers is the
-- one that FTS5 needs (delete the old row's words before the row changes).
CREATE VIRTUAL TABLE memories_fts USING fts5 (
  what, why, label, tags, related_files, words,
  content = 'memories', content_rowid = 'memory_id', tokenize = 'porter unicode61'
);
CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts (rowid, what, why, label, tags, related_files, words)
  VALUES (new.memory_id, new.what, new.why, new.label, new.tags, new.related_files, new.words);
END;
CREATE TRIGGER memories_bd BEFORE DELETE ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, what, why, label, tags, related_files, words)
  VALUES ('delete', old.memory_id, old.what, old.why, old.label, old.tags, old.related_files, old.words);
END;
CREATE TRIGGER memories_bu BEFORE UPDATE OF what, why, label, tags, related_files, words ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, what, why, label, tags, related_files, words)
  VALUES ('delete', old.memory_id, old.what, old.why, old.label, old.tags, old.related_files, old.words);
END;
CREATE TRIGGER memories_au AFTER UPDATE OF what, why, label, tags, related_files, words ON memories BEGIN
  INSERT INTO memories_fts (rowid, what, why, label, tags, related_files, words)
  VALUES (new.memory_id, new.what, new.why, new.label, new.tags, new.related_files, new.words);
END;

-- Memory files that can't be used: that can't be read, and that are in quarantine,
-- of which nothing is anywhere else in this database.
CREATE TABLE problems (
  path      TEXT PRIMARY KEY,
  mtime_ns  INTEGER NOT NULL,
  size      INTEGER NOT NULL,
  line      INTEGER NOT NULL,
  col       INTEGER NOT NULL,
  message   TEXT NOT NULL,
  hint      TEXT NOT NULL,
  uuid      TEXT NOT NULL,                  -- of a memory in quarantine
  held      TEXT NOT NULL,                  -- secret, injection; '' for a file that can't be read
  vouch     TEXT NOT NULL                   -- keys of the texts that are the reason, separated by spaces
) WITHOUT ROWID;

-- The memory folders as they were when they were last read.
CREATE TABLE folders (
  path      TEXT PRIMARY KEY,
  mtime_ns  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE meta (
  key    TEXT PRIMARY KEY,
  value  TEXT NOT NULL
) WITHOUT ROWID;

-- What was found for an anchor in a state of the files. A branch that comes back
-- is looked up here.
CREATE TABLE resolutions (
  anchor   TEXT NOT NULL,                   -- key of the record, and the version of the ladder
  seen     TEXT NOT NULL,                   -- the files that decided it, with their blobs
  place    TEXT NOT NULL,                   -- JSON
  used_ms  INTEGER NOT NULL,
  PRIMARY KEY (anchor, seen)
) WITHOUT ROWID;
CREATE INDEX resolutions_used ON resolutions (used_ms);
