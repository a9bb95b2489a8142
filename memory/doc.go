// Package memory owns a workspace's memories: reading them as a consistent
// view, recall and search, and the one way in which every memory is written.
// It must not know editors, agents or SQL.
package memory
