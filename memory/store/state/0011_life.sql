-- Where the last sweep put a memory: 1 kept, 2 active, 3 fading. A memory without a
-- row is active.
CREATE TABLE tiers (
  root     TEXT NOT NULL,                 -- the workspace below the repository's top
  uuid     TEXT NOT NULL,
  tier     INTEGER NOT NULL,
  since_ms INTEGER NOT NULL,
  reason   TEXT NOT NULL,
  PRIMARY KEY (root, uuid)
) WITHOUT ROWID;

-- What sweeps did.
CREATE TABLE sweeps (
  id       INTEGER PRIMARY KEY,
  root     TEXT NOT NULL,
  at_ms    INTEGER NOT NULL,
  trigger  TEXT NOT NULL,                 -- manual, schedule
  looked   INTEGER NOT NULL,
  promoted INTEGER NOT NULL,
  demoted  INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  waiting  INTEGER NOT NULL,              -- would be archived, if a person asked for it
  returned INTEGER NOT NULL,              -- archived ones whose code is back
  expired  INTEGER NOT NULL,              -- tombstones that can't be restored any more
  took_ms  INTEGER NOT NULL
);
CREATE INDEX sweeps_at ON sweeps (root, at_ms);
