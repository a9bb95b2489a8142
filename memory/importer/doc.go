// Package importer reads the rule files that people already keep for their coding
// agents (CLAUDE.md, AGENTS.md, Cursor, Copilot and Windsurf rules, decision records,
// aide-memory's files) into typed, scoped memories with their source. It reads
// through an fs.FS and is otherwise pure. It must not know databases, the write gate
// or the configuration: its caller decides what becomes of a [Chunk].
//
// Invariant: the key of a chunk depends only on its own words and on the scope that
// its file gives it. It doesn't depend on the line, the heading, the neighbours or the
// name of the file. A second import of the same rule, moved or copied, has the same
// key.
package importer
