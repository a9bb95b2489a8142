-- Embeddings of texts, shared by all worktrees of this machine's user. All of
-- it can be computed again.

CREATE TABLE embeddings (
  content_hash  TEXT NOT NULL,     -- sha256 of the text that was embedded, with its prefix
  model_id      TEXT NOT NULL,     -- vectors of two models are never compared
  dims          INTEGER NOT NULL,
  norm          REAL NOT NULL,     -- Euclidean length, so that a cosine is one dot product
  vector        BLOB NOT NULL,     -- dims little-endian float32
  created_ms    INTEGER NOT NULL,
  used_ms       INTEGER NOT NULL,
  PRIMARY KEY (model_id, dims, content_hash)
) WITHOUT ROWID;
CREATE INDEX embeddings_used ON embeddings (used_ms);
