-- The sizes of all logs that were learned from are read at the start of a session. The rows
-- themselves are long: they hold the reports.
DROP INDEX observer_sessions_log;
CREATE INDEX observer_sessions_log ON observer_sessions (log, root, bytes);
