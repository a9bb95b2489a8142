-- The arm of a session in the comparison of sessions with and without memories, and
-- what it did that earlier sessions had done before it.
ALTER TABLE shown_sessions ADD COLUMN arm TEXT NOT NULL DEFAULT '';          -- off, passive, full; '' for none
ALTER TABLE shown_sessions ADD COLUMN repeated INTEGER NOT NULL DEFAULT 0;   -- failures that an earlier session met
ALTER TABLE shown_sessions ADD COLUMN reread INTEGER NOT NULL DEFAULT 0;     -- files read that an earlier session read
