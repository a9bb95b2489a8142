-- What agents keep beside memories: who they are, talks, touchstones. Each version is a row. Others refer
-- to a record by its lineage, which its versions share.
CREATE TABLE records (
  lineage TEXT NOT NULL,
  version INTEGER NOT NULL,
  root    TEXT NOT NULL,               -- the workspace below the repository's top
  kind    TEXT NOT NULL,
  agent   TEXT NOT NULL,               -- whose record it is, '' for everybody's
  name    TEXT NOT NULL,               -- a slot, a topic
  parent  TEXT NOT NULL,               -- the lineage that it is a part of, '' for none
  type    TEXT NOT NULL,               -- of an entry or a touchstone
  author  TEXT NOT NULL,
  tags    TEXT NOT NULL,               -- a JSON array
  content TEXT NOT NULL,               -- JSON
  tainted INTEGER NOT NULL,            -- it may come from strangers: no agent is told
  at_ms   INTEGER NOT NULL,
  PRIMARY KEY (lineage, version)
) WITHOUT ROWID;
CREATE INDEX records_named ON records (root, kind, agent, name);
CREATE INDEX records_part ON records (parent, at_ms);
