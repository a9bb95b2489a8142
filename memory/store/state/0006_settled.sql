-- Up to when a file's rows are in the sums: they are not to be made again from it.
ALTER TABLE shown_logs ADD COLUMN settled_ms INTEGER NOT NULL DEFAULT 0;
UPDATE shown_logs SET settled_ms = coalesce((SELECT max(last_ms) + 1 FROM shown_sums WHERE shown_sums.root = shown_logs.root), 0);
