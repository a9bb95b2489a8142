-- Where anchors were followed to, and what only an editor saw: a move between
-- two saves can't be found again from the files.
CREATE TABLE receipts (
  anchor      TEXT NOT NULL,              -- key of the record
  blob        TEXT NOT NULL,              -- of the file that it was found in
  uuid        TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('followed', 'moved')),
  place       TEXT NOT NULL,              -- JSON
  at_ms       INTEGER NOT NULL,
  PRIMARY KEY (anchor, blob)
) WITHOUT ROWID;
CREATE INDEX receipts_uuid ON receipts (uuid, at_ms);
CREATE INDEX receipts_moved ON receipts (anchor) WHERE kind = 'moved';

-- Places of which a person said that an anchor does not belong there.
CREATE TABLE rejections (
  anchor      TEXT NOT NULL,              -- key of the record
  path        TEXT NOT NULL,
  symbol      TEXT NOT NULL,              -- '' for none
  uuid        TEXT NOT NULL,
  at_ms       INTEGER NOT NULL,
  PRIMARY KEY (anchor, path, symbol)
) WITHOUT ROWID;

-- Since when an anchor has not been what it was, in a worktree (V5-DB-02). A row
-- goes when it heals.
CREATE TABLE stale (
  worktree    TEXT NOT NULL,
  anchor      TEXT NOT NULL,
  uuid        TEXT NOT NULL,
  state       TEXT NOT NULL,
  reason      TEXT NOT NULL,
  stale_at_ms INTEGER NOT NULL,
  PRIMARY KEY (worktree, anchor, uuid)
) WITHOUT ROWID;
