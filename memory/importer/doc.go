// Package importer reads the rule files that people already keep for their
// coding agents (CLAUDE.md, AGENTS.md, Cursor, Copilot and Windsurf rules,
// decision records, aide-memory's files) into typed, scoped memories, each
// with the place it came from. It reads through an fs.FS and is pure beyond
// that. It must not know databases, the write gate or the configuration: what
// becomes of a [Chunk] is its caller's business.
//
// Invariant: the key of a chunk depends on its own words and on the scope that
// its file gives it, and on nothing else: not on its line, its heading, its
// neighbours, or the name of the file. A second import of the same rule, moved
// or copied, has the same key.
package importer
