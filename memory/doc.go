// Package memory owns a workspace's memories: a consistent view for readers, recall
// and search, and the one path by which memories are written. Workspace joins small types that each
// know little: finder, Recaller, History, Merges, Twins and Quarantine find memories, and the refresher brings database and view
// to what the files say; Maker makes memories, checks and the deduper judge them, saver and fileWriter keep them; Drafts are what
// waits for a person, Decisions what a person decides, Consolidations what is merged, Observer keeps what sessions showed. What needs the memories only as a caller, such as
// units of work, branches, threads and plans, stands above, in packages of its own. It must not
// know editors, agents or SQL.
package memory
