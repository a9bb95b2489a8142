-- The sessions that used two files together, by the kind of work that their task asked for: a JSON object of
-- counts, without those whose task does not tell (V5-DB-07).
ALTER TABLE observer_pairs ADD COLUMN kinds TEXT NOT NULL DEFAULT '{}';

-- In which phase of work an agent was shown a memory, and of which type that was. '' is unknown, as of all rows
-- from before.
ALTER TABLE shown ADD COLUMN phase TEXT NOT NULL DEFAULT '';
ALTER TABLE shown ADD COLUMN type TEXT NOT NULL DEFAULT '';

-- Sums of the rows with a phase that are too old to be kept.
CREATE TABLE shown_phases (
  root    TEXT NOT NULL,                 -- the workspace below the repository's top
  type    TEXT NOT NULL,
  phase   TEXT NOT NULL,
  verdict TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (root, type, phase, verdict)
) WITHOUT ROWID;

-- What types of memories weigh in phases of work, as learned; a row for each change. The phase '' is every phase.
CREATE TABLE learned_weights (
  root     TEXT NOT NULL,
  type     TEXT NOT NULL,
  phase    TEXT NOT NULL,
  at_ms    INTEGER NOT NULL,
  weight   REAL NOT NULL,
  followed INTEGER NOT NULL,
  decided  INTEGER NOT NULL,
  PRIMARY KEY (root, type, phase, at_ms)
) WITHOUT ROWID;

-- What was shown before a person reset the weights, which counts no more. The type '' has the sessions.
CREATE TABLE weights_reset (
  root     TEXT NOT NULL,
  type     TEXT NOT NULL,
  phase    TEXT NOT NULL,
  followed INTEGER NOT NULL,
  decided  INTEGER NOT NULL,
  at_ms    INTEGER NOT NULL,
  PRIMARY KEY (root, type, phase)
) WITHOUT ROWID;
