-- What agents' sessions have shown: one row a session with its whole report, so
-- that a session that goes on is taken out and put in again, and sums over all.

-- The session's report as JSON; NULL once its log is gone and it can't change.
CREATE TABLE observer_sessions (
  root        TEXT NOT NULL,              -- the workspace below the repository's top
  session     TEXT NOT NULL,
  log         TEXT NOT NULL,              -- name of the event log
  agent       TEXT NOT NULL,
  kind        TEXT NOT NULL,
  started_ms  INTEGER NOT NULL,
  ended_ms    INTEGER NOT NULL,
  events      INTEGER NOT NULL,           -- lines of the log that are in the sums
  bytes       INTEGER NOT NULL,           -- of the log, when it was read
  steps       INTEGER NOT NULL,
  tainted     INTEGER NOT NULL,
  candidates  INTEGER NOT NULL DEFAULT 0,
  report      BLOB,
  finished_ms INTEGER NOT NULL,
  PRIMARY KEY (root, session)
) WITHOUT ROWID;
CREATE INDEX observer_sessions_log ON observer_sessions (log, root);

-- Files (V5-DB-06).
CREATE TABLE observer_files (
  root        TEXT NOT NULL,
  path        TEXT NOT NULL,
  sessions    INTEGER NOT NULL,
  edited      INTEGER NOT NULL,           -- sessions that edited it
  reads       INTEGER NOT NULL,
  edits       INTEGER NOT NULL,
  weight      REAL NOT NULL,              -- of the sessions, newer ones more
  first_ms    INTEGER NOT NULL,
  last_ms     INTEGER NOT NULL,
  PRIMARY KEY (root, path)
) WITHOUT ROWID;

CREATE INDEX observer_files_weight ON observer_files (root, weight);

-- Files that were used in the same session, the lesser path first (V5-DB-07).
CREATE TABLE observer_pairs (
  root        TEXT NOT NULL,
  a           TEXT NOT NULL,
  b           TEXT NOT NULL,
  sessions    INTEGER NOT NULL,
  raw         INTEGER NOT NULL,           -- sessions in which they came close together
  edited      INTEGER NOT NULL,           -- sessions that edited both
  forward     INTEGER NOT NULL,           -- sessions that used a first
  delta_ms    INTEGER NOT NULL,           -- sum of the times between the first uses
  weight      REAL NOT NULL,              -- of the sessions, newer ones more
  last_ms     INTEGER NOT NULL,
  promoted_ms INTEGER NOT NULL DEFAULT 0, -- since when it is a candidate
  PRIMARY KEY (root, a, b)
) WITHOUT ROWID;
CREATE INDEX observer_pairs_a ON observer_pairs (root, a, weight);
CREATE INDEX observer_pairs_b ON observer_pairs (root, b, weight);

-- Errors and how they were resolved (V5-DB-08).
CREATE TABLE observer_errors (
  root        TEXT NOT NULL,
  tool        TEXT NOT NULL,
  subject     TEXT NOT NULL,              -- the command, or the path
  fingerprint TEXT NOT NULL,
  trigger     TEXT NOT NULL,              -- words that a call must have to fail so, by line
  message     TEXT NOT NULL,
  failed      TEXT NOT NULL,
  fix         TEXT NOT NULL,
  how         TEXT NOT NULL,              -- changed, edited, again, or ''
  generic     INTEGER NOT NULL,
  count       INTEGER NOT NULL,
  sessions    INTEGER NOT NULL,
  tainted     INTEGER NOT NULL,           -- sessions in which it followed text of strangers
  last_ms     INTEGER NOT NULL,
  PRIMARY KEY (root, tool, subject, fingerprint, trigger)
) WITHOUT ROWID;

CREATE TABLE observer_commands (
  root     TEXT NOT NULL,
  key      TEXT NOT NULL,
  runs     INTEGER NOT NULL,
  fails    INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  failed   INTEGER NOT NULL,              -- sessions in which it failed
  PRIMARY KEY (root, key)
) WITHOUT ROWID;

-- Signals, by the sessions that showed them.
CREATE TABLE observer_signals (
  root    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  key     TEXT NOT NULL,
  session TEXT NOT NULL,
  count   INTEGER NOT NULL,
  tainted INTEGER NOT NULL,
  at_ms   INTEGER NOT NULL,
  PRIMARY KEY (root, kind, key, session)
) WITHOUT ROWID;
CREATE INDEX observer_signals_session ON observer_signals (root, session);

-- Sessions by folder (V5-DB-09).
CREATE TABLE observer_modules (
  root     TEXT NOT NULL,
  module   TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  PRIMARY KEY (root, module)
) WITHOUT ROWID;

-- What was made of signals, so that nothing is proposed twice (V5-DB-10, V5-SYN-04).
CREATE TABLE observer_proposals (
  root    TEXT NOT NULL,
  kind    TEXT NOT NULL,
  key     TEXT NOT NULL,
  uuid    TEXT NOT NULL,                  -- of the draft
  session TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('', 'accepted', 'rejected')),
  at_ms   INTEGER NOT NULL,
  PRIMARY KEY (root, kind, key)
) WITHOUT ROWID;
CREATE INDEX observer_proposals_uuid ON observer_proposals (uuid);
