// Package store owns the two databases of the memories: memories.db, derived from the
// memory files, and state.db, this machine's own truth. On the memory side only this
// package contains SQL. It must not know editors or agents, or what makes a memory
// worth keeping.
package store

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
)

// ErrNewer is wrapped in every error of a state.db that a newer version has written. A server that began before an update meets it.
var ErrNewer = sqlfile.ErrNewer

//go:embed memories/*.sql
var memoriesSQL embed.FS

//go:embed state/*.sql
var stateSQL embed.FS

// busyTimeout is how long a command waits for short transactions of others.
const busyTimeout = 10 * time.Second

func migrations(f embed.FS, dir string) fs.FS {
	sub, err := fs.Sub(f, dir)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// StateSchema is the version of state.db that this program writes.
func StateSchema() int {
	list, err := fs.Glob(migrations(stateSQL, "state"), "*.sql")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	return len(list)
}

// likeEscape escapes a text for LIKE ... ESCAPE '\\'.
func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// jsonList encodes strings as JSON for json_each.
func jsonList(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}
