-- Texts of memories that the person at this machine answers for, though they look
-- like a secret or like orders to an agent, and memories without a word of trust
-- that were written or read here.
CREATE TABLE vouched (
  key    TEXT PRIMARY KEY,              -- of a text or of all texts of a memory, by content
  uuid   TEXT NOT NULL,                 -- of the memory then
  at_ms  INTEGER NOT NULL
) WITHOUT ROWID;
