// Package threads owns the threads of a workspace: what a session leaves for the next, how it is
// written, changed, shared with the team and settled. It builds and checks what a thread says like a
// memory, and keeps it apart from the memories. It must not know editors, agents or SQL.
package threads
