// Package memory owns a workspace's memories: a consistent view for readers, recall
// and search, and the one path by which memories are written. Workspace joins small types that each
// know little: Recaller, History, Merges and Quarantine find memories; Maker makes them, checks and the
// deduper judge them, fileWriter writes them; Drafts are what waits for a person, Observer keeps what
// sessions showed. What needs the memories only as a caller, such as
// units of work, branches, threads and plans, stands above, in packages of its own. It must not
// know editors, agents or SQL.
package memory
