// Package memory owns a workspace's memories: a consistent view for readers, recall
// and search, and the one path by which memories are written. It must not know
// editors, agents or SQL.
package memory
