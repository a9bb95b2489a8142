-- What memories were shown, to whom, and what came of it: this machine's own
-- account, which is never exported (AIDE-AN-03). Rows are made again from the
-- files of showings as long as those are there.

-- One memory in one answer. The verdict of a session that goes on changes.
CREATE TABLE shown (
  uuid     TEXT NOT NULL,                 -- of the memory
  at_ms    INTEGER NOT NULL,
  surface  TEXT NOT NULL,                 -- hook, mcp, hover, cli
  agent    TEXT NOT NULL,                 -- '' for a person
  agent_id TEXT NOT NULL,                 -- of a subagent
  log      TEXT NOT NULL,                 -- the file that it was read from
  root     TEXT NOT NULL,                 -- the workspace below the repository's top
  session  TEXT NOT NULL,
  path     TEXT NOT NULL,
  tool     TEXT NOT NULL,
  tokens   INTEGER NOT NULL,
  verdict  TEXT NOT NULL CHECK (verdict IN ('', 'followed', 'overridden', 'ignored', 'unknown', 'open', 'again')),
  rule     TEXT NOT NULL,                 -- by which it was judged
  PRIMARY KEY (uuid, at_ms, surface, agent, agent_id, log)
) WITHOUT ROWID;
CREATE INDEX shown_session ON shown (root, session);
CREATE INDEX shown_at ON shown (at_ms);

-- Sums of the rows that are too old to be kept.
CREATE TABLE shown_sums (
  uuid    TEXT NOT NULL,
  agent   TEXT NOT NULL,
  surface TEXT NOT NULL,
  verdict TEXT NOT NULL,
  root    TEXT NOT NULL,
  count   INTEGER NOT NULL,
  tokens  INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  PRIMARY KEY (uuid, agent, surface, verdict, root)
) WITHOUT ROWID;

-- One session with what it was told and what it did.
CREATE TABLE shown_sessions (
  root        TEXT NOT NULL,
  session     TEXT NOT NULL,
  agent       TEXT NOT NULL,
  started_ms  INTEGER NOT NULL,
  over        INTEGER NOT NULL,           -- 0 while it goes on
  answers     INTEGER NOT NULL,           -- that told it something
  tokens      INTEGER NOT NULL,           -- of them
  calls       INTEGER NOT NULL,           -- of tools
  rereads     INTEGER NOT NULL,           -- reads of a file that was read before
  prompts     INTEGER NOT NULL,
  corrections INTEGER NOT NULL,           -- by a person
  failed      INTEGER NOT NULL,           -- calls that failed
  heeded      INTEGER NOT NULL,           -- warnings that it was shown and followed
  reentered   INTEGER NOT NULL,           -- warnings that it was shown and did not heed
  retry       INTEGER NOT NULL,           -- tokens of its failed calls, with their results
  PRIMARY KEY (root, session)
) WITHOUT ROWID;

-- How far the files were read: of the showings and of the session's events.
CREATE TABLE shown_logs (
  root  TEXT NOT NULL,
  log   TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  over  INTEGER NOT NULL,                 -- 0 where the session was going on
  PRIMARY KEY (root, log)
) WITHOUT ROWID;
