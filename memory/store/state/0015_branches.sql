-- The branches of the repository as last seen, so that what was written on one is settled after
-- it is gone.
CREATE TABLE branches (
  root       TEXT NOT NULL,               -- the workspace below the repository's top
  name       TEXT NOT NULL,
  tip        TEXT NOT NULL,               -- the commit
  ahead      INTEGER NOT NULL,            -- it was seen with commits that the default branch did not have
  state      TEXT NOT NULL CHECK (state IN ('live', 'reached', 'gone')),
  how        TEXT NOT NULL,               -- how its work reached the default branch
  renamed_to TEXT NOT NULL,               -- the branch that goes on with it
  looked     TEXT NOT NULL,               -- the tips of the default branch that it was compared with
  since_ms   INTEGER NOT NULL,            -- of the state
  PRIMARY KEY (root, name)
) WITHOUT ROWID;
