-- What a person does not want to see again where their editor showed it (B-21).
CREATE TABLE dismissals (
  uuid     TEXT NOT NULL,                 -- of the memory
  surface  TEXT NOT NULL,                 -- diagnostic, lens, hover, hint
  at_ms    INTEGER NOT NULL,
  PRIMARY KEY (uuid, surface)
) WITHOUT ROWID;
